package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// CreateAndCancel creates a widget and cancels the operation. A Poller does not expose the URL it
// polls, so CreateAndCancel takes the URL from the response to the request that started the
// operation.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) CreateAndCancel(ctx context.Context, name string, want widgets.Widget) error {
	var started *http.Response
	p, err := c.BeginCreate(policy.WithCaptureResponse(ctx, &started), name, want)
	if err != nil {
		return err
	}
	req, err := runtime.NewRequest(ctx, http.MethodDelete, started.Header.Get("Azure-AsyncOperation"))
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
