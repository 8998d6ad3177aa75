package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// ready follows the operation with the default strategy and then waits until the widget is Running, because
// this service reports Succeeded too early.
var ready = poller.Confirm(nil, poller.Check{State: func(a strategy.Answer) poller.State {
	switch a.Text("/properties/resourceState") {
	case "Creating":
		return poller.InProgress
	case "Running":
		return poller.Succeeded
	}
	return poller.Failed
}})

// CreateReady creates a widget and waits until it is running.
func (c *Client) CreateReady(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.begin(ctx, name, want, &poller.Options{Strategy: ready})
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
