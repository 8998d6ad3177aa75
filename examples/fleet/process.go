package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// serveCommand is the argument of the second process; flags follow.
const serveCommand = "serve"

var errServiceEnded = errors.New("the service has ended")

// A report is what the service tells of itself, on its standard output, a line
// of JSON at a time.
type report struct {
	Origin                      string
	Requests, Faults, Throttled int64
	Open, Dialed                int64 // connections
	Memory                      memory
}

// A remote is the service in a process of its own.
type remote struct {
	origin string
	alive  context.Context // until its process ends
	last   atomic.Pointer[report]
	cmd    *exec.Cmd
	stdin  io.Closer
}

// startService starts the second process. It runs until stop, or until this
// process ends.
func startService(ctx context.Context, cfg config) (*remote, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, append([]string{serveCommand}, cfg.args()...)...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &remote{cmd: cmd, stdin: stdin}
	alive, died := context.WithCancel(context.Background())
	r.alive = alive
	reports := json.NewDecoder(stdout)
	if err := r.read(reports); err != nil {
		died()
		r.stop()
		return nil, fmt.Errorf("the service did not start: %w", err)
	}
	r.origin = r.last.Load().Origin
	go func() {
		defer died()
		for r.read(reports) == nil {
		}
	}()
	return r, nil
}

func (r *remote) read(reports *json.Decoder) error {
	var next report
	if err := reports.Decode(&next); err != nil {
		return err
	}
	r.last.Store(&next)
	return nil
}

// stats is the last report.
func (r *remote) stats() report { return *r.last.Load() }

// stop ends the process: it is told by the end of its standard input, as it is
// when we end without stop.
func (r *remote) stop() {
	r.stdin.Close()
	<-r.alive.Done()
	_ = r.cmd.Wait() // how it ends is no matter any more
}

// serve is the second process: a service on a free loopback port that reports on
// w until r ends.
func serve(ctx context.Context, cfg config, r io.Reader, w io.Writer) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	svc := newService(cfg)
	server := &http.Server{Handler: svc, ReadHeaderTimeout: 10 * time.Second, ConnState: svc.connection}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	defer server.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, r) // until it ends
		cancel()
	}()
	out := json.NewEncoder(w)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := out.Encode(svc.report("http://" + ln.Addr().String())); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *service) report(origin string) report {
	return report{
		Origin:   origin,
		Requests: s.requests.Load(), Faults: s.faults.Load(), Throttled: s.throttled.Load(),
		Open: s.open.Load(), Dialed: s.dialed.Load(),
		Memory: readMemory(),
	}
}

// connection counts them where they end, so that it does not matter who dials.
func (s *service) connection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
		s.dialed.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	}
}
