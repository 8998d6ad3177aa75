package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/cmd/lro/internal/output"
)

// verbs returns the subcommands in groupStart and groupFollow.
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
		c.flags.AddData(cmd.Flags())
	}

	get := c.verb("get URL", "Read a resource, or all pages of a listing", groupFollow, c.get)
	get.Long = "Reads a resource, or all pages of a listing. If the GET starts an operation (202\nwith Location), lro waits for its result."
	c.flags.AddListing(get.Flags())

	watch := c.verb("watch URL", "Wait for an operation by its status URL", groupFollow, c.watch)
	watch.Long = "Waits for an operation if you know only its status URL, for example from a log.\nWith --strategy provisioning-state, the URL is that of the resource, and the\nwait also ends when the resource has been deleted."

	wait := c.verb("wait URL|FILE…", "Wait for resources, or for several token files", groupFollow, c.waitForAll)
	wait.Long = waitHelp
	wait.Example = "  lro wait 'https://…' --until properties.status=Ready --token-command '…'\n  lro wait 'https://…' 'https://…' --deleted --timeout 10m\n  lro wait *.token --origin https://management.azure.com"
	c.flags.AddCondition(wait.Flags())

	list := c.verb("list [FOLDER|FILE]…", "Show what token files say, without sending anything", groupFollow, c.list)
	list.Long = listHelp
	c.flags.AddOutput(list.Flags())

	resume := c.verb("resume FILE", "Resume from a token file", groupFollow, c.resume)
	resume.Long = "Continues to wait for the operation whose token is in FILE, or on the standard\ninput if FILE is -. The token does not decide which hosts get your credentials,\nso name the host with --origin."

	cancel := c.verb("cancel FILE", "Cancel the operation of a token file and wait for the end", groupFollow, c.cancel)
	cancel.Long = "Asks the service to cancel the operation whose token is in FILE, or on the\nstandard input if FILE is -. Then lro waits, because the service decides how the\noperation ends."
	c.flags.AddCancel(cancel.Flags())

	started := []*cobra.Command{put, patch, post, remove, get}
	for _, cmd := range append(started, resume, cancel) {
		c.flags.AddResult(cmd.Flags())
	}
	for _, cmd := range []*cobra.Command{wait, resume, cancel} {
		c.flags.AddOrigins(cmd.Flags())
	}
	for _, cmd := range append(started, watch) {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
		c.flags.AddTokenFile(cmd.Flags())
		c.flags.AddFurtherOrigins(cmd.Flags())
	}

	all := append(started, watch, wait, resume, cancel)
	for _, cmd := range all {
		c.flags.AddShared(cmd.Flags())
		if cmd != wait {
			c.flags.AddTimeline(cmd.Flags())
		}
	}
	all = append(all, list)
	for _, cmd := range all {
		for name, values := range c.flags.Choices() {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
	return all
}

// retries is the help text about lost responses.
const retries = `If a response is lost, lro sends the request again, up to four times in all, so
an action may take effect more than once. With --strategy ibm-…, it sends a POST
or PATCH only once. If the last attempt fails too, lro exits with 6.`

const listHelp = `Shows the last known state of the operation in each token file, without sending
anything. In a FOLDER, by default the current one, the token files are those
whose names end in .token. To bring a state up to date, use lro resume or lro
wait.

A file that is broken, is not a token or was written by a later release gets a
line that says so.`

const waitHelp = `Waits until the resource at each URL is as --until, --exists or --deleted says,
and until the operation in each token FILE has ended.

--until takes a path and a value, whose case does not matter. The wait also ends
if the provisioningState or the value at the path means a failure, such as
Failed, unless you wait for that very value. The exit code is then 1, or 3 for
Canceled. lro waits five minutes at most for a missing resource to appear;
--exists waits without such a limit. If a URL cannot be read, lro exits with 6.

If several targets fail, the exit code is the smallest of their codes. It is
5 only if the wait for all of them was stopped.`

// start returns a verb that starts an operation. The verb's name is the HTTP method in lower case,
// such as put.
func (c *command) start(name, short string) *cobra.Command {
	return c.verb(name+" URL", short, groupStart, c.begin)
}

// verb returns a verb with one argument, a URL or a FILE. If the parameter use contains an
// ellipsis, the verb accepts several arguments. If it contains brackets, the arguments are
// optional.
func (c *command) verb(use, short, group string, do func(context.Context) error) *cobra.Command {
	cmd := &cobra.Command{Use: use + " [flags]", Short: short, GroupID: group, DisableFlagsInUseLine: true}
	cmd.Flags().SortFlags = false
	takesURL := use == cmd.Name()+" URL"
	takesSeveral := strings.HasSuffix(use, "…")
	isOptional := strings.HasSuffix(use, "]…")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 || takesSeveral && len(args) > 1 || isOptional {
			return nil
		}
		number := "one argument"
		if takesSeveral {
			number = "one argument or more"
		}
		return fmt.Errorf("lro %s takes %s, not %d; see lro help %s", use, number, len(args), cmd.Name())
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.name = cmd.Name()
		c.flags.SetTargets(args, cmd.Flags())
		err := c.flags.AllowTargets(takesURL)
		if err != nil {
			return fmt.Errorf("lro %s URL: %w", cmd.Name(), err)
		}
		c.code = c.runVerb(cmd.Context(), do)
		return nil
	}
	return cmd
}

// runVerb calls the function do, subject to --timeout, and returns the exit code.
func (c *command) runVerb(ctx context.Context, do func(context.Context) error) int {
	if timeout := c.flags.Timeout(); timeout > 0 {
		cause := output.StopError{Text: "stopped by --timeout", Err: context.DeadlineExceeded}
		limited, stop := context.WithTimeoutCause(ctx, timeout, cause)
		defer stop()
		ctx = limited
	}
	c.printer = c.newPrinter()
	code := c.printer.Finish(ctx, c.do(ctx, do))
	c.removeToken(&c.tokenFile, c.ended)
	return code
}
