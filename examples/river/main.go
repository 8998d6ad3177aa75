// River follows a hundred thousand long-running operations on any number of machines. It uses the
// job queue github.com/riverqueue/river. Like the queue's jobs, the operations are rows in
// PostgreSQL, so no operation is lost when a worker dies.
//
//	cd examples/river && ./run
//
// One kind of job starts an operation: see [BeginArgs]. A few jobs of another kind follow all
// operations: see [FollowArgs]. Each run of such a job reads the statuses of up to a hundred
// operations that are due, and stores the new tokens in one transaction. Between reads, an
// operation is only a row in a table and occupies no worker. To use this in your program, copy
// begin.go, follow.go, store.go and client.go.
//
// The program is one worker process. The tests start several worker processes and a service. The
// script ./run starts a temporary PostgreSQL for the tests.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := work(ctx, os.Stdin)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}
