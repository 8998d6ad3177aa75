// Migrate has clients of one service three times over: on azcore, on
// hashicorp/go-azure-sdk, and on this module. It runs what they do in pairs, before
// and after the move, each against a service of its own that it starts on this
// machine, and shows what came of it and what was sent:
//
//	cd examples/migrate && go run .
//
// The clients are in azcore/before and azcore/after, and in goazuresdk/before and
// goazuresdk/after, file by file. docs/from-azcore.md and docs/from-go-azure-sdk.md
// go through them name by name.
//
// In watch/before and watch/after are waits with terraform-plugin-sdk's StateChangeConf, a
// waiter of aws-sdk-go-v2 and apimachinery's package wait, and what takes their place here.
// Its test compares them; docs/watch.md maps the options.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"text/tabwriter"
)

func main() {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request there
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "migrate:", err)
		os.Exit(1)
	}
}

// run plays all pairs and shows them on w. It ends early when ctx does.
func run(ctx context.Context, w io.Writer) error {
	for _, part := range []struct {
		title string
		pairs []pair
	}{{"azcore", fromAzcore}, {"go-azure-sdk", fromGoAzureSDK}} {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintf(table, "%s\tbefore\tafter\trequests\n", part.title) // Flush tells what went wrong
		for _, p := range part.pairs {
			before, after, err := p.play(ctx)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", p.name, short(before.outcome), short(after.outcome), compare(before, after))
		}
		_, _ = fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
		for _, p := range part.pairs {
			if p.differs != "" {
				_, _ = fmt.Fprintf(w, "  %s: %s\n", p.name, p.differs)
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// short is as much of a text as a column has room for.
func short(text string) string {
	const room = 46
	if r := []rune(text); len(r) > room {
		return string(r[:room-1]) + "…"
	}
	return text
}
