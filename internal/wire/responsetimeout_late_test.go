package wire_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// The time limit covers a whole chain of redirects, with a client from package transport and with
// any other client.
func TestResponseTimeoutCoversRedirects(t *testing.T) {
	hop := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(50 * time.Second):
		case <-r.Context().Done():
			return
		}
		http.Redirect(w, r, "/ops/7/"+r.URL.Path[1:], http.StatusFound)
	})
	base := &fakes.Transport{Handler: hop}
	for name, client := range map[string]*http.Client{
		"ours":    transport.NewClient(&transport.Options{Base: base}),
		"another": {Transport: base},
	} {
		for limit, took := range map[time.Duration]time.Duration{0: 5 * time.Minute, 2 * time.Minute: 2 * time.Minute, -1: 500 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := wire.Send(t.Context(), client, get(t), &wire.Terms{Limit: wire.Limit{Bytes: 100, Time: limit}})
				want := "stopped after 10 redirects"
				if limit >= 0 {
					want = "no complete response within " + took.String() + ", the limit of ResponseTimeout"
				}
				require.ErrorContains(t, err, want, name)
				require.Equal(t, took, time.Since(start), name)
			})
		}
	}
}

type doerFunc func(*http.Request) (*http.Response, error)

func (do doerFunc) Do(req *http.Request) (*http.Response, error) { return do(req) }

// The limit applies even if a Doer does not check its context until the time is up.
func TestResponseTimeoutWithLateDoer(t *testing.T) {
	for name, do := range map[string]doerFunc{
		"checks Err": func(req *http.Request) (*http.Response, error) {
			require.ErrorIs(t, req.Context().Err(), context.Canceled)
			require.ErrorContains(t, context.Cause(req.Context()), "ResponseTimeout")
			return nil, req.Context().Err()
		},
		"waits for Done": func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		},
		"derives a context": func(req *http.Request) (*http.Response, error) {
			within, cancel := context.WithTimeout(req.Context(), time.Hour)
			defer cancel()
			<-within.Done()
			return nil, within.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := wire.Send(t.Context(), doerFunc(func(req *http.Request) (*http.Response, error) {
					time.Sleep(6 * time.Minute)
					return do(req)
				}), get(t), &wire.Terms{Limit: limit(100)})
				require.ErrorContains(t, err, "no complete response within 5m0s, the limit of ResponseTimeout")
				require.Equal(t, 6*time.Minute, time.Since(start))
			})
		})
	}
}

// If a Doer never checks its context, Send closes the body to interrupt the read. It still accepts
// a body that is already complete.
func TestResponseTimeoutIgnoredByDoer(t *testing.T) {
	for name, body := range map[string]io.ReadCloser{"hangs": newSilent(), "is complete": io.NopCloser(strings.NewReader("{}"))} {
		synctest.Test(t, func(t *testing.T) {
			ans, err := wire.Send(t.Context(), doerFunc(func(*http.Request) (*http.Response, error) {
				time.Sleep(6 * time.Minute)
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, ContentLength: 2}, nil
			}), get(t), &wire.Terms{Limit: limit(100)})
			if name == "is complete" {
				require.NoError(t, err)
				require.Equal(t, "{}", string(ans.Body))
				return
			}
			require.ErrorContains(t, err, "no complete response within 5m0s, the limit of ResponseTimeout")
		})
	}
}

// silent is a body whose Read blocks until Close.
type silent struct{ closed chan struct{} }

func newSilent() *silent { return &silent{make(chan struct{}, 9)} }

func (h *silent) Read([]byte) (int, error) { <-h.closed; return 0, io.ErrClosedPipe }

func (h *silent) Close() error { h.closed <- struct{}{}; return nil }

// The request's context and any context derived from it end at the time limit or when the exchange
// is complete.
func TestResponseTimeoutReachesDerivedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		start := time.Now()
		_, err := wire.Send(t.Context(), doerFunc(func(req *http.Request) (*http.Response, error) {
			kept = req.Context()
			within, cancel := context.WithCancel(kept)
			defer cancel()
			<-within.Done()
			return nil, context.Cause(within)
		}), get(t), &wire.Terms{Limit: limit(100)})
		require.ErrorContains(t, err, "no complete response within 5m0s")
		require.Equal(t, 5*time.Minute, time.Since(start))
		require.Error(t, kept.Err())
	})
	var kept context.Context
	_, err := wire.Send(t.Context(), doerFunc(func(req *http.Request) (*http.Response, error) {
		kept = req.Context()
		return &http.Response{StatusCode: 204, Header: http.Header{}, Body: http.NoBody}, nil
	}), get(t), &wire.Terms{Limit: limit(100)})
	require.NoError(t, err)
	<-kept.Done()
	require.ErrorIs(t, kept.Err(), context.Canceled)
}
