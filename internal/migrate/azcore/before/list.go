package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Page is a page of the listing.
type Page struct {
	Value    []widgets.Widget `json:"value"`
	NextLink string           `json:"nextLink"`
}

// NewListPager returns a pager that lists the widgets.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) NewListPager() *runtime.Pager[Page] {
	return runtime.NewPager(runtime.PagingHandler[Page]{
		More: func(page Page) bool { return page.NextLink != "" },
		Fetcher: func(ctx context.Context, page *Page) (Page, error) {
			link := ""
			if page != nil {
				link = page.NextLink
			}
			resp, err := runtime.FetcherForNextLink(ctx, c.pl, link, func(ctx context.Context) (*policy.Request, error) {
				return c.request(ctx, http.MethodGet, widgets.Collection, nil)
			}, nil)
			if err != nil {
				return Page{}, err
			}
			var next Page
			err = runtime.UnmarshalAsJSON(resp, &next)
			return next, err
		},
	})
}

// Names returns the names of the widgets.
func (c *Client) Names(ctx context.Context) (names []string, err error) {
	for pager := c.NewListPager(); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return names, err
		}
		for _, w := range page.Value {
			names = append(names, w.Name)
		}
	}
	return names, nil
}
