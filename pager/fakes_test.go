package pager_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// The pager reads every kind of listing that a fakes.Service can serve, and returns an error for
// the faulty kinds.
func TestFakeListings(t *testing.T) {
	header := func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		token := page.Header.Get("X-Ms-Continuation")
		if token == "" {
			return nil, nil
		}
		req, err := getOf(page, "")
		if err == nil {
			req.Header.Set("X-Ms-Continuation", token)
		}
		return req, err
	}
	post := func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		if page.NextLink == "" {
			return nil, nil
		}
		return http.NewRequestWithContext(t.Context(), http.MethodPost, page.URL, strings.NewReader(`{"token":`+page.NextLink+`}`))
	}
	tests := []struct {
		listing fakes.Listing
		opts    *pager.Options
		want    int   // number of items
		err     error // the error that ends the loop, if any
	}{
		{fakes.Listing{}, nil, 5, nil},
		{fakes.Listing{End: json.RawMessage("null")}, nil, 5, nil},
		{fakes.Listing{End: json.RawMessage(`""`)}, nil, 5, nil},
		{fakes.Listing{Relative: true}, nil, 5, nil},
		{fakes.Listing{Link: "/@odata.nextLink", Count: "/@odata.count"}, nil, 5, nil},
		{fakes.Listing{Link: "/odata.nextLink", Count: "/odata.count"}, nil, 5, nil},
		{fakes.Listing{Items: "/w", Link: "/next/href", Count: "/total_count", Param: "start"}, &pager.Options{Items: "/w", NextLink: "/next/href"}, 5, nil},
		{fakes.Listing{Items: "/w", Link: "/next/start", Param: "start", Token: true}, &pager.Options{Items: "/w", NextLink: "/next/start", Next: startToken}, 5, nil},
		{fakes.Listing{Items: "/d/results", Link: "/d/__next"}, &pager.Options{Items: "/d/results", NextLink: "/d/__next"}, 5, nil},
		{fakes.Listing{Header: "X-Ms-Continuation"}, &pager.Options{Next: header}, 5, nil},
		{fakes.Listing{Method: "POST", Link: "/token", Token: true, Member: "token"}, &pager.Options{NextLink: "/token", Next: post}, 5, nil},
		{fakes.Listing{Repeat: 1}, nil, 4, lroerrors.ErrRepeatedLink}, // page 1 is read twice, because its link to itself differs from the first request's URL
		{fakes.Listing{Repeat: 3}, nil, 4, lroerrors.ErrRepeatedLink},
		{fakes.Listing{Foreign: "https://evil.test"}, nil, 2, lroerrors.ErrForeignOrigin},
		{fakes.Listing{}, &pager.Options{MaxPages: 3}, 4, lroerrors.ErrTooManyPages},
	}
	for i, tt := range tests {
		svc := &fakes.Service{}
		svc.Pages("/widgets", []int{0, 1}, nil, []int{2, 3}, []int{4})
		svc.Listing(tt.listing)
		method := http.MethodGet
		if tt.listing.Method != "" {
			method = tt.listing.Method
		}
		p := pager.New[int](newRequest(t, method, origin+"/widgets", ""), fakes.Client(svc), tt.opts)
		var got []int
		var err error
		for page, perr := range p.Pages(t.Context()) {
			err = perr
			got = append(got, page.Items...)
			if tt.listing.Count != "" {
				require.Equal(t, int64(5), *page.Count)
			}
		}
		require.ErrorIs(t, err, tt.err, "%d", i)
		require.Len(t, got, tt.want, "%d", i)
	}
}

// The result of an operation may be the first page of a listing.
func TestListingFromOperation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Put("/widgets/w1", struct{}{})
		svc.Pages("/results", nil, []int{2}, []int{3})
		svc.Plan(fakes.Plan{Method: "POST", Result: map[string]any{"value": []int{1}, "nextLink": origin + "/results?$skiptoken=1"}})
		req := newRequest(t, http.MethodPost, origin+"/widgets/w1/search", `{}`)
		op, err := poller.Begin[json.RawMessage](req, fakes.Client(svc), nil)
		require.NoError(t, err)
		page, err := op.PollUntilDone(t.Context())
		require.NoError(t, err)
		got, err := items(t.Context(), pager.Continue[int](req, page, fakes.Client(svc), nil))
		require.NoError(t, err)
		require.Equal(t, []int{1, 2, 3}, got)
	})
}
