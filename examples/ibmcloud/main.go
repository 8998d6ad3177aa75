// Ibmcloud follows the operations of IBM Cloud, against a service that answers after
// the API handbook and as IBM's own services do, over HTTP:
//
//	go run ./examples/ibmcloud
//
// An operation is followed by the operation resource of the handbook, succeeds, fails
// and is canceled; a VPC instance is created and deleted by its status; an instance of
// Resource Controller is canceled while it is created; and a database is scaled by a
// task.
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
		fmt.Fprintln(os.Stderr, "ibmcloud:", err)
		os.Exit(1)
	}
}

// A demo has what its parts share.
type demo struct {
	w      io.Writer
	client *http.Client
	origin string // of the service
}

func run(ctx context.Context, w io.Writer) error {
	origin, stop, err := startService(ctx)
	if err != nil {
		return err
	}
	defer stop()
	// The service would create a second resource if a POST were repeated after a lost response.
	client := transport.NewClient(&transport.Options{Policy: transport.IdempotentOnly})
	d := &demo{w: w, client: client, origin: origin}
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"An operation resource leads to the resource that it made", d.operation},
		{"An operation fails, with all its errors", d.fail},
		{"An operation is canceled by a DELETE", d.cancel},
		{"VPC: an instance tells its own status, until it is gone", d.vpc},
		{"Resource Controller: a creation is canceled", d.resourceController},
		{"Cloud Databases: a task", d.task},
	} {
		_, _ = fmt.Fprintf(w, "\n%s\n", part.title)
		if err := part.show(ctx); err != nil {
			return err
		}
	}
	return nil
}
