package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Reconcile reads the status of an operation once, if a read is due, and its result once the
// operation has succeeded. Between turns, the caller needs to store only the token of the Step.
func (c *Client) Reconcile(ctx context.Context, token string) (poller.Step[widgets.Widget], error) {
	opts := c.opts
	opts.Origins = []string{c.endpoint} // a forged token could name any other origin
	return poller.Advance[widgets.Widget](ctx, token, c.http, &opts)
}
