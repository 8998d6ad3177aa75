package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
)

// demo returns the lro demo command, which runs other verbs against a service on this machine.
func (c *command) demo() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Run the other commands against a service on this machine", GroupID: groupTry, Args: cobra.NoArgs,
		Long: "Starts a service on this machine, then starts, interrupts and resumes operations\nthere. The demo takes about five seconds and leaves nothing behind.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			c.code, err = c.runDemo(cmd.Context())
			return err
		},
	}
}

// runDemo runs the steps of the demo and returns the demo's exit code. It stops after a step with
// an unexpected exit code.
func (c *command) runDemo(ctx context.Context) (code int, err error) {
	origin, stop, err := startService(ctx)
	if err != nil {
		return 0, output.FailedError{Err: fmt.Errorf("the demo's service could not start: %w", err)}
	}
	defer stop()

	dir, err := os.MkdirTemp("", "lro-demo-")
	if err != nil {
		return 0, output.FailedError{Err: fmt.Errorf("the demo could not create a folder for its token: %w", err)}
	}
	defer func() { _ = os.RemoveAll(dir) }()

	for _, step := range demoSteps(origin, filepath.Join(dir, "demo.token")) {
		words := []string{"lro"}
		for _, arg := range step.args {
			words = append(words, flags.Quote(arg))
		}
		_, _ = fmt.Fprintf(c.stdout, "\n# %s\n$ %s\n", step.title, strings.Join(words, " "))
		code := run(ctx, step.args, strings.NewReader(""), c.stdout, c.stderr, c.env)
		_, _ = fmt.Fprintf(c.stdout, "exit %d\n", code)
		if code != step.exit {
			return max(code, output.ExitFailed), nil
		}
	}
	return output.ExitOK, nil
}

// A demoStep is one command of the demo and its expected exit code.
type demoStep struct {
	title string
	args  []string
	exit  int
}

// demoSteps returns the commands of the demo. The --min flag allows pauses below lro's default
// minimum of 10 s.
func demoSteps(origin, file string) []demoStep {
	const pace = "--min=100ms"
	url := func(name string) string { return origin + widgets + "/" + name + "?api-version=2026-01-01" }
	return []demoStep{
		{"An operation that succeeds", []string{"put", url("alpha"), "-d", `{"properties":{"size":1}}`, pace}, output.ExitOK},
		{"An operation that fails", []string{"put", url("too-large"), "-d", `{"properties":{"size":1000}}`, pace}, output.ExitFailed},
		{"An operation that outlasts --timeout: lro saves a token, as after Ctrl-C", []string{
			"put", url("beta"), "-d", `{"properties":{"size":2}}`, pace, "--timeout=500ms", "--token-file=" + file,
		}, output.ExitStopped},
		{"The same operation, resumed", []string{"resume", file, "--origin=" + origin, pace}, output.ExitOK},
		{"A listing with all its pages", []string{"get", origin + widgets + "?api-version=2026-01-01"}, output.ExitOK},
		{"A request that the service refuses", []string{"delete", url("alpha")}, output.ExitRefused},
	}
}
