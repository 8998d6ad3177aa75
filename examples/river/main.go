// River follows ten thousand long-running operations from any number of machines. Each operation is
// a River job in PostgreSQL, so no operation is lost when a worker dies.
//
//	cd examples/river && ./run
//
// One job starts an operation; see [BeginArgs]. Another follows it; see [FollowArgs]. Each of its
// runs reads the status once and puts the job off until the next read is due, so a waiting
// operation is a row in a table and occupies no worker. Copy begin.go, follow.go and client.go.
//
// The other files are the demonstration. The script ./run starts a temporary PostgreSQL for it. To
// use another server, set DATABASE_URL to an empty database and call go run .
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	n := flag.Int("n", 10_000, "number of operations")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, flag.Args(), *n, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}

// command runs the demonstration or, in the processes that it starts, the workers.
func command(ctx context.Context, args []string, n int, w io.Writer) error {
	cfg := config{URL: os.Getenv("DATABASE_URL"), Duration: time.Minute, Pause: 20 * time.Second, Timeout: 9 * time.Second}
	switch {
	case len(args) > 0 && args[0] == workCommand:
		return work(ctx, os.Stdin)
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case n < 1:
		return errors.New("-n must be at least 1")
	case cfg.URL == "":
		return errors.New("set DATABASE_URL to an empty PostgreSQL database, or call ./run, which starts PostgreSQL")
	}
	return demo(ctx, cfg, n, w)
}
