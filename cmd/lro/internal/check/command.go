// Package check implements lro check, which runs operations against a service and reports where the
// service violates a specification.
//
// This package parses the flags, reads the requests (input.go) and writes the report (output.go).
// Package checker sends the requests and contains the rules. lro check has its own package, because
// it shares only flags and output with the other commands.
//
// The entry points are Command and Explain.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/transport"
)

const long = `Runs long-running operations against a service, and reports where the service
violates its specification. Each finding quotes the specification and shows the
request and response that prove it.

A REQUEST is 'METHOD URL' or 'METHOD URL BODY', where BODY is JSON or @FILE. A
FILE contains requests in the form of a transcript, as below; - is the standard
input. lro sends the requests in order, each after the operation of the previous
one has ended.

  ### create
  PUT https://service.test/widgets/w1?api-version=2026-01-01 HTTP/1.1

  {"properties":{"size":1}}
  ### delete
  DELETE https://service.test/widgets/w1?api-version=2026-01-01 HTTP/1.1

lro first prints what it will send. It sends at most one request every 200 ms, and
deletes what it has created: at the end, after a failure and after Ctrl-C. A
second Ctrl-C exits at once.

lro check --rules lists the rules, and lro help check RULE explains one.

Exit codes: 0 if the check is complete and the service broke no must, 1 if it
broke a must, 2 if the command line is wrong, 5 after Ctrl-C, and 6 if the
service refused a request or an operation did not end in time.`

const examples = `  lro serve   # in another terminal
  lro check 'PUT http://127.0.0.1:8089/widgets/w1?api-version=1 {}' \
    'DELETE http://127.0.0.1:8089/widgets/w1?api-version=1'
  lro check widgets.http --token-command '…' -o text -o junit=check.xml
  lro help check arm-put-state`

// An Environment contains what lro check needs from the process.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string
	Token          string                   // the bearer token from the environment; may be empty
	Base           func() http.RoundTripper // returns the base of a client's transport; by default, each client has its own connections
	Exit           *int                     // receives the exit code
}

// A command is one run of lro check.
type command struct {
	Environment
	flags  *flags.Flags
	opts   checker.Options
	target outputs
	record string
	files  map[string]*os.File // the open files for the report and the recording, by name
	list   bool
}

// Command returns the lro check command. An error from the command means that the command line is
// wrong, unless the error is an output.FailedError.
func Command(e Environment) *cobra.Command {
	c := &command{Environment: e, flags: flags.New(), files: map[string]*os.File{}}
	cmd := &cobra.Command{
		Use: "check [flags] REQUEST|FILE…", Short: "Check whether a service follows its specification", Long: long, Example: examples,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.opts.Spec, "spec", rules.ARM, "the `specification`: "+strings.Join(rules.Specs(), ", "))
	fs.BoolVar(&c.list, "rules", false, "list the rules of the specification and exit")
	fs.BoolVar(&c.opts.Probe, "probe", false, "send invalid requests too, which the service has to refuse")
	fs.BoolVar(&c.opts.Cancel, "cancel", false, "ask the service to cancel each operation")
	fs.BoolVar(&c.opts.Keep, "keep", false, "do not delete what lro has created")
	fs.DurationVar(&c.opts.Interval, "interval", time.Second, "the `pause` between two rounds of reads; at least 200ms")
	fs.DurationVar(&c.opts.Patience, "patience", 2*time.Minute, "give up after this `time` if a status cannot be read, or stays in progress although the resource is ready")
	fs.DurationVar(&c.opts.Timeout, "timeout", 30*time.Minute, "the longest `time` to wait for the end of one operation")
	fs.VarP(&c.target, "output", "o", "the `format` of the report: text, json, junit or sarif, or FORMAT=FILE; repeatable (default text)")
	fs.StringVar(&c.record, "record", "", "write all exchanges to a `file` as a transcript, without Authorization headers")
	c.flags.AddConnection(fs)
	c.flags.AddFurtherOrigins(fs)
	fs.BoolVarP(&c.flags.Quiet, "quiet", "q", false, "do not print what lro sends")
	return cmd
}

// Explain writes an explanation of the rule with the given ID. It returns false if no such rule
// exists.
func Explain(w io.Writer, id string) (ok bool, err error) {
	one := rule.Find(rules.All(), id)
	if one == nil {
		return false, nil
	}
	return true, report.Explain(w, one)
}

// run lists the rules if --rules is set. Otherwise, it runs the check and sets the exit code.
func (c *command) run(ctx context.Context, args []string) error {
	if c.list {
		return c.printRules()
	}
	requests, err := readRequests(args, c.Stdin)
	if err != nil {
		return err
	}
	c.opts.Requests = requests
	c.opts.Header = c.flags.Header()
	plan, err := checker.Plan(&c.opts)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "checker: "))
	}
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.open(); err != nil {
		return err
	}
	c.announce(plan)

	r, err := checker.Check(ctx, &c.opts)
	if r == nil {
		return err
	}
	if failed := c.write(r); failed != nil {
		return output.FailedError{Err: failed}
	}
	*c.Exit = exitCode(r, err)
	return nil
}

func (c *command) printRules() error {
	list := rules.For(c.opts.Spec)
	if list == nil {
		return fmt.Errorf("--spec: the specification must be one of %s", strings.Join(rules.Specs(), ", "))
	}
	return report.List(c.Stdout, list)
}

// connect sets the allowed origins and the function that creates HTTP clients with the credential.
func (c *command) connect() error {
	for _, r := range c.opts.Requests {
		if err := c.flags.Allow(r.URL); err != nil {
			return err
		}
	}
	c.opts.Origins = c.flags.Origins()
	token, err := c.flags.Credential(c.Token, c.Env)
	if err != nil {
		return err
	}
	c.opts.Client = func() *http.Client {
		o := checker.Transport()
		o.Token = token
		o.Origins = c.flags.Origins()
		if c.Base != nil {
			o.Base = c.Base()
		}
		return transport.NewClient(o)
	}
	return nil
}

// announce prints what the check will send and makes the check log each request, unless --quiet is
// set.
func (c *command) announce(plan []string) {
	if c.flags.Quiet {
		return
	}
	_, _ = fmt.Fprintln(c.Stderr, "lro check will send")
	for _, line := range plan {
		_, _ = fmt.Fprintln(c.Stderr, "  "+line)
	}
	c.opts.Log = func(line string) { _, _ = fmt.Fprintln(c.Stderr, line) }
}

// exitCode returns the exit code for a report. The parameter stopped is the reason why the check
// was stopped early, or nil.
func exitCode(r *report.Report, stopped error) int {
	if r.Count(rule.Must) > 0 {
		return output.ExitFailed
	}
	if stopped != nil {
		return output.ExitStopped
	}
	if len(r.Unfinished()) > 0 {
		return output.ExitRefused
	}
	return output.ExitOK
}
