package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// CreateFor creates a widget for a tenant. Every request must name the tenant, so BeginCreate and
// PollUntilDone both get a context that adds the header to their requests.
func (c *Client) CreateFor(ctx context.Context, tenant, name string, want widgets.Widget) (widgets.Widget, error) {
	ctx = policy.WithHTTPHeader(ctx, http.Header{"X-Widgets-Tenant": {tenant}})
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
