package after

import (
	"context"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Begin asks for a widget and returns what the next process needs to go on.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return "", err
	}
	return p.ResumeToken() // in every state: one that has ended holds its result or its error
}

// Resume waits for the widget of a token, also of one that package before has
// made: those that were stored before the move are good after it.
func (c *Client) Resume(ctx context.Context, token string) (widgets.Widget, error) {
	p, err := c.resume(token)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}

// resume names the one origin that a token may lead to, because a forged token
// would vouch for itself.
func (c *Client) resume(token string) (*poller.Poller[widgets.Widget], error) {
	opts := c.opts
	opts.Origins = []string{c.endpoint}
	return poller.Resume[widgets.Widget](token, c.http, &opts)
}
