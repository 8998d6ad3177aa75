package transport_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// The Transport does not cache a token without claims if the service demands claims while that
// token is being fetched.
func TestClaimsSurviveAnEarlierCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		challenge := `WWW-Authenticate: Bearer claims="` + base64.StdEncoding.EncodeToString([]byte(`{"a":1}`)) + `"`
		base := trip(func(req *http.Request) (*http.Response, error) {
			switch auth := req.Header.Get("Authorization"); {
			case strings.HasSuffix(req.URL.Path, "slow") && auth == "Bearer first":
				time.Sleep(110 * time.Second)
				return response(answer{status: 401, header: challenge}), nil
			case auth == "Bearer stale":
				return response(answer{status: 401}), nil
			}
			return response(answer{status: 200}), nil
		})
		var mu sync.Mutex
		calls := 0
		tr := transport.New(&transport.Options{Base: base, HeaderTimeout: time.Hour, Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
			mu.Lock()
			calls++
			call := calls
			mu.Unlock()
			switch {
			case call == 1:
				return transport.Token{Value: "first", Expires: time.Now().Add(110 * time.Second)}, nil
			case r.Claims != "":
				time.Sleep(60 * time.Second)
				return transport.Token{Value: "claimed"}, nil
			}
			time.Sleep(30 * time.Second)
			return transport.Token{Value: "stale", Expires: time.Now().Add(time.Hour)}, nil
		}})
		var wg sync.WaitGroup
		wg.Go(func() {
			code, err := get(t, t.Context(), tr, statuses+"/slow")
			assert.NoError(t, err)
			assert.Equal(t, 200, code)
		})
		time.Sleep(105 * time.Second)
		code, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		wg.Wait()
		require.Equal(t, 3, calls)
	})
}

// HeaderTimeout applies to each call to Token separately, even if there is always a request that
// waits for a token.
func TestTokenCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := transport.New(&transport.Options{Base: play(answer{status: 200}), Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return transport.Token{}, context.Cause(ctx)
			}
			return transport.Token{Value: "t", Expires: time.Now().Add(-time.Hour)}, nil // already expired, as if this machine's clock were ahead, so the next request needs another call
		}})
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 17 * time.Millisecond)
				for range 1000 {
					if _, err := get(t, t.Context(), tr, statuses); !assert.NoError(t, err) {
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// If the service rejects a token while a new one is being fetched, the Transport does not use the
// rejected token again, even if the fetch fails.
func TestRejectedTokenIsNotReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		sent := 0
		base := trip(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			sent++
			mu.Unlock()
			if strings.HasSuffix(req.URL.Path, "slow") {
				time.Sleep(time.Hour)
			}
			return response(answer{status: 401}), nil
		})
		calls := 0
		tr := transport.New(&transport.Options{Base: base, HeaderTimeout: 2 * time.Hour, Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			if calls++; calls == 1 {
				return transport.Token{Value: "old", Expires: start.Add(62 * time.Minute)}, nil
			}
			time.Sleep(2 * time.Minute)
			return transport.Token{}, errors.New("the identity service is down")
		}})
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = get(t, t.Context(), tr, statuses+"/slow") })
		wg.Go(func() {
			time.Sleep(59*time.Minute + 30*time.Second)
			_, err := get(t, t.Context(), tr, statuses)
			assert.ErrorContains(t, statusError(t, err), "the identity service is down")
		})
		wg.Wait()
		require.Equal(t, 1, sent)
	})
}

// If the caller's Policy panics, the Transport closes the response body.
func TestPanickingPolicy(t *testing.T) {
	body := &closeCounter{Reader: strings.NewReader("x")}
	tr := transport.New(&transport.Options{
		Base: trip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Header: http.Header{}, Body: body}, nil
		}),
		Policy: func(*http.Request, *http.Response, error) bool { panic("boom") },
	})
	require.PanicsWithValue(t, "boom", func() { _, _ = get(t, t.Context(), tr, statuses) })
	require.Equal(t, 1, body.count())
}

// An exchange's time limit also covers its redirects. If the limit expires while the client reads a
// redirect's body, the client does not follow the redirect.
func TestNoRedirectAfterTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10 * time.Second
		sent := 0
		client := transport.NewClient(&transport.Options{Base: trip(func(req *http.Request) (*http.Response, error) {
			sent++
			resp := response(answer{status: 307})
			resp.Header.Set("Location", "?again="+strconv.Itoa(sent))
			resp.Body, _ = io.Pipe() // never ends
			resp.Request = req
			return resp, nil
		})})
		ctx := exchange.WithSettings(t.Context(), exchange.Settings{LongestPause: limit, Timeout: limit, Due: time.Now().Add(limit)})
		start := time.Now()
		_, err := client.Do(request(t, ctx, "POST", readURL, nil)) //nolint:bodyclose // there is no response
		require.ErrorContains(t, err, "no complete response within 10s, the limit of ResponseTimeout")
		require.Equal(t, limit, time.Since(start))
		require.Equal(t, 1, sent)
	})
}

// The Transport does not send a request whose time runs out while it waits for a token.
func TestNoRequestAfterTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		tr := transport.New(&transport.Options{
			Base: trip(func(*http.Request) (*http.Response, error) { sent++; return response(answer{status: 200}), nil }),
			Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
				time.Sleep(20 * time.Second)
				return transport.Token{Value: "t"}, nil
			},
		})
		const limit = 10 * time.Second
		ctx := exchange.WithSettings(t.Context(), exchange.Settings{Timeout: limit, Due: time.Now().Add(limit)})
		_, err := tr.RoundTrip(request(t, ctx, "POST", readURL, nil)) //nolint:bodyclose // there is no response
		se := statusError(t, err)
		require.ErrorContains(t, se, "no complete response within 10s, the limit of ResponseTimeout")
		require.Zero(t, se.Attempts)
		require.False(t, se.Unanswered)
		require.Zero(t, sent)
	})
}
