package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// BeginCreate starts the creation of a widget.
func (c *Client) BeginCreate(ctx context.Context, name string, want widgets.Widget) (*poller.Poller[widgets.Widget], error) {
	req, err := widgets.NewPut(ctx, c.endpoint, name, want)
	if err != nil {
		return nil, err
	}
	return poller.Begin[widgets.Widget](req, c.http, nil)
}

// Create creates a widget and waits for it.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
