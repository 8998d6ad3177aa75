package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// A demo has what its parts share.
type demo struct {
	*surroundings
	w         io.Writer
	client    *management.Client // through our transport
	pl        runtime.Pipeline
	piped     *management.Client // through pl
	onAccount management.StorageAccount
}

func newDemo(in *surroundings, w io.Writer) (*demo, error) {
	pl, err := in.pipeline()
	if err != nil {
		return nil, err
	}
	opts := &management.Options{Endpoint: in.endpoint, Poller: in.poller}
	client, err := management.New(in.subscription, in.client(), opts)
	if err != nil {
		return nil, err
	}
	piped, err := management.New(in.subscription, lroazcore.Doer(pl), opts)
	if err != nil {
		return nil, err
	}
	return &demo{
		surroundings: in, w: w, client: client, pl: pl, piped: piped,
		onAccount: management.StorageAccount{
			Location: in.location, Kind: "StorageV2", SKU: &management.SKU{Name: "Standard_LRS"},
			Properties: &management.StorageAccountProperties{AllowBlobPublicAccess: new(false), MinimumTLSVersion: "TLS1_2"},
		},
	}, nil
}

func (d *demo) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, format+"\n", args...) }

// numbered is the name of the nth account.
func (d *demo) numbered(n int) string { return fmt.Sprintf("%s%d", d.account, n) }

// follow shows the progress of an operation and returns its result. PollUntilDone
// alone does the same without the progress.
func follow[T any](ctx context.Context, d *demo, p *poller.Poller[T]) (T, error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			var zero T
			return zero, err
		}
		d.printf("  %s", status)
	}
	return p.PollUntilDone(ctx)
}

// put sends a PUT of an account as a client generated for azcore does. That its answer
// may have begun an operation is the caller's to see to.
func (d *demo) put(ctx context.Context, name string) (*http.Response, error) {
	url := fmt.Sprintf("%s/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Storage/storageAccounts/%s?api-version=2025-01-01",
		d.endpoint, d.subscription, d.group, name)
	req, err := runtime.NewRequest(ctx, http.MethodPut, url)
	if err != nil {
		return nil, err
	}
	if err := runtime.MarshalAsJSON(req, d.onAccount); err != nil {
		return nil, err
	}
	return d.pl.Do(req)
}
