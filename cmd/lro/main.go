// Lro starts, follows, resumes and cancels long-running operations. It shows the progress and
// finally prints the result as JSON, or an error as a tree on a terminal and as JSON otherwise. It
// also simulates a service (lro serve) and checks whether a service follows its specification (lro
// check).
//
//	cd cmd/lro && go install .   # in a clone of the repository
//	lro demo
//
// Ctrl-C stops the wait but not the operation: lro writes a resume token to a file and prints the
// command that resumes the wait. docs/tool.md shows example sessions.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/lro-go/lro/cmd/lro/internal/output"
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(output.StopError{Text: "stopped by a signal: " + (<-signals).String(), Err: context.Canceled})
		<-signals
		os.Exit(output.ExitNow)
	}()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop(nil)
	os.Exit(code)
}
