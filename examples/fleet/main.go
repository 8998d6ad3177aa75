// Fleet follows ten thousand long-running operations at once, with one
// poller.Group, over real HTTP, and shows how they are getting on:
//
//	cd examples/fleet && go run .
//
// The service is a second process of the same program, so that the memory shown
// as ours is that of the operations, the client and the view. Ctrl-C ends the
// wait and tells how many operations could be resumed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// command is the program: the fleet or, in the second process, the service.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == serveCommand {
		cfg, err := parse(args[1:], os.Stderr)
		if err != nil {
			return err
		}
		signal.Ignore(os.Interrupt) // Ctrl-C is for the fleet, and reaches both
		return serve(context.WithoutCancel(ctx), cfg, os.Stdin, os.Stdout)
	}
	cfg, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	return run(ctx, cfg, os.Stdout)
}

// run follows the fleet and shows it on w, and then what came of it. It ends
// early when ctx does, which is no error.
func run(ctx context.Context, cfg config, w io.Writer) error {
	svc, err := startService(ctx, cfg)
	if err != nil {
		return err
	}
	defer svc.stop()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(svc.alive, func() { stop(errServiceEnded) })()

	f := newFleet(cfg, svc.origin)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.run(ctx)
	}()
	m := newMeter(f, svc.stats)
	err = show(w, m, ended, func() { stop(context.Canceled) })
	stop(nil)
	<-ended
	if err == nil {
		_, err = io.WriteString(w, summary(m.sample()))
	}
	if cause := context.Cause(ctx); errors.Is(cause, errServiceEnded) {
		return cause
	}
	return err
}
