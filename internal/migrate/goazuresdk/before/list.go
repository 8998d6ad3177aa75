package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/odata"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A listPager finds the link to the next page. The link is in nextLink, and not in the member that
// OData specifies.
type listPager struct {
	NextLink *odata.Link `json:"nextLink"`
}

// NextPageLink implements odata.CustomPager.
func (p *listPager) NextPageLink() *odata.Link {
	defer func() { p.NextLink = nil }()
	return p.NextLink
}

// A Predicate selects widgets.
type Predicate struct{ Size *int }

// Matches reports whether p selects w.
func (p Predicate) Matches(w widgets.Widget) bool {
	return p.Size == nil || w.Properties.Size == *p.Size
}

// ListComplete returns the widgets that a predicate selects. It reads all pages into memory before
// it looks at the first widget.
func (c *Client) ListComplete(ctx context.Context, selected Predicate) (items []widgets.Widget, err error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK},
		HttpMethod:          http.MethodGet,
		Pager:               &listPager{},
		Path:                widgets.Collection,
	})
	if err != nil {
		return nil, err
	}
	resp, err := req.ExecutePaged(ctx)
	if err != nil {
		return nil, err
	}
	var all struct{ Value []widgets.Widget }
	if err := resp.Unmarshal(&all); err != nil {
		return nil, err
	}
	for _, w := range all.Value {
		if selected.Matches(w) {
			items = append(items, w)
		}
	}
	return items, nil
}
