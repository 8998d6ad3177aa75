// Package after has the client of package before, file by file, on this module.
// What is left of go-azure-sdk is the credential and the name of the cloud.
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

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A Client manages widgets.
type Client struct {
	BusyPause time.Duration // before Resize sends its request to a busy service again; 0: 30 s

	endpoint string
	http     *http.Client
	opts     poller.Options
}

// NewClient makes a client with a credential, such as NewAzureCliAuthorizer. Nil
// options are the defaults.
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
	o.Authorize = func(req *http.Request) error { // of each attempt; auxiliary tokens included
		return resourcemanager.AuthorizeResourceManagerRequest(req.Context(), req, authorizer)
	}
	c.http = transport.NewClient(&o)
	if polling != nil {
		c.opts = *polling
	}
	return c, nil
}

// request makes a request for a path of the service. A nil body is none.
func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	u := c.endpoint + path + "?" + url.Values{"api-version": {widgets.APIVersion}}.Encode()
	if body == nil {
		return http.NewRequestWithContext(ctx, method, u, nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u, bytes.NewReader(text)) // of a Reader, so that it can be sent again
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	return req, nil
}
