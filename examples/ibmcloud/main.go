// Ibmcloud follows the operations of a simulated IBM Cloud service over HTTP. The service behaves
// as IBM's API handbook requires and as IBM's own services do.
//
//	go run ./examples/ibmcloud
//
// First, the program follows three operations that have an operation resource, as the handbook
// describes: one succeeds, one fails and one is canceled. Then it creates and deletes a VPC
// instance, cancels the creation of a Resource Controller instance, and follows a database task.
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
		fmt.Fprintln(os.Stderr, "ibmcloud:", err)
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
	_, _ = fmt.Fprintln(w, "Operations of IBM Cloud, offline. This takes about a second.")
	server := httptest.NewServer(newService())
	defer server.Close()
	// Do not repeat a POST that may have taken effect, because a second POST would create a second
	// resource.
	client := transport.NewClient(&transport.Options{Policy: transport.IdempotentOnly})
	d := &demo{w: w, client: client, origin: server.URL}
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"An operation resource leads to the new resource", d.operation},
		{"An operation fails with several errors", d.fail},
		{"A DELETE cancels an operation", d.cancel},
		{"VPC: an instance has a status of its own until it is deleted", d.vpc},
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
