package before

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Watch creates a widget and shows the progress.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) (widgets.Widget, error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	for !p.Done() {
		resp, err := p.Poll(ctx)
		if err != nil {
			return widgets.Widget{}, err
		}
		var doc struct { // the status document of Azure-AsyncOperation; other protocols have a different document or none
			Status          string
			PercentComplete float64
		}
		if err := runtime.UnmarshalAsJSON(resp, &doc); err != nil {
			return widgets.Widget{}, err
		}
		show(doc.Status, doc.PercentComplete)
		if p.Done() {
			break
		}
		select {
		case <-time.After(pause(resp)):
		case <-ctx.Done():
			return widgets.Widget{}, ctx.Err()
		}
	}
	return p.Result(ctx)
}
