package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// put sends the request that creates a widget.
func (c *Client) put(ctx context.Context, name string, want widgets.Widget) (*client.Response, error) {
	req, err := c.request(ctx, http.MethodPut, name)
	if err != nil {
		return nil, err
	}
	if err := req.Marshal(want); err != nil {
		return nil, err
	}
	return req.Execute(ctx)
}

// CreateThenPoll creates a widget and waits until the operation ends. ctx must have a deadline.
func (c *Client) CreateThenPoll(ctx context.Context, name string, want widgets.Widget) error {
	resp, err := c.put(ctx, name, want)
	if err != nil {
		return err
	}
	p, err := resourcemanager.PollerFromResponse(resp, c.Client)
	if err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}

// Create creates a widget, waits, and reads the widget with a GET, because the poller's result is
// only the status document.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	if err := c.CreateThenPoll(ctx, name, want); err != nil {
		return widgets.Widget{}, err
	}
	return c.Get(ctx, name)
}
