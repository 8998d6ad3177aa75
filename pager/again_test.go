package pager_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// An adder is a Doer that modifies each request in place, as a Doer may do to authorize it.
type adder struct{ client *http.Client }

func (a adder) Do(req *http.Request) (*http.Response, error) {
	req.Header.Add("X-Added", "1")
	req.URL.RawQuery += "&added=1"
	return a.client.Do(req)
}

// Each attempt to read a page sends the same request, even if the Doer modifies it.
func TestEachAttemptSendsTheSameRequest(t *testing.T) {
	s := serve(map[string][]string{
		"/2?a=b&added=1": {"500", `200 {"value": [2]}`},
		"/3?a=b&added=1": {"500", `200 {"value": [3]}`},
	})
	next := func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		if strings.Contains(page.URL, "/3") {
			return nil, nil
		}
		return http.NewRequestWithContext(context.Background(), http.MethodPost, origin+"/3?a=b", strings.NewReader("{}"))
	}
	for _, opts := range []*pager.Options{nil, {Next: next}} {
		s.replies["/widgets?api-version=1&added=1"] = []string{"500", `200 {"value": [1], "nextLink": "/2?a=b"}`}
		p := pager.New[int](newRequest(t, http.MethodGet, list, ""), adder{fakes.Client(s)}, opts)
		for range 2 {
			_, err := p.NextPage(t.Context())
			require.Equal(t, 500, statusError(t, err).StatusCode, "%v", err)
			_, err = p.NextPage(t.Context())
			require.NoError(t, err)
		}
		require.False(t, p.More())
	}
	require.Len(t, s.asked, 8)
	for _, r := range s.asked {
		require.Equal(t, []string{"1"}, r.header["X-Added"], r.what)
	}
}
