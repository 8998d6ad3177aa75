package after

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/pager"
)

// List returns a pager that lists the widgets.
func (c *Client) List(ctx context.Context) (*pager.Pager[widgets.Widget], error) {
	req, err := c.request(ctx, http.MethodGet, widgets.Collection, nil)
	if err != nil {
		return nil, err
	}
	return pager.New[widgets.Widget](req, c.http, nil), nil
}

// Names returns the names of the widgets.
func (c *Client) Names(ctx context.Context) (names []string, err error) {
	all, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	for w, err := range all.All(ctx) {
		if err != nil {
			return names, err
		}
		names = append(names, w.Name)
	}
	return names, nil
}
