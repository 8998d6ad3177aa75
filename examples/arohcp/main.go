// Arohcp follows operations of Azure Red Hat OpenShift with hosted control planes (ARO-HCP). It
// sends HTTP requests to a local service that responds like the ARO-HCP frontend:
//
//	go run ./examples/arohcp
//
// The program creates a cluster, receives a notification when the cluster exists, and then changes
// the cluster. Finally, it shows a creation that fails, a creation that is canceled by a deletion,
// and an attempt to read another identity's operation.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"

	"github.com/lro-go/lro/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "arohcp:", err)
		os.Exit(1)
	}
}

// A demo holds what the parts of this program share.
type demo struct {
	w        io.Writer
	client   *http.Client
	origin   string // the service's origin
	receiver *receiver
}

// run runs all parts of the demonstration and prints their output to w.
func run(ctx context.Context, w io.Writer) error {
	_, _ = fmt.Fprintln(w, "Operations of ARO-HCP, offline. This takes about a second.")
	receiver := &receiver{}
	notifications := httptest.NewServer(receiver)
	defer notifications.Close()
	svc := newService()
	defer svc.Close()
	server := httptest.NewServer(svc)
	defer server.Close()
	receiver.uri = notifications.URL + "/created"
	d := &demo{w: w, client: transport.NewClient(nil), origin: server.URL, receiver: receiver}
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"A cluster is created; a notification wakes the poller", d.create},
		{"The cluster is changed", d.update},
		{"A creation fails", d.fail},
		{"A creation is canceled by a deletion", d.cancel},
		{"Another identity reads the status", d.stranger},
	} {
		_, _ = fmt.Fprintf(w, "\n%s\n", part.title)
		if err := part.show(ctx); err != nil {
			return err
		}
	}
	return nil
}
