package wire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// The contexts that the Token function and the Policy can see must not contain the value for
// exchange.SentKey, which is internal.
func TestUserCodeSeesNoState(t *testing.T) {
	var states []any
	var hosts []string
	attempts := 0
	client := transport.NewClient(&transport.Options{
		MinDelay: 1, MaxDelay: 1,
		Base: roundTrip(func(*http.Request) (*http.Response, error) {
			codes := []int{http.StatusServiceUnavailable, http.StatusFound, http.StatusServiceUnavailable, http.StatusOK}
			code := codes[attempts]
			attempts++
			h := http.Header{"Location": {"/there"}}
			return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader("{}")), ContentLength: 2}, nil
		}),
		Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
			states = append(states, ctx.Value(exchange.SentKey{}))
			return transport.Token{Value: "t", Expires: time.Now()}, nil
		},
		Policy: func(req *http.Request, resp *http.Response, _ error) bool {
			states = append(states, req.Context().Value(exchange.SentKey{}))
			hosts = append(hosts, req.Host)
			return resp.StatusCode == http.StatusServiceUnavailable
		},
	})

	req := get(t)
	req.URL.Host = "b.test"
	req.Host = "a.test"
	origins, err := exchange.NewOrigins([]string{"https://b.test"})
	require.NoError(t, err)
	_, err = wire.Send(t.Context(), client, req, &wire.Terms{Origins: origins, Limit: wire.Limit{Bytes: 10}})
	require.NoError(t, err)
	require.Equal(t, 4, attempts)
	require.Len(t, states, 8, "the Token function and the Policy, in each of four attempts")
	require.Equal(t, make([]any, 8), states)
	require.Equal(t, []string{"a.test", "a.test", "a.test", "a.test"}, hosts, "the Policy sees the caller's Host")
}

// Printing a request's context does not reveal the request's credential.
func TestContextShowsNoCredential(t *testing.T) {
	var contexts []context.Context
	client := transport.NewClient(&transport.Options{
		Base: roundTrip(func(req *http.Request) (*http.Response, error) {
			require.Equal(t, "Basic SECRET", req.Header.Get("Authorization"))
			contexts = append(contexts, req.Context())
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
		}),
		Authorize: func(req *http.Request) error {
			req.Header.Set("Authorization", "Basic SECRET")
			return nil
		},
	})
	resp, err := client.Do(get(t))
	require.NoError(t, err)
	resp.Body.Close()
	for _, ctx := range append(contexts, resp.Request.Context()) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			require.NotContains(t, fmt.Sprintf(verb, ctx), "SECRET", verb)
		}
	}
}
