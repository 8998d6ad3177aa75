package after

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Follow follows an operation that a client generated for azcore begins. The
// client stays as it is: its Poller is left alone, and its response is taken.
//
//	widget, err := after.Follow(ctx, pipeline, func(ctx context.Context) error {
//		_, err := client.BeginCreateOrUpdate(ctx, group, name, parameters, nil)
//		return err
//	}, nil)
func Follow(ctx context.Context, pl runtime.Pipeline, begin func(context.Context) error, opts *poller.Options) (widgets.Widget, error) {
	var resp *http.Response
	if err := begin(policy.WithCaptureResponse(ctx, &resp)); err != nil {
		return widgets.Widget{}, err
	}
	p, err := poller.New[widgets.Widget](resp, Pipeline(pl), opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}

// Pipeline lets a pipeline send what a poller asks, with its policies: credentials,
// retries, logs and traces stay as they are.
func Pipeline(pl runtime.Pipeline) poller.Doer { return pipeline{pl} }

type pipeline struct{ runtime.Pipeline }

// Do implements [poller.Doer].
func (pl pipeline) Do(req *http.Request) (*http.Response, error) {
	wrapped, err := runtime.NewRequestFromRequest(req)
	if err != nil {
		return nil, err
	}
	return pl.Pipeline.Do(wrapped)
}
