package before

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Begin starts the creation of a widget and returns a token with which another process can continue.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return "", err
	}
	return p.ResumeToken() // returns an error if the operation has already ended
}

// Resume waits for the operation that a token identifies, and returns its widget.
func (c *Client) Resume(ctx context.Context, token string) (widgets.Widget, error) {
	p, err := runtime.NewPollerFromResumeToken[widgets.Widget](token, c.pl, nil)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
