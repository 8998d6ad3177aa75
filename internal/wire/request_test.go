package wire_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
)

// SetRequest builds the same request as http.NewRequest, apart from the headers and an empty port.
// Changing the headers of one request does not affect the next.
func TestSetRequestMatchesHTTP(t *testing.T) {
	for _, at := range []string{"https://a.test/op?api-version=1", "https://a.test:/x", "https://[::1]:8443/x%2Fy?z#f"} {
		u, err := url.Parse(at)
		require.NoError(t, err)
		want, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
		require.NoError(t, err)
		want.Header, want.GetBody = http.Header{"Accept": {"application/json"}}, nil
		require.Equal(t, strings.TrimSuffix(u.Host, ":"), want.Host)
		want.URL.Host = u.Host
		var got, next http.Request
		wire.SetRequest(&got, http.MethodGet, u, nil, exchange.Propagated{})
		require.Equal(t, want, got.WithContext(t.Context()))
		got.Header["Accept"][0] = "changed"
		wire.SetRequest(&next, http.MethodGet, u, nil, exchange.Propagated{})
		require.Equal(t, "application/json", next.Header.Get("Accept"))
	}
}

// GetBody returns the body again, for a retry or a redirect.
func TestGetBody(t *testing.T) {
	const body = `{"a":1}`
	u, err := url.Parse("https://a.test/x")
	require.NoError(t, err)
	var req, bare http.Request
	wire.SetRequest(&req, http.MethodPost, u, []byte(body), exchange.Propagated{})
	require.Equal(t, "application/json", req.Header.Get("Content-Type"))
	require.Equal(t, int64(len(body)), req.ContentLength)
	for range 2 {
		got, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		require.Equal(t, body, string(got))
		req.Body, err = req.GetBody()
		require.NoError(t, err)
	}
	wire.SetRequest(&bare, http.MethodPost, u, nil, exchange.Propagated{})
	require.Empty(t, bare.Header["Content-Type"])
}
