package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Begin starts creating a widget and returns the token for the first call to Reconcile.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.begin(ctx, name, want, nil)
	if err != nil {
		return "", err
	}
	return p.ResumeToken()
}

// Reconcile makes the reads that are due: one of the operation's status, and one of the result once
// the operation has succeeded. If the operation failed, the error says why.
func (c *Client) Reconcile(ctx context.Context, token string) (poller.Step[widgets.Widget], error) {
	return poller.Advance[widgets.Widget](ctx, token, c.http, &poller.Options{
		Origins: []string{c.endpoint}, // required, so that a forged token cannot direct requests to another origin
	})
}
