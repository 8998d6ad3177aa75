// Quickstart follows long-running operations over real HTTP, against a
// management service that it starts on this machine:
//
//	go run ./examples/quickstart
//
// It creates a resource in each of the four ways in which a service tells how
// an operation is getting on, lets one operation fail, cancels one, takes one up
// again from its resume token, and lists what there is then, in pages.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/lro-go/lro/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", explain(err))
		os.Exit(1)
	}
}

// run shows everything on w. It ends early when ctx does.
func run(ctx context.Context, w io.Writer) error {
	origin, stop, err := startService(ctx)
	if err != nil {
		return err
	}
	defer stop()

	d := &demo{
		// A real service wants credentials: see Token in transport.Options.
		client: transport.NewClient(nil),
		origin: origin,
		screen: newScreen(w),
	}
	d.screen.printf("A management service listens on %s.\n", origin)
	parts := []struct {
		title string
		show  func(context.Context) error
	}{
		{"A resource created in each of the four ways", d.createAll},
		{"An operation that fails", d.fail},
		{"An operation that is canceled", d.cancel},
		{"An operation taken up by a second poller", d.resume},
		{"A listing in pages", d.list},
	}
	for _, part := range parts {
		d.screen.printf("\n%s\n", part.title)
		if err := part.show(ctx); err != nil {
			return err
		}
	}
	return d.screen.err
}
