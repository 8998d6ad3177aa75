package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// CreateAndCancel creates a widget and cancels the operation. The options say how to cancel,
// because ARM defines no cancel request.
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
