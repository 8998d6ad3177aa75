// Package before contains a client for widgets that uses hashicorp/go-azure-sdk. It is written the
// way the generator of go-azure-sdk and a Terraform provider would write it. Package after contains
// the same client, ported to this module. The two packages have the same files, so you can compare
// them one by one:
//
//	diff -u goazuresdk/before/wait.go goazuresdk/after/wait.go
package before

import (
	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Client manages widgets.
type Client struct{ *resourcemanager.Client }

// NewClient returns a client that uses a credential, such as one from NewAzureCliAuthorizer.
func NewClient(api environments.Api, authorizer auth.Authorizer) (*Client, error) {
	c, err := resourcemanager.NewClient(api, "widgets", widgets.APIVersion)
	if err != nil {
		return nil, err
	}
	c.SetAuthorizer(authorizer)
	return &Client{c}, nil
}
