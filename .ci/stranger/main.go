// Stranger is a program that uses lro as a user's program would. The script .ci/release builds it
// outside the repository, against the published modules.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

type widget struct {
	Name       string `json:"name"`
	Properties struct {
		ProvisioningState string `json:"provisioningState"`
	} `json:"properties"`
}

func main() {
	fast := &poller.Options{Cadence: poller.Cadence{Default: time.Millisecond}}
	w, err := create(context.Background(), &fakes.Service{}, fast)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("created", w.Name)
}

// create creates a widget and records OpenTelemetry spans for the operation.
func create(ctx context.Context, service http.Handler, opts *poller.Options) (widget, error) {
	tel := lrotel.NewTelemetry(nil)
	client := tel.Client(&transport.Options{Base: &fakes.Transport{Handler: service}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		return widget{}, err
	}
	op, err := lrotel.Begin[widget](tel, "create widget", req, client, opts)
	if err != nil {
		return widget{}, err
	}
	return op.PollUntilDone(ctx)
}
