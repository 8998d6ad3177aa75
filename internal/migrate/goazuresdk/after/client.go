// Package after contains the client from package before, ported to this module. The two packages
// have the same files. The ported client still takes go-azure-sdk's credentials and its description
// of the cloud.
package after

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A Client manages widgets.
type Client struct {
	BusyPause time.Duration // how long Resize waits before it retries while the service is busy; 0 means 30 s

	endpoint string
	http     *http.Client
	opts     poller.Options
}

// NewClient returns a client that uses a credential, such as one from NewAzureCliAuthorizer. Nil
// options mean the defaults.
func NewClient(api environments.Api, authorizer auth.Authorizer, sending *transport.Options, polling *poller.Options) (*Client, error) {
	endpoint, ok := api.Endpoint()
	if !ok {
		return nil, fmt.Errorf("%s has no endpoint in this cloud", api.Name())
	}
	c := &Client{endpoint: *endpoint}
	var o transport.Options
	if sending != nil {
		o = *sending
	}
	o.Authorize = func(req *http.Request) error { // called for each attempt; also sets auxiliary tokens
		return resourcemanager.AuthorizeResourceManagerRequest(req.Context(), req, authorizer)
	}
	c.http = transport.NewClient(&o)
	if polling != nil {
		c.opts = *polling
	}
	return c, nil
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
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	return req, nil
}
