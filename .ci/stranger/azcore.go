package main

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

func createOnAzcore(ctx context.Context, service http.Handler, opts *poller.Options) (widget, error) {
	pl := runtime.NewPipeline("stranger", "v1.0.0", runtime.PipelineOptions{}, &policy.ClientOptions{Transport: fakes.Client(service)})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		return widget{}, err
	}
	p, err := poller.Begin[widget](req, lroazcore.Doer(pl), opts)
	if err != nil {
		return widget{}, lroazcore.ResponseError(err)
	}
	w, err := p.PollUntilDone(ctx)
	return w, lroazcore.ResponseError(err)
}
