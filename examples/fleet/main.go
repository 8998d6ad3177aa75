// Fleet follows ten thousand long-running operations at once with one poller.Group,
// over real HTTP, and shows their progress:
//
//	cd examples/fleet && go run .
//
// The service is a second process of this program, so the memory shown includes only the operations
// and the client. Ctrl-C ends the wait. It does not end the operations, which could be resumed
// later.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// A config holds the values of the flags.
type config struct {
	n      int           // number of operations
	polls  int           // average number of status reads per operation
	pause  time.Duration // the pause between reads of a status; the service sends it as Retry-After
	faults float64       // fraction of reads that get a faulty response
}

func main() {
	var cfg config
	flag.IntVar(&cfg.n, "n", 10_000, "number of operations")
	flag.IntVar(&cfg.polls, "polls", 5, "average number of reads of each status")
	flag.DurationVar(&cfg.pause, "pause", 3*time.Second, "pause that the service asks for between two reads of a status")
	flag.Float64Var(&cfg.faults, "faults", 0.02, "fraction of reads that get a faulty response")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, cfg, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// command runs the fleet or, in the second process, the service.
func command(ctx context.Context, cfg config, args []string) error {
	switch {
	case len(args) == 1 && args[0] == serveCommand:
		signal.Ignore(os.Interrupt) // Ctrl-C reaches both processes; the first process will stop this one
		return serve(cfg, os.Stdin, os.Stdout)
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case cfg.n < 1 || cfg.polls < 1 || cfg.pause < time.Millisecond:
		return errors.New("-n and -polls must be at least 1, and -pause 1ms")
	case !(cfg.faults >= 0 && cfg.faults <= 0.5): // written this way to reject NaN, too
		return errors.New("-faults must be between 0 and 0.5")
	}
	return run(ctx, cfg, os.Stdout)
}

// run follows the fleet, and writes its progress and its outcome to w. It returns nil if ctx ends
// first.
func run(ctx context.Context, cfg config, w io.Writer) error {
	needed := time.Duration(cfg.polls)*cfg.pause + time.Duration(cfg.n)*5*time.Millisecond
	if _, err := fmt.Fprintf(w, "One poller.Group follows %s operations to their ends. Some fail, and %.0f%% of the reads\nget a faulty response. This takes about %s and at most %d MB of memory.\n\n",
		number(cfg.n), 100*cfg.faults, needed.Round(5*time.Second), 100+cfg.n/30); err != nil {
		return err
	}
	svc, err := startService(ctx, cfg)
	if err != nil {
		return err
	}
	defer svc.stop()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := newFleet(cfg, svc.origin)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.run(ctx)
	}()
	err = show(w, f, ended)
	stop()
	<-ended
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, summary(f.stats()))
	return err
}
