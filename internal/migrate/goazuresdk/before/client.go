// Package before contains a client for widgets that uses hashicorp/go-azure-sdk. It resembles the
// code that go-azure-sdk's generator writes, and the code of a Terraform provider. Package after
// contains the same client, converted to lro. The two packages have the same files.
package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Client manages widgets.
type Client struct{ *resourcemanager.Client }

// NewClient returns a client that authenticates with the authorizer, for example one from
// NewAzureCliAuthorizer.
func NewClient(api environments.Api, authorizer auth.Authorizer) (*Client, error) {
	c, err := resourcemanager.NewClient(api, "widgets", widgets.APIVersion)
	if err != nil {
		return nil, err
	}
	c.SetAuthorizer(authorizer)
	return &Client{c}, nil
}

func (c *Client) request(ctx context.Context, method, name string) (*client.Request, error) {
	return c.NewRequest(ctx, client.RequestOptions{
		ContentType:         "application/json; charset=utf-8",
		ExpectedStatusCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted},
		HttpMethod:          method,
		Path:                widgets.Collection + "/" + name,
	})
}

// Get reads a widget.
func (c *Client) Get(ctx context.Context, name string) (w widgets.Widget, err error) {
	req, err := c.request(ctx, http.MethodGet, name)
	if err != nil {
		return w, err
	}
	resp, err := req.Execute(ctx)
	if err != nil {
		return w, err
	}
	return w, resp.Unmarshal(&w)
}
