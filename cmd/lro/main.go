// Lro is a command that follows long-running operations: it begins one, shows
// how it is getting on, and prints its result as JSON or its error as a tree.
//
//	cd cmd/lro && go run . demo
//
// Ctrl-C ends the wait and not the operation: a resume token is written to a
// file, and the command to go on with is printed. README.md has the verbs and
// the exit codes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(fmt.Errorf("%w by a signal: %s", context.Canceled, <-signals))
		<-signals
		os.Exit(exitNow) // whoever asks twice does not want to wait for anything
	}()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop(nil)
	os.Exit(code)
}
