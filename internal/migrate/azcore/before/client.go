// Package before contains a client for widgets that uses azcore. It resembles the clients that
// Azure's code generator writes. Package after contains the same client, converted to lro. The two
// packages have the same files.
package before

import (
	"context"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Client manages widgets.
type Client struct {
	endpoint string
	pl       runtime.Pipeline
}

// NewClient returns a client that authenticates with cred, for example a credential from
// azidentity.
func NewClient(endpoint string, cred azcore.TokenCredential, opts *policy.ClientOptions) *Client {
	auth := runtime.NewBearerTokenPolicy(cred, []string{"https://management.azure.com/.default"}, nil)
	pl := runtime.NewPipeline("widgets", "v1.0.0", runtime.PipelineOptions{PerRetry: []policy.Policy{auth}}, opts)
	return &Client{endpoint: endpoint, pl: pl}
}

// put returns a request that creates or replaces a widget.
func (c *Client) put(ctx context.Context, name string, want widgets.Widget) (*policy.Request, error) {
	req, err := runtime.NewRequest(ctx, http.MethodPut, runtime.JoinPaths(c.endpoint, widgets.Collection, name))
	if err != nil {
		return nil, err
	}
	req.Raw().URL.RawQuery = url.Values{"api-version": {widgets.APIVersion}}.Encode()
	req.Raw().Header.Set("Accept", "application/json")
	return req, runtime.MarshalAsJSON(req, want)
}
