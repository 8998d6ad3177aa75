package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// CreateFor creates a widget for a tenant, which every request names, the reads of
// the status included: what is in Options.Header goes with all that the poller
// sends, the first request too.
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
