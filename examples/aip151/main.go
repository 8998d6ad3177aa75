// Aip151 shows how to write a strategy for another protocol: Google's long-running
// operations, AIP-151. It follows three operations of a service that it starts itself:
//
//	go run ./examples/aip151
//
// The strategy is in operation.go. The poller handles cadence, patience, origins, tokens and
// errors, as it does for its own strategies.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/lro-go/lro/poller"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "aip151:", err)
		os.Exit(1)
	}
}

type book struct{ Title string }

// run asks the service to print three books, one after the other, and writes the progress to w.
func run(ctx context.Context, w io.Writer) error {
	_, _ = fmt.Fprint(w, "Three operations of AIP-151, offline. This takes less than a second.\n\n")
	server := httptest.NewServer(newService())
	defer server.Close()
	for _, title := range []string{"Middlemarch", "lost", "endless"} {
		if err := follow(ctx, w, server, title); err != nil {
			return err
		}
	}
	return nil
}

// follow starts the printing of a book and follows the operation. The operation for "endless" would
// never end, so follow cancels it.
func follow(ctx context.Context, w io.Writer, server *httptest.Server, title string) error {
	show := func(what ...any) { _, _ = fmt.Fprintln(w, what...) }
	show(title)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/books/"+title, nil)
	if err != nil {
		return err
	}
	p, err := poller.Begin[book](req, server.Client(), &poller.Options{
		Strategy: Operation{Base: "/v1/"},
		Cadence:  poller.Cadence{Default: 20 * time.Millisecond, Min: 20 * time.Millisecond}, // short pauses, to keep the demonstration short
	})
	if err != nil {
		return err
	}
	if title == "endless" {
		if err := p.Cancel(ctx); err != nil {
			return err
		}
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return err
		}
		show(" ", status)
	}
	b, err := p.PollUntilDone(ctx)
	if err != nil {
		show("  error:", err)
		return nil
	}
	show("  result:", b.Title)
	return nil
}
