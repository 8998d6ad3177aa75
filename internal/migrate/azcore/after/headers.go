package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// CreateFor creates a widget for a tenant. Every request must name the tenant, so CreateFor sets
// Options.Header, which applies to every request that the poller sends, including the first one.
func (c *Client) CreateFor(ctx context.Context, tenant, name string, want widgets.Widget) (widgets.Widget, error) {
	req, err := c.request(ctx, http.MethodPut, widgets.Collection+"/"+name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	opts := c.opts
	opts.Header = http.Header{"X-Widgets-Tenant": {tenant}}
	p, err := poller.Begin[widgets.Widget](req, c.http, &opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
