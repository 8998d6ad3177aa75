// Package after contains the client from package before, ported to this module. The two packages
// have the same files. The ported client still takes azcore credentials, and Replace shows how to
// keep using a client that was generated for azcore.
package after

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// A Client manages widgets.
type Client struct {
	endpoint string
	http     *http.Client
	opts     poller.Options
}

// NewClient returns a client that uses a credential, such as one from azidentity. Nil options mean
// the defaults.
func NewClient(endpoint string, cred azcore.TokenCredential, sending *transport.Options, polling *poller.Options) *Client {
	c := &Client{endpoint: endpoint}
	var o transport.Options
	if sending != nil {
		o = *sending
	}
	o.Token = lroazcore.Token(cred, &lroazcore.TokenOptions{ // for Azure Resource Manager itself, nil options would do
		Scopes: map[string][]string{endpoint: {"https://management.azure.com/.default"}},
	})
	c.http = transport.NewClient(&o)
	if polling != nil {
		c.opts = *polling
	}
	return c
}

// request returns a request for a path of the service. A nil body means no body.
func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	u := c.endpoint + path + "?" + url.Values{"api-version": {widgets.APIVersion}}.Encode()
	if body == nil {
		return http.NewRequestWithContext(ctx, method, u, nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u, bytes.NewReader(text)) // with a bytes.Reader, net/http can send the request again
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}
