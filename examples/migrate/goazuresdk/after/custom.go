package after

import (
	"context"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// ready waits for a widget that says Succeeded before it is Running. What the
// operation tells is followed as ever, and confirmed by the widget.
var ready = &poller.Check{State: func(a poller.Answer) poller.State {
	switch a.Text("/properties/resourceState") {
	case "Creating":
		return poller.InProgress
	case "Running":
		return poller.Succeeded
	}
	return poller.Failed
}}

// CreateReady creates a widget and waits until it runs.
func (c *Client) CreateReady(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	opts := c.opts
	opts.Confirm = ready
	p, err := c.begin(ctx, name, want, &opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
