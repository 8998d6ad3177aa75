// Controller is a Kubernetes controller for a resource whose operations take their
// time: a reconcile loop that never waits, and may be killed between any two of its
// requests.
//
//	cd examples/controller && go run .
//
// It needs no cluster: the demo runs the reconciler over controller-runtime's fake
// client, and over a management service of its own, and prints the conditions of
// its Widgets as they change. README.md has the rules that the reconciler keeps.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "controller:", err)
		os.Exit(1)
	}
}
