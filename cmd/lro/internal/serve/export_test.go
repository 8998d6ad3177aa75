package serve

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/spf13/cobra"
)

// Handler returns a simulator without a listener, for tests in a synctest bubble. If record is not
// nil, the simulator writes its recording to it.
func Handler(log, record io.Writer, args ...string) (http.Handler, error) {
	_, s, err := parse(log, args)
	if err == nil && record != nil {
		s.record = newRecorder(record)
	}
	return s, err
}

// Run serves on ln until ctx ends, for tests in a synctest bubble.
func Run(ctx context.Context, ln net.Listener, args ...string) error {
	o, s, err := parse(io.Discard, args)
	if err != nil {
		return err
	}
	return s.run(ctx, endpoint{ln, s.guard(o.allowRemote, s)})
}

// RunControl serves the control interface on ln until ctx ends.
func RunControl(ctx context.Context, ln net.Listener, args ...string) error {
	_, s, err := parse(io.Discard, append([]string{"--control=127.0.0.1:8090"}, args...))
	if err != nil {
		return err
	}
	return s.run(ctx, endpoint{ln, s.guard(false, s.controlHandler(""))})
}

func parse(log io.Writer, args []string) (*options, *simulator, error) {
	o, cmd := &options{}, &cobra.Command{}
	o.flags(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return nil, nil, err
	}
	s, err := newSimulator(o, log)
	return o, s, err
}

// Selections returns the flags for each style with each of its strategies.
func Selections() (all [][]string) {
	for _, s := range styles {
		for _, way := range s.strategies {
			flags := []string{"--style=" + s.name}
			if way.name != "" {
				flags = append(flags, "--strategy="+way.name)
			}
			all = append(all, flags)
		}
	}
	return all
}

// Controlled returns a simulator and its control interface, both without a listener, for tests in a
// synctest bubble.
func Controlled(log io.Writer, args ...string) (service, controls http.Handler, err error) {
	_, s, err := parse(log, append([]string{"--control=127.0.0.1:8090"}, args...))
	if err != nil {
		return nil, nil, err
	}
	return s, s.guard(false, s.controlHandler("http://127.0.0.1:8089")), nil
}

// Resettable returns a simulator that writes its recording to record, and a function that resets
// the simulator.
func Resettable(record io.Writer) (http.Handler, func() error, error) {
	_, s, err := parse(io.Discard, []string{"--control=127.0.0.1:8090"})
	if err != nil {
		return nil, nil, err
	}
	s.record = newRecorder(record)
	return s, s.Reset, nil
}
