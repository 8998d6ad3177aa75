package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/odata"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// busy reports whether to retry a request, that is, whether the service rejected it with 409
// because the service was busy.
func busy(resp *http.Response, doc *odata.OData) (bool, error) {
	return resp != nil && resp.StatusCode == http.StatusConflict &&
		doc != nil && doc.Error != nil && doc.Error.Code != nil && *doc.Error.Code == "Conflict", nil
}

// Resize changes a widget. The deadline of ctx determines the number of attempts.
//
//nolint:bodyclose // go-azure-sdk closes the body
func (c *Client) Resize(ctx context.Context, name string, want widgets.Widget) (w widgets.Widget, err error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK},
		HttpMethod:          http.MethodPatch,
		Path:                widgets.Collection + "/" + name,
		RetryFunc:           client.RequestRetryAny(client.RetryOn404ConsistencyFailureFunc, busy),
	})
	if err != nil {
		return w, err
	}
	if err := req.Marshal(want); err != nil {
		return w, err
	}
	resp, err := req.Execute(ctx)
	if err != nil {
		return w, err
	}
	return w, resp.Unmarshal(&w)
}
