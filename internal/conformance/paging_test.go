package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// A nextRequest describes how the request for the next page differs from a GET of the next link.
type nextRequest struct {
	Base     string            // the path against which a relative link is resolved, instead of the page's URL
	SetQuery map[string]string `json:"set_query"`
}

// list runs a paging scenario. It reads all pages and checks the items and the requests.
func list(t *testing.T, base string, s scenario) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := s.request(ctx, base)
	require.NoError(t, err)
	doer, w := client(t)

	p := pager.New[json.RawMessage](req, doer, s.pagerOptions(base))
	if s.LROFirst {
		p = pager.Continue[json.RawMessage](req, firstPage(ctx, t, req, doer), doer, s.pagerOptions(base))
	}
	items, pages := []json.RawMessage{}, 0
	for page, perr := range p.Pages(ctx) {
		if err = perr; err == nil {
			items = append(items, page.Items...)
			pages++
		}
	}

	require.Equal(t, s.ExpectPages, pages)
	got, merr := json.Marshal(items)
	require.NoError(t, merr)
	require.JSONEq(t, string(s.ExpectBody), string(got))
	if s.Expect == "success" {
		require.NoError(t, err)
		require.False(t, p.More())
		_, err = p.NextPage(ctx)
		require.ErrorIs(t, err, lroerrors.ErrNoMorePages)
	} else {
		require.Equal(t, s.Error.Phase, fmt.Sprintf("page%d", pages+1))
		statusErr, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, s.Error.HTTPStatus, statusErr.StatusCode, "%v", err)
		require.True(t, p.More(), "the caller must be able to request a failed page again")
	}
	require.Equal(t, queriesNormalized(s.exchange()), queriesNormalized(w.exchange()))
}

// firstPage runs the operation that req starts, and returns its result.
func firstPage(ctx context.Context, t *testing.T, req *http.Request, doer poller.Doer) json.RawMessage {
	t.Helper()
	op, err := poller.Begin[json.RawMessage](req, doer, &poller.Options{
		FinalStateVia: poller.FinalStateViaLocation,
		Cadence:       poller.Cadence{Default: time.Millisecond, Min: time.Millisecond, Max: 10 * time.Millisecond},
	})
	require.NoError(t, err)
	page, err := op.PollUntilDone(ctx)
	require.NoError(t, err)
	return page
}

// pagerOptions returns the options that a generated client would derive from the service's API
// description.
func (s *scenario) pagerOptions(base string) *pager.Options {
	opts := &pager.Options{Items: "/" + s.ItemsPath}
	switch {
	case s.NextLink == nil: // the API description has no next link, so the client must not follow a link in the body
		opts.Next = func(pager.Page[json.RawMessage]) (*http.Request, error) { return nil, nil }
		return opts
	case s.NextRequest.Base != "" || s.NextRequest.SetQuery != nil:
		opts.Next = func(page pager.Page[json.RawMessage]) (*http.Request, error) { return s.next(base, page) }
	}
	opts.NextLink = "/" + *s.NextLink
	return opts
}

// next returns the request for the page after the given one, or nil if there is none.
func (s *scenario) next(base string, page pager.Page[json.RawMessage]) (*http.Request, error) {
	if page.NextLink == "" {
		return nil, nil
	}
	from := page.URL
	if s.NextRequest.Base != "" {
		from = base + s.NextRequest.Base
	}
	u, err := url.Parse(from)
	if err != nil {
		return nil, err
	}
	if u, err = u.Parse(page.NextLink); err != nil {
		return nil, err
	}
	u.RawQuery = withQuery(u.RawQuery, s.NextRequest.SetQuery)
	return http.NewRequestWithContext(context.Background(), http.MethodGet, u.String(), http.NoBody)
}

// withQuery adds parameters to a query. They replace parameters that have the same name, regardless
// of case.
func withQuery(query string, set map[string]string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		replaced := part == ""
		for n := range set {
			replaced = replaced || strings.EqualFold(n, name)
		}
		if !replaced {
			kept = append(kept, part)
		}
	}
	for name, value := range set {
		kept = append(kept, name+"="+url.QueryEscape(value))
	}
	return strings.Join(kept, "&")
}

// queriesNormalized re-encodes the queries of all requests in the same way, so that a test can
// compare lro's requests with the recorded ones.
func queriesNormalized(requests []string) []string {
	var all []string
	for _, r := range requests {
		path, query, _ := strings.Cut(r, "?")
		if q, err := url.ParseQuery(query); err == nil {
			r = path + "?" + q.Encode()
		}
		all = append(all, r)
	}
	return all
}
