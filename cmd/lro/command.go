package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/lro-go/lro/transport"
)

// A command is one run of the program.
type command struct {
	config
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string

	client *http.Client
	logger *slog.Logger // nil without -v
	keeper keeper
	screen *screen
}

// errTimeout is the cause of the context that --timeout ends. It distinguishes
// that from the end of an attempt.
var errTimeout = fmt.Errorf("%w by --timeout", context.DeadlineExceeded)

// verbs are what the command can do. The demo is not among them, because it
// runs the others.
var verbs = []verb{
	{"put", "URL", "creates or replaces a resource, and follows that to its end", beginning | withBody, (*command).begin},
	{"patch", "URL", "changes a resource, and follows that to its end", beginning | withBody, (*command).begin},
	{"post", "URL", "asks for an action, and follows it to its end", beginning | withBody, (*command).begin},
	{"delete", "URL", "deletes a resource, and follows that to its end", beginning, (*command).begin},
	{"get", "URL", "reads a resource, or a listing with all its pages", beginning | withPages, (*command).get},
	{"watch", "URL", "follows an operation of which only its URL is left", beginning, (*command).watch},
	{"resume", "FILE", "goes on with a stored operation; - is the standard input", stored, (*command).resume},
	{"cancel", "FILE", "cancels a stored operation, and follows it to its end", stored | withCancel, (*command).cancel},
}

// A verb is one thing that the command can do.
type verb struct {
	name, arg, about string
	flags            flagGroup
	do               func(*command, context.Context) error
}

// run runs the program and returns its exit code. When ctx ends it stops early, but
// waits for the response to a request that may have started an operation.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	name, args := "help", args
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "help", "-h", "-help", "--help":
		return help(args, stdout, stderr)
	case "demo":
		return demo(ctx, args, stdout, stderr, env)
	}
	v, ok := findVerb(name)
	if !ok {
		say(stderr, "lro: there is no verb %q; see lro help\n", name)
		return exitUsage
	}
	c := &command{stdin: stdin, stdout: stdout, stderr: stderr, env: env}
	err := c.parse(v, args)
	if errors.Is(err, flag.ErrHelp) {
		help([]string{name}, stdout, stderr)
		return exitOK
	}
	c.screen = newScreen(c)
	if err != nil {
		return c.screen.finish(ctx, err)
	}
	if c.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, c.timeout, errTimeout)
		defer stop()
	}
	return c.screen.finish(ctx, c.do(ctx, v))
}

// do prepares what all verbs share and runs the verb.
func (c *command) do(ctx context.Context, v verb) error {
	token, err := c.credential()
	if err != nil {
		return err
	}
	if c.verbose {
		// The records of this module hold no query, header or token.
		c.logger = slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	c.client = transport.NewClient(&transport.Options{Token: token, UserAgent: "lro", Origins: c.origins, Logger: c.logger})
	c.keeper = keeper{file: c.tokenFile, named: c.tokenFile != "", dir: "."}
	if err := c.keeper.vacant(); err != nil && c.tokenFile != c.target {
		return err
	}
	return v.do(c, ctx)
}

func findVerb(name string) (verb, bool) {
	for _, v := range verbs {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}
