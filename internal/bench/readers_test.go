package bench

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/pager"
)

// A reader reads the whole listing and returns the number of items.
type reader func(ctx context.Context, client *http.Client) (items int, err error)

// bare reads the listing with a hand-written loop.
func bare(ctx context.Context, client *http.Client) (items int, err error) {
	for url := first; url != ""; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return items, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return items, err
		}
		var l list
		err = json.NewDecoder(resp.Body).Decode(&l)
		resp.Body.Close()
		if err != nil {
			return items, err
		}
		items += len(l.Value)
		url = l.NextLink
	}
	return items, nil
}

// bareUnmarshal is like bare, but decodes each page with json.Unmarshal.
func bareUnmarshal(ctx context.Context, client *http.Client) (items int, err error) {
	for url := first; url != ""; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return items, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return items, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return items, err
		}
		var l list
		if err := json.Unmarshal(body, &l); err != nil {
			return items, err
		}
		items += len(l.Value)
		url = l.NextLink
	}
	return items, nil
}

func ours(ctx context.Context, client *http.Client) (items int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, first, http.NoBody)
	if err != nil {
		return 0, err
	}
	for page, err := range pager.New[widget](req, client, nil).Pages(ctx) {
		if err != nil {
			return items, err
		}
		items += len(page.Items)
	}
	return items, nil
}

// az reads the listing with azcore's pager and a pipeline without retries.
func az(ctx context.Context, client *http.Client) (items int, err error) {
	return azThrough(ctx, barePipeline(client))
}

// azThrough reads the listing the way Azure's generated clients do.
func azThrough(ctx context.Context, pl azruntime.Pipeline) (items int, err error) {
	p := azruntime.NewPager(azruntime.PagingHandler[list]{
		More: func(l list) bool { return l.NextLink != "" },
		Fetcher: func(ctx context.Context, l *list) (list, error) {
			url := ""
			if l != nil {
				url = l.NextLink
			}
			resp, err := azruntime.FetcherForNextLink(ctx, pl, url, func(ctx context.Context) (*policy.Request, error) { //nolint:bodyclose // UnmarshalAsJSON closes the body
				return azruntime.NewRequest(ctx, http.MethodGet, first)
			}, nil)
			if err != nil {
				return list{}, err
			}
			var next list
			err = azruntime.UnmarshalAsJSON(resp, &next)
			return next, err
		},
	})
	for p.More() {
		l, err := p.NextPage(ctx)
		if err != nil {
			return items, err
		}
		items += len(l.Value)
	}
	return items, nil
}
