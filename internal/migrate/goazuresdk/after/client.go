// Package after contains the client of package before, converted to lro. Each file has a
// counterpart of the same name in package before. The credentials and the description of the cloud
// still come from go-azure-sdk.
package after

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"

	"github.com/lro-go/lro/transport"
)

// A Client manages widgets.
type Client struct {
	endpoint string
	http     *http.Client
}

// NewClient returns a client that authenticates with the authorizer, for example one from
// NewAzureCliAuthorizer.
func NewClient(api environments.Api, authorizer auth.Authorizer, opts transport.Options) (*Client, error) {
	endpoint, ok := api.Endpoint()
	if !ok {
		return nil, fmt.Errorf("%s has no endpoint in this cloud", api.Name())
	}
	opts.Authorize = func(req *http.Request) error { // called for each attempt; also sets auxiliary tokens
		return resourcemanager.AuthorizeResourceManagerRequest(req.Context(), req, authorizer)
	}
	return &Client{endpoint: *endpoint, http: transport.NewClient(&opts)}, nil
}
