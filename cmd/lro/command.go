package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/transport"
)

// A command is one run of lro.
type command struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
	base           http.RoundTripper // the transport's Base; nil unless a test or --timeline sets it

	name      string // the verb, such as put
	flags     *flags.Flags
	client    *http.Client
	logger    *slog.Logger // nil without -v
	tokenFile tokenFile
	timeline  *timelineFile // nil without --timeline
	printer   *output.Printer
	problems  chan<- string // receives the reason for each retry of the first request; nil except while send waits for the response
	ended     bool          // whether the operation has ended and its token is no longer needed
	code      int           // the verb's exit code
}

// newPrinter returns the Printer that the flags select. It has no progress bar if there is a log or
// more than one target.
func (c *command) newPrinter() *output.Printer {
	opts := output.Detect(c.stdout, c.stderr, c.flags.Format(), c.getenv)
	opts.Quiet = c.flags.Quiet
	if c.flags.Verbose || len(c.flags.Targets) > 1 {
		opts.Bar = false
	}
	return output.New(opts)
}

// getenv returns the value of an environment variable. If the variable is set more than once, the
// last value wins.
func (c *command) getenv(name string) (value string) {
	for _, v := range c.env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// do sets up what all verbs need and then runs verb.
func (c *command) do(ctx context.Context, verb func(context.Context) error) error {
	token, err := c.flags.Credential(c.getenv(flags.TokenVariable), c.env)
	if err != nil {
		return output.UsageError{Err: err}
	}
	if c.flags.Verbose {
		// The log is safe to print, because no log record of this module contains a query, a header
		// or a token.
		c.logger = slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}

	c.tokenFile, err = newTokenFile(c.flags.TokenFile)
	if err != nil {
		return output.UsageError{Err: err}
	}
	if c.flags.Timeline != "" {
		c.timeline, err = newTimelineFile(c.flags.Timeline, c.base)
		if err != nil {
			return err
		}
		c.base = c.timeline
	}

	c.client = transport.NewClient(&transport.Options{
		Base: c.base, Token: token, UserAgent: "lro", Origins: c.flags.Origins(), Logger: c.logger, Policy: c.retry,
	})
	return verb(ctx)
}

// retry reports whether to retry a request. For the first request of an operation, it also passes
// the reason to showAttempts.
func (c *command) retry(req *http.Request, resp *http.Response, err error) bool {
	if !c.flags.Retry(req, resp, err) {
		return false
	}
	if c.problems != nil {
		c.problems <- req.Method + " " + retryReason(resp, err) + "; trying again"
	}
	return true
}

func retryReason(resp *http.Response, err error) string {
	if err != nil {
		return "got no response: " + output.Clean(err.Error())
	}
	if resp != nil {
		return "was answered " + resp.Status
	}
	return "got no response"
}
