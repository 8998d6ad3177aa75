package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Delete deletes a widget and waits until a GET of it returns 404, whatever the operation reports.
func (c *Client) Delete(ctx context.Context, name string) error {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent},
		HttpMethod:          http.MethodDelete,
		Path:                widgets.Collection + "/" + name,
	})
	if err != nil {
		return err
	}
	resp, err := req.Execute(ctx)
	if err != nil {
		return err
	}
	p, err := resourcemanager.PollerFromResponse(resp, c.Client)
	if err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}
