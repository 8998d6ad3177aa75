package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// begin asks for a widget.
func (c *Client) begin(ctx context.Context, name string, want widgets.Widget, opts *poller.Options) (*poller.Poller[widgets.Widget], error) {
	req, err := c.request(ctx, http.MethodPut, widgets.Collection+"/"+name, want)
	if err != nil {
		return nil, err
	}
	return poller.Begin[widgets.Widget](req, c.http, opts)
}

// Create asks for a widget and waits until it is there. The GET that reads it is
// the poller's. ctx may have a deadline and need not.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.begin(ctx, name, want, &c.opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
