package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// An attempt's context has the values and the deadline of the caller's context. It ends before the
// next attempt starts or, after the last attempt, when the caller closes the response body.
func TestAttemptContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		for _, opts := range []transport.Options{{}, {HeaderTimeout: time.Second}, {Token: static("t0")}} {
			var contexts []context.Context
			opts.Base = trip(func(r *http.Request) (*http.Response, error) {
				contexts = append(contexts, r.Context())
				return response(answer{status: 503, header: "Retry-After: 1", body: "busy"}), nil
			})
			ctx, cancel := context.WithDeadline(context.WithValue(t.Context(), key{}, "trace"), time.Now().Add(time.Hour))
			defer cancel()
			want, _ := ctx.Deadline()
			req := request(t, ctx, "GET", statuses, nil)
			resp, err := transport.New(&opts).RoundTrip(req)
			require.NoError(t, err)
			require.Len(t, contexts, 4)
			for i, c := range contexts {
				at, ok := c.Deadline()
				require.True(t, ok)
				require.Equal(t, want, at)
				require.Equal(t, "trace", c.Value(key{}))
				require.Equal(t, i < 3, c.Err() != nil, "only the last context is still open, until the body is closed")
			}
			resp.Body.Close()
			require.ErrorIs(t, contexts[3].Err(), context.Canceled)
			require.NoError(t, resp.Request.Context().Err(), "the context of the response's request ends with the caller's context")
			cancel()
			require.ErrorIs(t, resp.Request.Context().Err(), context.Canceled)
		}
		var inner context.Context
		tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
			inner = r.Context()
			return nil, lroerrors.ErrForeignOrigin
		}))
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		_, ok := inner.Deadline()
		require.False(t, ok)
		require.ErrorIs(t, inner.Err(), context.Canceled)
	})
}

// RoundTrip returns an error and closes the response body if the base ignores the context and
// returns after the caller's deadline and the HeaderTimeout. It does the same if the base returns
// both a response and an error.
func TestBaseIgnoresContext(t *testing.T) {
	for _, late := range []error{nil, io.EOF} {
		synctest.Test(t, func(t *testing.T) {
			body := &closeCounter{Reader: strings.NewReader("x")}
			tr := newTransport(trip(func(*http.Request) (*http.Response, error) {
				time.Sleep(61 * time.Second)
				return &http.Response{StatusCode: 200, Body: body}, late // a RoundTripper must not return both a response and an error
			}))
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err := get(t, ctx, tr, statuses)
			require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
			require.Equal(t, 1, body.count())
		})
	}
	body := &closeCounter{Reader: strings.NewReader("x")}
	tr := transport.New(&transport.Options{Retries: -1, Base: trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: body}, errSocket
	})})
	_, err := get(t, t.Context(), tr, statuses)
	require.ErrorIs(t, statusError(t, err), errSocket)
	require.Equal(t, 1, body.count())
}

// The Transport closes every body from GetBody, even if the response is a redirect, which RoundTrip
// returns without following it.
func TestBodiesOfGetBodyAreClosed(t *testing.T) {
	for _, code := range []int{200, 307, 308, 503} {
		synctest.Test(t, func(t *testing.T) {
			var bodies []*closeCounter
			getBody := func() (io.ReadCloser, error) {
				bodies = append(bodies, &closeCounter{Reader: strings.NewReader("x")})
				return bodies[len(bodies)-1], nil
			}
			base := play(answer{status: code, header: "Location: /elsewhere"})
			req := request(t, t.Context(), "PUT", statuses, nil)
			req.Body, _ = getBody()
			req.GetBody = getBody
			got, err := do(newTransport(base), req)
			require.NoError(t, err)
			require.Equal(t, code, got)
			for i, b := range bodies {
				require.Positive(t, b.count(), "%d: body %d of %d", code, i, len(bodies))
			}
		})
	}
}

// The Transport retries a request that has GetBody but no Body.
func TestRetryWithoutBody(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		synctest.Test(t, func(t *testing.T) {
			req := request(t, t.Context(), "PUT", statuses, strings.NewReader("x"))
			req.Body, req.ContentLength = body, 0
			sent := 0
			tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
				sent++
				require.Equal(t, body, r.Body)
				return response(answer{status: 503}), nil
			}))
			_, err := do(tr, req)
			require.NoError(t, err)
			require.Equal(t, 4, sent)
		})
	}
}

// If GetBody fails before a retry, RoundTrip returns the error from GetBody rather than the earlier
// attempt's.
func TestUnrewindableBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("disk error")
		req := request(t, t.Context(), "PUT", statuses, strings.NewReader("x"))
		req.GetBody = func() (io.ReadCloser, error) { return nil, broken }
		_, err := do(newTransport(play(answer{err: errSocket})), req)
		require.EqualError(t, statusError(t, err), "lro: PUT https://arm.test/ops/1: rewinding the request body: disk error")
		require.ErrorIs(t, err, broken)
	})
}

// A Transport works in a reverse proxy, whose requests have a RequestURI.
func TestReverseProxy(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }))
	defer service.Close()
	home, err := url.Parse(service.URL)
	require.NoError(t, err)
	tr := transport.New(&transport.Options{Base: &http.Transport{DisableKeepAlives: true}})
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: tr, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(home) }})
	defer proxy.Close()
	resp, err := tr.RoundTrip(request(t, t.Context(), "GET", proxy.URL+"/widgets", nil))
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "/widgets", string(text))
	require.Equal(t, 200, resp.StatusCode)
}

// New copies Options.Origins, so later changes to the caller's slice have no effect.
func TestOriginsAreCopied(t *testing.T) {
	origins := []string{"https://b.test"}
	w := &redirector{redirects: map[string]string{home: "302 https://evil.test/"}}
	tr := transport.New(&transport.Options{Base: w, Origins: origins})
	origins[0] = "https://evil.test"
	client := &http.Client{Transport: tr}
	resp, err := client.Do(request(t, t.Context(), "GET", home, nil))
	if resp != nil {
		resp.Body.Close()
	}
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	require.Len(t, w.asked, 1)
}

// The Transport adds the first attempt's headers directly to the poller's request. A retry gets a
// copy, because the base may still be sending the headers of the first attempt.
func TestAttemptHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var headers []http.Header
		tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
			headers = append(headers, r.Header)
			return response(answer{status: 503, header: "Retry-After: 1"}), nil
		}))
		ctx := exchange.ForExchange(t.Context(), *exchange.SettingsOf(t.Context()))
		req := request(t, ctx, "GET", statuses, nil)
		resp, err := tr.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Len(t, headers, 4)
		require.Equal(t, headers[0], headers[1])
		headers[1].Set("X-Base", "second")
		require.Empty(t, headers[0].Get("X-Base"), "the retry must have its own headers")

		before := req.Header.Clone()
		other := request(t, ctx, "GET", statuses, nil) // has the exchange's context, but is not its request
		resp, err = tr.RoundTrip(other)
		require.NoError(t, err)
		resp.Body.Close()
		require.Empty(t, other.Header)
		require.Equal(t, before, req.Header)
		require.NotEmpty(t, req.Header.Get("User-Agent"))
	})
}
