package before

import (
	"context"
	"strings"
	"time"

	"github.com/lro-go/lro/examples/migrate/widgets"
)

// A Step is what one turn of a reconciler found out.
type Step struct {
	After  time.Duration   // how long until the next turn
	Failed bool            // for good; the resource does not say why
	Widget *widgets.Widget // once it is there
}

// Begin asks for a widget. The poller is dropped: it cannot be stored, and one
// read of it cannot be asked for.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) error {
	_, err := c.create(ctx, name, want, nil)
	return err
}

// Reconcile reads the resource once, because nothing is left of the operation.
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
