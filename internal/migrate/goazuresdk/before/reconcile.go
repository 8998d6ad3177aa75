package before

import (
	"context"
	"strings"
	"time"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Step is the result of one call to Reconcile.
type Step struct {
	After  time.Duration   // the pause before the next call
	Failed bool            // whether the operation failed or was canceled; the resource does not say why
	Widget *widgets.Widget // nil until the widget has been created
}

// Begin starts creating a widget. It creates no poller, because a go-azure-sdk poller cannot be
// stored or used for a single read.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) error {
	_, err := c.put(ctx, name, want)
	return err
}

// Reconcile reads the resource once. Without a poller, it cannot read the operation's status.
func (c *Client) Reconcile(ctx context.Context, name string) (Step, error) {
	w, err := c.Get(ctx, name)
	if err != nil {
		return Step{After: 10 * time.Second}, err
	}
	switch strings.ToLower(w.Properties.ProvisioningState) {
	case "", "succeeded":
		return Step{Widget: &w}, nil
	case "failed", "canceled":
		return Step{Failed: true}, nil
	}
	return Step{After: 10 * time.Second}, nil
}
