package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Watch creates a widget and shows the progress. This works with any strategy. The first status
// comes from the response to the request that started the operation.
func (c *Client) Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) (widgets.Widget, error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return widgets.Widget{}, err
		}
		percent := 0.0
		if status.PercentComplete != nil {
			percent = *status.PercentComplete
		}
		show(status.Word, percent)
	}
	return p.PollUntilDone(ctx)
}
