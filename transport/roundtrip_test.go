package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestHeaderTimeout(t *testing.T) {
	tests := []struct{ limit, takes, want time.Duration }{ // want is the limit after which the Transport abandons an attempt, or 0 if the response arrives in time
		{0, time.Minute + 1, time.Minute},
		{0, time.Minute - 1, 0},
		{5 * time.Second, time.Hour, 5 * time.Second},
		{-1, time.Hour, 0},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base := play(answer{status: 200, takes: tt.takes})
			tr := transport.New(&transport.Options{
				Base: base, HeaderTimeout: tt.limit, Retries: 2, MinDelay: time.Second, MaxDelay: time.Second,
			})
			_, err := get(t, t.Context(), tr, statuses)
			if tt.want == 0 {
				require.NoError(t, err)
				require.Equal(t, tt.takes, time.Since(base.start))
				return
			}
			step := tt.want + time.Second
			require.Equal(t, []time.Duration{0, step, 2 * step}, base.at)
			se := statusError(t, err)
			require.Equal(t, 3, se.Attempts)
			require.ErrorContains(t, se, fmt.Sprintf("no response headers within %s", tt.want))
			require.NotErrorIs(t, se, context.DeadlineExceeded, "the caller's context has not ended")
			timeout, ok := errors.AsType[interface {
				error
				Timeout() bool
			}](err)
			require.True(t, ok && timeout.Timeout())
		})
	}
}

// If the base returns a response after HeaderTimeout has expired, the Transport closes the response
// body.
func TestLateResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &closeCounter{Reader: http.NoBody}
		tr := transport.New(&transport.Options{Retries: -1, Base: trip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return &http.Response{StatusCode: 200, Body: body}, nil
		})})
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorContains(t, statusError(t, err), "no response headers within 1m0s")
		require.Equal(t, 1, body.count())
	})
}

func TestBodyMayTakeLongerThanHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(&slowReader{ctx: r.Context(), chunks: 10})}, nil
		}))
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", statuses, nil))
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Len(t, text, 10)
	})
}

// A slowReader returns one chunk of one byte per minute until no chunks are left or its context
// ends.
type slowReader struct {
	ctx    context.Context
	chunks int
}

func (s *slowReader) Read(p []byte) (int, error) {
	if s.chunks == 0 {
		return 0, io.EOF
	}
	select {
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	case <-time.After(time.Minute):
	}
	s.chunks--
	return copy(p, "x"), nil
}

func TestAttemptContextIsReleased(t *testing.T) {
	ends := map[string]func(*http.Response){
		"closed": func(r *http.Response) { r.Body.Close() },
		"read":   func(r *http.Response) { _, _ = io.ReadAll(r.Body) },
	}
	for name, end := range ends {
		synctest.Test(t, func(t *testing.T) {
			var ctx context.Context
			tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
				ctx = r.Context()
				return response(answer{status: 200, body: "x"}), nil
			}))
			resp, err := tr.RoundTrip(request(t, t.Context(), "GET", statuses, nil))
			require.NoError(t, err)
			defer resp.Body.Close()
			time.Sleep(time.Hour) // HeaderTimeout must no longer apply
			require.NoError(t, ctx.Err(), name)
			end(resp)
			require.ErrorIs(t, ctx.Err(), context.Canceled, name)
		})
	}
}

func TestFailedAttemptContextsAreReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var contexts []context.Context
		tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
			contexts = append(contexts, r.Context())
			if len(contexts)%2 == 0 {
				return response(answer{status: 503, body: "busy"}), nil
			}
			return nil, errSocket
		}))
		code, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 503, code)
		require.Len(t, contexts, 4)
		for _, ctx := range contexts {
			require.ErrorIs(t, ctx.Err(), context.Canceled)
		}
	})
}

// The Transport reads the body of a discarded response for at most a second, even if a Read blocks.
func TestTricklingBodyIsAbandoned(t *testing.T) {
	stuck := map[string]func(*http.Request) io.ReadCloser{
		"obeys the context": func(r *http.Request) io.ReadCloser {
			return io.NopCloser(&slowReader{ctx: r.Context(), chunks: 1 << 20})
		},
		"obeys Close": func(*http.Request) io.ReadCloser {
			r, _ := io.Pipe()
			return r
		},
	}
	for name, body := range stuck {
		for _, code := range []int{503, 401} {
			synctest.Test(t, func(t *testing.T) {
				good := play(answer{status: 200})
				sent := 0
				tr := transport.New(&transport.Options{Token: static("t0"), Base: trip(func(r *http.Request) (*http.Response, error) {
					if sent++; sent == 1 {
						return &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {"2"}}, Body: body(r)}, nil
					}
					return good.RoundTrip(r)
				})})
				got, err := get(t, t.Context(), tr, statuses)
				require.NoError(t, err)
				require.Equal(t, 200, got)
				require.LessOrEqual(t, time.Since(good.start), 3*time.Second, "%d %s", code, name)
			})
		}
	}
}

// The Transport does not retry if the server has a bad certificate or speaks plain HTTP. This test
// uses real errors from crypto/tls and net/http.
func TestTLSFailuresAreNotRetried(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = quiet
	stranger.StartTLS()
	defer stranger.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, url := range []string{stranger.URL, strings.Replace(plain.URL, "http:", "https:", 1)} {
		_, err := get(t, t.Context(), newTransport(&http.Transport{DisableKeepAlives: true}), url)
		require.Equal(t, 1, statusError(t, err).Attempts, "%v", err)
	}
}

func TestConnectionIsReused(t *testing.T) {
	var dialed, asked atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader([]int{503, 401, 500, 429, 200}[(asked.Add(1)-1)%5])
		_, _ = io.WriteString(w, strings.Repeat("busy ", 2000))
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			dialed.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	tr := transport.New(&transport.Options{Base: &http.Transport{}, Token: static("t0")})
	defer tr.CloseIdleConnections()
	for range 3 {
		code, err := get(t, t.Context(), tr, srv.URL)
		require.NoError(t, err)
		require.Equal(t, 200, code)
	}
	require.EqualValues(t, 15, asked.Load())
	require.EqualValues(t, 1, dialed.Load())
}

// The default base keeps enough idle connections for a program with many operations. The default of
// net/http is only two per host.
func TestDefaultBaseKeepsIdleConnections(t *testing.T) {
	const fleet = 40
	var dialed atomic.Int32
	var gather chan struct{}
	var here atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if here.Add(1) == fleet {
			close(gather)
		}
		<-gather
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			dialed.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	tr := transport.New(nil)
	for range 2 {
		gather = make(chan struct{})
		here.Store(0)
		errs := make(chan error, fleet)
		for range fleet {
			go func() {
				_, err := get(t, t.Context(), tr, srv.URL)
				errs <- err
			}()
		}
		for range fleet {
			require.NoError(t, <-errs)
		}
	}
	require.EqualValues(t, fleet, dialed.Load())
}
