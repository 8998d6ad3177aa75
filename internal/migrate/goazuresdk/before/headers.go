package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/odata"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// onlyNew makes a PUT fail if the widget already exists.
type onlyNew struct{}

var _ client.Options = onlyNew{}

// ToHeaders implements client.Options.
func (onlyNew) ToHeaders() *client.Headers {
	h := &client.Headers{}
	h.Append("If-None-Match", "*")
	return h
}

// ToOData implements client.Options.
func (onlyNew) ToOData() *odata.Query { return &odata.Query{} }

// ToQuery implements client.Options.
func (onlyNew) ToQuery() *client.QueryParams { return &client.QueryParams{} }

// CreateFor creates a new widget for a tenant. As a side effect, every later request of the client
// names the tenant.
func (c *Client) CreateFor(ctx context.Context, tenant, name string, want widgets.Widget) (widgets.Widget, error) {
	c.AppendRequestMiddleware(func(r *http.Request) (*http.Request, error) {
		r.Header.Set("X-Widgets-Tenant", tenant)
		return r, nil
	})
	p, err := c.begin(ctx, name, want, onlyNew{})
	if err != nil {
		return widgets.Widget{}, err
	}
	if err := p.PollUntilDone(ctx); err != nil {
		return widgets.Widget{}, err
	}
	return c.Get(ctx, name)
}
