package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// begin starts the creation of a widget.
func (c *Client) begin(ctx context.Context, name string, want widgets.Widget, opts *poller.Options) (*poller.Poller[widgets.Widget], error) {
	req, err := widgets.NewPut(ctx, c.endpoint, name, want)
	if err != nil {
		return nil, err
	}
	return poller.Begin[widgets.Widget](req, c.http, opts)
}

// Create creates a widget and waits for it. It needs no GET of its own, because the poller reads
// the widget. ctx needs no deadline.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.begin(ctx, name, want, nil)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
