// River follows a hundred thousand long-running operations from as many machines
// as one likes: each is a job of River, in PostgreSQL, and a worker that dies
// loses none of them.
//
//	cd examples/river && ./run
//
// An operation is begun by a job that holds its request, see [BeginArgs], and
// followed by one that holds its token, see [FollowArgs]: each run of that reads
// the status once and puts the job off until the next read is due. So a waiting
// operation is a row in a table, and costs no worker anything. These two, with
// finish and newClient, are what to copy.
//
// The rest is the demonstration: a service, two processes of workers, and the
// SIGKILL that ends one of them midway. The script run starts a PostgreSQL of its
// own for that; with DATABASE_URL, go run . takes another one.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}

// command is the program: the demonstration or, in the processes that it starts,
// the workers.
func command(ctx context.Context, args []string, w io.Writer) error {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		return errors.New("DATABASE_URL does not say where PostgreSQL is; ./run starts one")
	}
	if len(args) > 0 && args[0] == workCommand {
		cfg, err := parse(args[1:], os.Stderr)
		if err != nil {
			return err
		}
		return work(ctx, url, cfg, os.Stdin)
	}
	if len(args) > 0 && args[0] == "demo" {
		args = args[1:]
	}
	cfg, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	return inScratch(ctx, url, func(url string) error { return demo(ctx, url, cfg, w) })
}
