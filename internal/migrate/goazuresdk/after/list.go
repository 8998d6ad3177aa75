package after

import (
	"context"
	"iter"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/pager"
)

// List yields all widgets. It reads one page at a time, and stops after an error.
func (c *Client) List(ctx context.Context) iter.Seq2[widgets.Widget, error] {
	req, err := c.request(ctx, http.MethodGet, widgets.Collection, nil)
	if err != nil {
		return func(yield func(widgets.Widget, error) bool) { yield(widgets.Widget{}, err) }
	}
	return pager.New[widgets.Widget](req, c.http, nil).All(ctx)
}

// ListComplete returns all widgets of the given size. An if statement takes the place of the
// Predicate in package before.
func (c *Client) ListComplete(ctx context.Context, size int) (items []widgets.Widget, err error) {
	for w, err := range c.List(ctx) {
		if err != nil {
			return items, err
		}
		if w.Properties.Size == size {
			items = append(items, w)
		}
	}
	return items, nil
}
