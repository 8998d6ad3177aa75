package before

import (
	"context"
	"net/http"
	"net/url"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// CreateAndCancel creates a widget and cancels the operation. A Poller does not expose the URL it
// polls, so CreateAndCancel takes the URL from the response to the request that started the
// operation.
func (c *Client) CreateAndCancel(ctx context.Context, name string, want widgets.Widget) error {
	resp, err := c.create(ctx, name, want, nil)
	if err != nil {
		return err
	}
	p, err := resourcemanager.PollerFromResponse(resp, c.Client)
	if err != nil {
		return err
	}
	operation, err := url.Parse(resp.Header.Get("Azure-AsyncOperation"))
	if err != nil {
		return err
	}
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent},
		HttpMethod:          http.MethodDelete,
		Path:                operation.Path,
	})
	if err != nil {
		return err
	}
	req.URL.RawQuery = operation.RawQuery
	if _, err := req.Execute(ctx); err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}
