package security

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The transport sends a bearer token over plain http only to a loopback host.
func TestNoTokenIsSentOverPlainHTTP(t *testing.T) {
	for origin, want := range map[string]int{
		"https://a.test":           1,
		"http://localhost:8080":    1,
		"http://127.0.0.1":         1,
		"http://[::1]:8080":        1,
		"http://a.test":            0,
		"HTTP://a.test":            0,
		"http://localhost.a.test":  0,
		"http://127.0.0.1.a.test/": 0,
	} {
		var sent []string
		service := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent = append(sent, r.Header.Get("Authorization")) })
		opts := transportOptions(nil)
		opts.Base = &fakes.Transport{Handler: service}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, origin+"/x", http.NoBody)
		require.NoError(t, err)
		_, err = poller.Begin[struct{}](req, transport.NewClient(opts), nil)
		require.Len(t, sent, want, origin)
		if want == 0 {
			require.ErrorContains(t, err, "plain http", origin)
			require.NotContains(t, err.Error(), canary)
		} else {
			require.NoError(t, err, origin)
			require.Equal(t, "Bearer "+canary, sent[0])
		}
	}
}
