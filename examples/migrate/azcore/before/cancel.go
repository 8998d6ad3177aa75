package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/migrate/widgets"
)

// CreateAndCancel changes its mind. A Poller does not tell the URL it polls, so
// that is taken from the response which began the operation.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) CreateAndCancel(ctx context.Context, name string, want widgets.Widget) error {
	var begun *http.Response
	p, err := c.BeginCreate(policy.WithCaptureResponse(ctx, &begun), name, want)
	if err != nil {
		return err
	}
	req, err := runtime.NewRequest(ctx, http.MethodDelete, begun.Header.Get("Azure-AsyncOperation"))
	if err != nil {
		return err
	}
	resp, err := c.pl.Do(req)
	if err != nil {
		return err
	}
	if !runtime.HasStatusCode(resp, accepted...) {
		return runtime.NewResponseError(resp)
	}
	_, err = p.PollUntilDone(ctx, nil)
	return err
}
