package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// BeginCreate starts the creation of a widget.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) BeginCreate(ctx context.Context, name string, want widgets.Widget) (*runtime.Poller[widgets.Widget], error) {
	req, err := c.put(ctx, name, want)
	if err != nil {
		return nil, err
	}
	resp, err := c.pl.Do(req)
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(resp, http.StatusOK, http.StatusCreated, http.StatusAccepted) {
		return nil, runtime.NewResponseError(resp)
	}
	return runtime.NewPoller[widgets.Widget](resp, c.pl, nil)
}

// Create creates a widget and waits for it.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
