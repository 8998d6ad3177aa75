// Quickstart starts a management service on this machine and follows its long-running operations
// over real HTTP:
//
//	go run ./examples/quickstart
//
// It creates four resources, one for each way in which an Azure service can report an operation's
// status. Then one operation fails, one is canceled, and one is resumed from its token. Finally,
// the program lists the resources, page by page.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// A demo holds what all parts of the demonstration share.
type demo struct {
	w      io.Writer
	client *http.Client
	origin string
}

// run runs all parts of the demonstration and prints their output to w.
func run(ctx context.Context, w io.Writer) error {
	server := httptest.NewServer(newService())
	defer server.Close()
	// For a real service, set Token in transport.Options.
	d := &demo{w: w, client: transport.NewClient(nil), origin: server.URL}
	d.printf("Seven operations and a listing, offline. This takes about 5 seconds.")
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"A resource created with each of the four strategies", d.createAll},
		{"An operation that fails", d.fail},
		{"An operation that is canceled", d.cancel},
		{"An operation that a second poller resumes", d.resume},
		{"A listing in pages", d.list},
	} {
		d.printf("\n%s", part.title)
		if err := part.show(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, format+"\n", args...) }

// A widget is a resource of the service, and the result of the operation that creates it.
type widget struct {
	Name       string
	Properties struct {
		Size              int
		ProvisioningState string
	}
}

func (w widget) String() string {
	return fmt.Sprintf("%s, size %d, %s", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
}

// options returns the options of every poller in this program. The Cadence shortens the pauses.
// Keep the default in production, because Azure limits the rate of requests for each subscription.
func options() *poller.Options {
	return &poller.Options{Cadence: poller.Cadence{Min: 50 * time.Millisecond}}
}

// begin sends a PUT that creates a widget.
func (d *demo) begin(ctx context.Context, name string, size int, opts *poller.Options) (*poller.Poller[widget], error) {
	body := strings.NewReader(fmt.Sprintf(`{"properties": {"size": %d}}`, size))
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, d.origin+widgets+"/"+name, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return poller.Begin[widget](req, d.client, opts)
}

// follow prints each status of an operation and returns its result. If you do not need to show
// progress, call PollUntilDone instead.
func (d *demo) follow(ctx context.Context, label string, p *poller.Poller[widget]) (widget, error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return widget{}, err
		}
		d.printf("  %-22s%s", label, status)
	}
	return p.PollUntilDone(ctx)
}
