package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Delete deletes a widget and waits until the operation has ended.
func (c *Client) Delete(ctx context.Context, name string) error {
	return c.remove(ctx, name, &c.opts)
}

// DeleteSurely is like Delete, but also waits until a GET of the widget returns 404, as Delete in
// package before does.
func (c *Client) DeleteSurely(ctx context.Context, name string) error {
	opts := c.opts
	opts.Strategy = poller.Confirm(nil, poller.Check{})
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
