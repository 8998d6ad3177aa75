package poller_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A poll sends the request that http.NewRequest would return, with additional headers. The
// request's context limits package transport to one attempt.
func TestPollRequestMatchesNewRequest(t *testing.T) {
	for _, at := range []string{origin + "/op?api-version=1", "https://management.example.test:/x", "https://[::1]:8443/x%2Fy?z#f"} {
		want, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
		require.NoError(t, err)
		want.Header = http.Header{"Accept": {"application/json"}, "X-A": {"1"}, "Accept-Language": {"de"}}
		want.GetBody = nil
		var got *http.Request
		req := newRequest(t, "POST", resource)
		req.Header.Set("Accept-Language", "de")
		resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {at}}, Request: req}
		p, err := poller.New[raw](resp, doer(func(req *http.Request) (*http.Response, error) {
			got = req
			return &http.Response{StatusCode: 202, Request: req}, nil
		}), &poller.Options{Header: http.Header{"x-a": {"1"}}, Origins: []string{"https://[::1]:8443"}})
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Zero(t, transport.LongestPause(got.Context()), "Poll must send only one request")
		require.Equal(t, at, got.URL.String(), "the URL must stay the same byte for byte")
		want.URL.Host = got.URL.Host // http.NewRequest removes the colon of an empty port
		require.Equal(t, want, got.WithContext(t.Context()))
	}
}

// A Doer may change a request without affecting the next one.
func TestPollRequestsShareNothing(t *testing.T) {
	opts := &poller.Options{Header: http.Header{"X-A": {"1", "2"}}}
	n := 0
	resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {origin + monitor}}, Request: newRequest(t, "POST", resource)}
	p, err := poller.New[raw](resp, doer(func(req *http.Request) (*http.Response, error) {
		n++
		require.Equal(t, http.Header{"Accept": {"application/json"}, "X-A": {"1", "2"}}, req.Header)
		require.Equal(t, origin+monitor, req.URL.String())
		for name, values := range req.Header {
			values[0] = "changed"
			req.Header.Add(name, "more")
		}
		req.URL.Host = "changed.test"
		return &http.Response{StatusCode: 202, Request: newRequest(t, "GET", monitor)}, nil
	}), opts)
	require.NoError(t, err)
	for range 3 {
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, 3, n)
}
