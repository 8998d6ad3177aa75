package after

import (
	"context"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Watch creates a widget and shows the progress. The first status comes from the response that
// started the operation.
func (c *Client) Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) error {
	p, err := c.begin(ctx, name, want, &c.opts)
	if err != nil {
		return err
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return err
		}
		percent := 0.0
		if status.PercentComplete != nil {
			percent = *status.PercentComplete
		}
		show(status.Word, percent)
	}
	_, err = p.PollUntilDone(ctx)
	return err
}
