package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// CreateAndCancel changes its mind. How this service cancels is said in the
// options, because ARM knows no way.
func (c *Client) CreateAndCancel(ctx context.Context, name string, want widgets.Widget) error {
	opts := c.opts
	var p *poller.Poller[widgets.Widget]
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: p.URL()}, nil
	}
	p, err := c.begin(ctx, name, want, &opts)
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	_, err = p.PollUntilDone(ctx)
	return err
}
