package transport_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestRedirectKeepsClientRequestID(t *testing.T) {
	var ids []string
	client := transport.NewClient(&transport.Options{Base: trip(func(r *http.Request) (*http.Response, error) {
		ids = append(ids, r.Header.Get("X-Ms-Client-Request-Id"))
		if len(ids) < 3 {
			return response(answer{status: 307, header: "Location: /next"}), nil
		}
		return response(answer{status: 200}), nil
	})})
	resp, err := client.Do(request(t, t.Context(), "GET", statuses, nil))
	require.NoError(t, err)
	resp.Body.Close()
	require.Len(t, ids, 3)
	require.NotEmpty(t, ids[0])
	require.Equal(t, []string{ids[0], ids[0], ids[0]}, ids)
}

// If a request's URL has user-info, an http.Client sends a copy of the request. The response's
// Request must still have the client request ID that was sent.
func TestResponseRequestHasIDDespiteUserInfo(t *testing.T) {
	var sent http.Header
	client := transport.NewClient(&transport.Options{Base: trip(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return response(answer{status: 200}), nil
	})})
	req := request(t, t.Context(), "GET", statuses, nil)
	req.URL.User = url.UserPassword("user", "SECRET")
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.NotEmpty(t, sent.Get("X-Ms-Client-Request-Id"))
	require.Equal(t, sent.Get("X-Ms-Client-Request-Id"), resp.Request.Header.Get("X-Ms-Client-Request-Id"))
}
