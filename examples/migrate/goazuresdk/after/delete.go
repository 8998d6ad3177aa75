package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Delete deletes a widget and waits until the operation has ended, well or not.
func (c *Client) Delete(ctx context.Context, name string) error {
	return c.remove(ctx, name, &c.opts)
}

// DeleteSurely waits in addition until a GET of the widget is answered 404, as
// package before does.
func (c *Client) DeleteSurely(ctx context.Context, name string) error {
	opts := c.opts
	opts.Confirm = &poller.Check{}
	return c.remove(ctx, name, &opts)
}

func (c *Client) remove(ctx context.Context, name string, opts *poller.Options) error {
	req, err := c.request(ctx, http.MethodDelete, widgets.Collection+"/"+name, nil)
	if err != nil {
		return err
	}
	p, err := poller.Begin[struct{}](req, c.http, opts)
	if err != nil {
		return err
	}
	_, err = p.PollUntilDone(ctx)
	return err
}
