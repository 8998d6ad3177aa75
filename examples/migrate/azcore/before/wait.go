package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/migrate/widgets"
)

// BeginCreate asks for a widget.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) BeginCreate(ctx context.Context, name string, want widgets.Widget) (*runtime.Poller[widgets.Widget], error) {
	ctx = context.WithValue(ctx, runtime.CtxAPINameKey{}, "Client.BeginCreate") // azcore's fakes demand it
	req, err := c.request(ctx, http.MethodPut, widgets.Collection+"/"+name, want)
	if err != nil {
		return nil, err
	}
	resp, err := c.pl.Do(req)
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(resp, accepted...) {
		return nil, runtime.NewResponseError(resp)
	}
	return runtime.NewPoller[widgets.Widget](resp, c.pl, nil)
}

// Create asks for a widget and waits until it is there.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
