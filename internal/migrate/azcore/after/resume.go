package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// Begin starts the creation of a widget and returns a token with which any process can continue.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return "", err
	}
	return p.ResumeToken() // works in every state: the token of an operation that has ended contains the result or the error
}

// Resume waits for the operation that a token identifies, and returns its widget. It also accepts
// tokens from package before, so tokens that were stored before the move stay valid.
func (c *Client) Resume(ctx context.Context, token string) (widgets.Widget, error) {
	p, err := c.resume(token)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}

// resume resumes an operation from a token. It allows only the origin of the service, because a
// forged token could name any other origin.
func (c *Client) resume(token string) (*poller.Poller[widgets.Widget], error) {
	opts := c.opts
	opts.Origins = []string{c.endpoint}
	return poller.Resume[widgets.Widget](token, c.http, &opts)
}
