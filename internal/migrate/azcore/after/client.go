// Package after contains the client of package before, converted to lro. The two packages have the
// same files. The client still takes azcore's credentials. Replace shows how to keep a client
// generated for azcore.
package after

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// A Client manages widgets.
type Client struct {
	endpoint string
	http     *http.Client
}

// NewClient returns a client that authenticates with cred, for example a credential from
// azidentity.
func NewClient(endpoint string, cred azcore.TokenCredential, opts transport.Options) *Client {
	opts.Token = lroazcore.Token(cred, &lroazcore.TokenOptions{ // for Azure Resource Manager itself, nil options would do
		Scopes: map[string][]string{endpoint: {"https://management.azure.com/.default"}},
	})
	return &Client{endpoint: endpoint, http: transport.NewClient(&opts)}
}
