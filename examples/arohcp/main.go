// Arohcp follows the operations of Azure Red Hat OpenShift with hosted control
// planes, against a service that answers as the real frontend does, over HTTP:
//
//	go run ./examples/arohcp
//
// It creates a cluster and is woken by the service's notification, changes it, lets
// a creation fail, cancels one, supersedes one by its deletion, and shows what
// another identity is told.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

// A demo has what its parts share.
type demo struct {
	w        io.Writer
	client   *http.Client
	origin   string // of the service
	receiver *receiver
}

func run(ctx context.Context, w io.Writer) error {
	receiver := &receiver{wake: map[string]func(){}}
	notifications, stopReceiver, err := serve(ctx, receiver)
	if err != nil {
		return err
	}
	defer stopReceiver()
	receiver.origin = notifications
	svc := newService()
	defer svc.Close()
	origin, stop, err := serve(ctx, svc)
	if err != nil {
		return err
	}
	defer stop()
	d := &demo{w: w, client: transport.NewClient(nil), origin: origin, receiver: receiver}
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"A cluster is created; a notification tells that it is there", d.create},
		{"It is changed", d.update},
		{"A creation fails", d.fail},
		{"A creation is canceled, by the request that this service has for it", d.cancel},
		{"A creation is superseded by the deletion of its cluster", d.supersede},
		{"Another identity asks", d.stranger},
	} {
		_, _ = fmt.Fprintf(w, "\n%s\n", part.title)
		if err := part.show(ctx); err != nil {
			return err
		}
	}
	return nil
}
