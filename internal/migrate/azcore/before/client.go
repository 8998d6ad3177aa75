// Package before contains a client for widgets that uses azcore. It is written the way the
// generator would write it. Package after contains the same client, ported to this module. The two
// packages have the same files, so you can compare them one by one:
//
//	diff -u azcore/before/wait.go azcore/after/wait.go
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

// NewClient returns a client that uses a credential, such as one from azidentity.
func NewClient(endpoint string, cred azcore.TokenCredential, opts *policy.ClientOptions) *Client {
	auth := runtime.NewBearerTokenPolicy(cred, []string{"https://management.azure.com/.default"}, &policy.BearerTokenOptions{
		InsecureAllowCredentialWithHTTP: opts.InsecureAllowCredentialWithHTTP,
	})
	pl := runtime.NewPipeline("widgets", "v1.0.0", runtime.PipelineOptions{PerRetry: []policy.Policy{auth}}, opts)
	return &Client{endpoint: endpoint, pl: pl}
}

// request returns a request for a path of the service. A nil body means no body.
func (c *Client) request(ctx context.Context, method, path string, body any) (*policy.Request, error) {
	req, err := runtime.NewRequest(ctx, method, runtime.JoinPaths(c.endpoint, path))
	if err != nil {
		return nil, err
	}
	req.Raw().URL.RawQuery = url.Values{"api-version": {widgets.APIVersion}}.Encode()
	req.Raw().Header.Set("Accept", "application/json")
	if body == nil {
		return req, nil
	}
	return req, runtime.MarshalAsJSON(req, body)
}

// accepted lists the status codes of responses that start an operation.
var accepted = []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}
