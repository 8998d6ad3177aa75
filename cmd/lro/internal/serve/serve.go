// Package serve implements lro serve, which simulates a management service on this machine for
// clients in any language.
//
// The package defines the flags of lro serve, how each flag changes a service of package fakes, and
// the format of the log. Apart from the example commands that it prints, it knows nothing about the
// other commands of lro or their output. It uses none of the packages that follow operations.
//
// It is a separate package so that package servetest can run it in the tests of other packages.
//
// Start reading at Command. If the service fails, the command returns an Error. Any other error
// from the command is a mistake in the command line.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const long = `Simulates a management service on this machine, for clients in any language.

A PUT, PATCH, POST or DELETE of any path starts a long-running operation, and
the response says where to read its status. Ctrl-C stops the service.

Each request is one line of output: RETRY is the Retry-After of the response,
KIND:N counts the requests of each kind, and STATE is the state of the operation
or the code of the error.

The service does not check credentials: it ignores the Authorization header.

With --control, a second port has a page for the browser and commands that add
a fault, end or expire an operation, reset the service and read its journal.

With --replay, the service repeats the responses of a recording. A request that
is not the next one in the recording gets a 417 that says how it differs.

Exit codes: 0 after Ctrl-C, 1 if the service could not start or its recording is
incomplete, and 2 if the command line is wrong.

The file of --seed has an object whose names are paths, an array of resources
with an id, or pages of a listing, as curl saves them:

  {"/widgets/w1": {"tags": {}}, "/widgets/w2": {}}
  [{"id": "/widgets/w1", "tags": {}}, {"id": "/widgets/w2"}]
  {"value": [{"id": "/widgets/w1", "tags": {}}, {"id": "/widgets/w2"}]}

A fault is [WHICH:]ACTION. WHICH selects requests and is one of

  3            the third request of all
  poll         every request of this kind: begin, poll, result, read, list or
               cancel
  poll:3       the third poll; the log shows this number for each request
  poll:2-4     the second to the fourth poll
  poll:2-      every poll but the first
  DELETE:1     the first request with this method

ACTION is one of

  503          responds with this status code; 503=10s adds Retry-After
  throttle=10s responds with 429 and Retry-After
  challenge    responds with 401 and a Bearer challenge
  html=502     responds with an HTML page, as a proxy does
  drop         closes the connection without a response
  truncate=20  closes the connection after 20 bytes of the body
  slow=5s      responds after five seconds
  hang         does not respond

The values after = are examples. If you leave out the value, html, throttle,
truncate and slow use the one shown here.`

const examples = `  lro serve
  lro serve --duration 2m --retry-after 10s --error-code QuotaExceeded
  lro serve --style ibmcloud --strategy ibm-vpc
  lro serve --fault poll:3:503=10s --fault 5:drop --quirk W18
  lro serve --record widget.http
  lro serve --replay widget.http
  lro serve --control 127.0.0.1:8090`

// Command returns the serve command, which runs until its context ends.
func Command() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Simulate a management service on this machine",
		Long:    long,
		Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q: lro serve takes only flags, such as --style arohcp; see lro help serve", args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.serve(cmd.Context(), cmd.OutOrStdout())
		},
	}
	cmd.SetFlagErrorFunc(flagError)
	o.flags(cmd)
	cmd.AddCommand(quirksCommand())
	return cmd
}

// An Error reports that the service could not start or failed later, or that its recording is
// incomplete. A mistake in the command line is not an Error.
type Error struct{ error }

// Unwrap returns the underlying error.
func (e Error) Unwrap() error { return e.error }

// flagError adds advice to err, an error from parsing the flags. For an invalid value, the result
// names the flag, the value, and the accepted values.
func flagError(_ *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return fmt.Errorf("%w; see lro help serve", err)
}

// serve runs the service and, with --control, the control interface until ctx ends.
func (o *options) serve(ctx context.Context, stdout io.Writer) error {
	if err := o.checkAddresses(); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // save memory, because the simulator runs alongside a client and its tests
	s, err := newSimulator(o, nil)
	if err != nil {
		return err
	}

	ln, err := listen(ctx, "addr", o.addr)
	if err != nil {
		return Error{err}
	}
	defer ln.Close()
	base := o.scheme() + "://" + ln.Addr().String()
	endpoints := []endpoint{{ln, s.guard(o.allowRemote, s)}}
	control := ""
	if o.control != "" {
		ln, err := listen(ctx, "control", o.control)
		if err != nil {
			return Error{err}
		}
		defer ln.Close()
		endpoints = append(endpoints, endpoint{ln, s.guard(!isLoopbackAddress(o.control), s.controlHandler(base))})
		control = "http://" + ln.Addr().String()
	}

	trust := ""
	if o.tls {
		var remove func()
		endpoints[0].ln, trust, remove, err = o.encrypt(ln)
		if err != nil {
			return Error{fmt.Errorf("--tls: %w", err)}
		}
		defer remove()
	}

	if o.record != "" {
		file, err := createNew("record", o.record) // created last, so that no file remains if the service cannot start
		if err != nil {
			return err
		}
		defer file.Close() // the recorder has already reported any failed write
		s.record = newRecorder(file)
	}

	say(stdout, s.welcome(base, control, trust))
	lines := newPrinter(stdout)
	defer lines.close()
	s.out = lines
	return s.run(ctx, endpoints...)
}

func (o *options) scheme() string {
	if o.tls {
		return "https"
	}
	return "http"
}

// createNew creates the file at path, the value of a flag. Only the owner can read the file.
// createNew fails if the file exists, and its errors name the flag.
func createNew(flag, path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--%s: %s already exists; remove it, or choose another name", flag, path)
	}
	if err != nil {
		return nil, Error{fmt.Errorf("--%s: %w", flag, err)}
	}
	return file, nil
}

// listen listens on addr, the value of a flag. Its errors name the flag.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--%s %s: another program uses this port; choose another one, or let the system choose with --%s 127.0.0.1:0", flag, addr, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, addr, err)
	}
	return ln, nil
}

type endpoint struct {
	ln net.Listener
	h  http.Handler
}

// serve runs an HTTP server for e until ctx ends, and then aborts the requests in progress.
func (e endpoint) serve(ctx context.Context) error {
	server := &http.Server{
		Handler:           e.h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       idleTimeout,
		// The context of each request ends when ctx ends, so that a delayed response does not hold
		// up the shutdown.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	err := server.Serve(e.ln)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// run serves the endpoints until ctx ends or one of them fails, then waits until s has handled all
// requests.
func (s *simulator) run(ctx context.Context, endpoints ...endpoint) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error)
	for _, e := range endpoints {
		go func() { ended <- e.serve(ctx) }()
	}
	var failures []error
	for range endpoints {
		failures = append(failures, <-ended)
		cancel()
	}
	if err := errors.Join(append(failures, s.finish())...); err != nil {
		return Error{err}
	}
	return nil
}

// checkAddresses checks the addresses that lro serve listens on, and adds 127.0.0.1 to any without
// a host.
func (o *options) checkAddresses() error {
	var err error
	o.addr, err = o.checkAddress("addr", o.addr, "8089")
	if err != nil || o.control == "" {
		return err
	}
	o.control, err = o.checkAddress("control", o.control, "8090")
	return err
}

// checkAddress checks and returns addr, the value of a flag, adding 127.0.0.1 if addr has no host.
// It rejects an address that other machines can reach, unless --allow-remote is set. port is only
// an example for the error message.
func (o *options) checkAddress(flag, addr, port string) (string, error) {
	host, given, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("--%s %q: want HOST:PORT, such as 127.0.0.1:%s", flag, addr, port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	addr = net.JoinHostPort(host, given)
	if !isLoopback(host) && !o.allowRemote {
		return "", fmt.Errorf("--%s %s: other machines could reach this address; add --allow-remote if they should", flag, addr)
	}
	return addr, nil
}
