package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A config holds the arguments and flags of a verb.
type config struct {
	name   string // the name of the verb
	target string // a URL, or a file with a resume token

	data            string
	items, nextLink string
	cancelRequest   requestFlag

	origins      originsFlag // the allowed origins; if target is a URL, its origin is the first one
	strategy     strategyFlag
	via          choiceFlag
	min, max     durationFlag
	pause        durationFlag
	patience     durationFlag
	tokenPath    string
	timelinePath string

	tokenCommand   string
	header         headerFlag
	timeout        durationFlag
	output         choiceFlag
	quiet, verbose bool

	set map[string]string // the flags that were given on the command line, and their values
}

// verbs returns the verbs that send requests.
func (c *command) verbs() []*cobra.Command {
	put := c.start("put", "Create or replace a resource and wait for the end")
	patch := c.start("patch", "Change a resource and wait for the end")
	post := c.start("post", "Request an action and wait for its end")
	remove := c.start("delete", "Delete a resource and wait for the end")
	put.Example = "  lro put 'http://127.0.0.1:8089/widgets/w1?api-version=1' -d '{}' --min 1s\n  lro put 'https://…' -d @body.json --token-file w1.token --token-command '…'"
	post.Example = "  lro post 'http://127.0.0.1:8089/widgets/w1/restart?api-version=1' --min 1s"
	remove.Example = "  lro delete 'http://127.0.0.1:8089/widgets/item1?api-version=1' --min 1s"
	for _, cmd := range []*cobra.Command{put, patch, post, remove} {
		cmd.Long = cmd.Short + ". Ctrl-C stops the wait and\nprints the command that resumes.\n\n" + retries
	}
	for _, cmd := range []*cobra.Command{put, patch, post} {
		cmd.Flags().StringVarP(&c.data, "data", "d", "", "the `body`: JSON, @FILE, or @- for the standard input")
	}
	get := c.verb("get URL", "Read a resource, or all pages of a listing", groupFollow, c.get)
	get.Long = "Reads a resource, or all pages of a listing. If the GET starts an operation (202\nwith Location), lro waits for its result."
	get.Flags().StringVar(&c.items, "items", "/value", "JSON `pointer` to the items of a page")
	get.Flags().StringVar(&c.nextLink, "next-link", "", "JSON `pointer` to the link to the next page (default /nextLink and similar)")
	watch := c.verb("watch URL", "Wait for an operation by its status URL", groupFollow, c.watch)
	watch.Long = "Waits for an operation of which only the status URL is known, for example from\na log."
	resume := c.verb("resume FILE", "Resume from a token file", groupFollow, c.resume)
	resume.Long = "Continues to wait for the operation whose token is in FILE; - is the standard\ninput. A token does not decide who gets your credentials, so name its host\nwith --origin."
	cancel := c.verb("cancel FILE", "Cancel the operation of a token file and wait for the end", groupFollow, c.cancel)
	cancel.Long = "Asks the service to cancel the operation whose token is in FILE; - is the\nstandard input. Then lro waits, because the service decides how it ends."
	cancel.Flags().Var(&c.cancelRequest, "with", "the `request` that cancels if the protocol has none, such as 'DELETE URL' or 'POST URL'")

	started := []*cobra.Command{put, patch, post, remove, get}
	for _, cmd := range append(started, resume, cancel) {
		cmd.Flags().Var(&c.via, "final-state-via", "the `place` of the result, as in the service's description: "+c.via.list())
	}
	for _, cmd := range append(started, watch) {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
		cmd.Flags().StringVar(&c.tokenPath, "token-file", "", "the `file` for the resume token, written early and removed at the end")
	}
	all := append(started, watch, resume, cancel)
	for _, cmd := range all {
		c.followFlags(cmd.Flags())
		c.requestFlags(cmd.Flags())
		for name, values := range map[string][]string{"final-state-via": c.via.values, "output": c.output.values, "strategy": strategyNames()} {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
	return all
}

// retries explains what lro does if a response is lost.
const retries = `If a response is lost, lro sends the request again, up to four times in all, so
an action may take effect more than once. With --strategy ibm-…, it sends a POST
or PATCH only once. After that, lro exits with 6.`

// start returns a verb that starts an operation with the HTTP method that the verb is named after.
func (c *command) start(name, short string) *cobra.Command {
	return c.verb(name+" URL", short, groupStart, c.begin)
}

// verb returns a verb with one argument, which is a URL or a FILE.
func (c *command) verb(use, short, group string, do func(context.Context) error) *cobra.Command {
	c.via.values, c.output.values = viaValues, []string{"text", "json"}
	cmd := &cobra.Command{Use: use + " [flags]", Short: short, GroupID: group, DisableFlagsInUseLine: true}
	cmd.Flags().SortFlags = false
	takesURL := use == cmd.Name()+" URL"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("lro %s takes one argument, not %d; see lro help %s", use, len(args), cmd.Name())
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.name, c.target, c.set = cmd.Name(), args[0], map[string]string{}
		cmd.Flags().Visit(func(f *pflag.Flag) { c.set[f.Name] = f.Value.String() })
		if takesURL {
			origin, err := originOf(c.target)
			if err != nil {
				return fmt.Errorf("lro %s URL: %w", cmd.Name(), err)
			}
			c.origins = append(originsFlag{origin}, c.origins...)
		}
		ctx := cmd.Context()
		if c.timeout.set && c.timeout.d > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, c.timeout.d, stopCause{"stopped by --timeout", context.DeadlineExceeded})
			defer stop()
		}
		c.screen = newScreen(c)
		c.code = c.screen.finish(ctx, c.do(ctx, do))
		c.removeToken()
		return nil
	}
	return cmd
}
