package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/cmd/lro/internal/serve"
)

// run runs the program and returns its exit code. If ctx ends, the program stops early, but first
// waits for the response to a request that may have started an operation.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	c := &command{stdin: stdin, stdout: stdout, stderr: stderr, env: env}
	return c.run(ctx, args)
}

func (c *command) run(ctx context.Context, args []string) int {
	c.flags = flags.New()
	root := c.root()
	root.SetArgs(args)
	root.SetIn(c.stdin)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return c.code
	}
	return c.newPrinter().Finish(ctx, classify(err))
}

// classify converts an error of lro serve to a FailedError, and returns a FailedError of another
// command unchanged. Any other error means that the command line is wrong, and becomes a
// UsageError.
func classify(err error) error {
	if failed, ok := errors.AsType[output.FailedError](err); ok {
		return failed
	}
	if _, ok := errors.AsType[serve.Error](err); ok {
		return output.FailedError{Err: err}
	}
	return usage(err)
}

// usage converts an error about the command line to a UsageError with a one-line message. For an
// unknown command, the message suggests a similar command or, if there is none, lro help.
func usage(err error) error {
	text := strings.NewReplacer("\n\nDid you mean this?\n\t", "; did you mean ", "\n\t", " or ", "\n", "?").Replace(err.Error())
	if strings.HasPrefix(text, "unknown command") && !strings.HasSuffix(text, "?") {
		text += "; see lro help"
	}
	return output.UsageError{Err: errors.New(text)}
}

func init() { cobra.EnableCommandSorting = false } // in the help, keep the order of the code: put comes before delete, because it is more common

const long = `Lro starts or resumes long-running operations and waits for their end. Without a
service of your own, try lro demo, or start lro serve in another terminal.

The result goes to the standard output and everything else to the standard
error. On a terminal, the output is text. Otherwise it is lines of JSON:
{"status":…} and {"note":…} on the standard error, {"item":…} for each item of a
listing, and finally {"result":…} or {"error":…}. The bearer token comes from
--token-command or $LRO_TOKEN. Set NO_COLOR to turn off colors.

Ctrl-C stops the wait but not the operation: lro writes a resume token to a file
and prints the command that resumes. A second Ctrl-C exits at once.

` + output.ExitCodes

const examples = `  lro put 'https://management.azure.com/…?api-version=…' -d @body.json
  lro resume lro-1234.token --origin https://management.azure.com
  lro demo
  lro serve
  lro put 'http://127.0.0.1:8089/widgets/w1?api-version=1' -d '{}' --min 1s`

// The IDs of the command groups in the help.
const (
	groupStart  = "start"
	groupFollow = "follow"
	groupTry    = "try"
	groupCheck  = "check"
)

// root returns the command tree. Its Execute method runs a verb, which sets c.code. Execute returns
// an error only if the command line is wrong, lro serve fails, lro check cannot write its output,
// or lro demo cannot start.
func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use: "lro", Short: "Start long-running operations and wait for their end", Long: long, Example: examples,
		Version: version(), SilenceErrors: true, SilenceUsage: true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.Flags().Bool("version", false, "print the version") // replaces cobra's own flag, which has the shorthand -v
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80"))
	root.AddGroup(&cobra.Group{ID: groupStart, Title: "Start an operation:"}, &cobra.Group{ID: groupFollow, Title: "Read, wait, resume or cancel:"},
		&cobra.Group{ID: groupTry, Title: "Try it offline:"}, &cobra.Group{ID: groupCheck, Title: "Check a service of your own:"})
	root.AddCommand(c.verbs()...)
	simulator := serve.Command()
	simulator.GroupID = groupTry
	root.AddCommand(c.demo(), simulator, strategiesTopic(), c.check())
	root.SetHelpCommand(helpCommand(root))
	return root
}

// version returns the version of the program's module.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown version)"
}

// helpCommand returns the help command. Unlike cobra's, it fails for an unknown command. It can
// also explain a rule of lro check.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Explain a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if cmd, _, err := root.Find(args); err == nil {
				for _, sub := range cmd.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == root.Name() {
				args = args[1:]
			}
			cmd, rest, err := root.Find(args)
			if err == nil && cmd.GroupID == groupCheck && len(rest) == 1 {
				return explainRule(root.OutOrStdout(), rest[0])
			}
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("unknown command %q for %q", rest[0], cmd.CommandPath())
			}
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// strategiesTopic returns the help topic about strategies. A help topic is a command that has only
// a help text.
func strategiesTopic() *cobra.Command {
	var rows strings.Builder
	for _, s := range flags.Strategies() {
		fmt.Fprintf(&rows, "  %-23s  %s\n", s.Name, s.About)
	}
	return &cobra.Command{Use: "strategies", Short: "The values of --strategy", Long: `The values of --strategy are the protocols that lro knows:

` + rows.String() + `
arm is the default. It chooses one of the next four from the response that
started the operation. ibm-vpc and ibm-vpc-action take the words that mean
success after a colon, for example ibm-vpc:running,stopped.`}
}

// flagError returns an error that names the flag, the mistake and the command that shows the help.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	err = flags.Error(err)
	if strings.Contains(err.Error(), "lro help") {
		return err
	}
	verb := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "lro"), " ")
	return fmt.Errorf("%w; see %s", err, strings.TrimSpace("lro help "+verb))
}
