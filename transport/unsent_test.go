package transport_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// A silentService is a handler that counts requests but never responds.
type silentService struct{ arrived atomic.Int32 }

func (s *silentService) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.arrived.Add(1)
	<-r.Context().Done()
}

const plain = "http://arm.test/ops/1"

// fail sends a POST that must fail, and returns its error and how long it took.
func fail(t *testing.T, ctx context.Context, opts *transport.Options, url string) (*lroerrors.StatusError, time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := do(transport.New(opts), request(t, ctx, "POST", url, strings.NewReader("{}")))
	return statusError(t, err), time.Since(start)
}

// requireSent requires se to be Unanswered if want is true, and to match ErrNotSent otherwise.
func requireSent(t *testing.T, want bool, se *lroerrors.StatusError) {
	t.Helper()
	require.Equal(t, want, se.Unanswered, "%v", se)
	require.Equal(t, !want, errors.Is(se, lroerrors.ErrNotSent), "%v", se)
}

// HeaderTimeout limits how long an attempt waits for a connection and, separately, for the response
// headers. An attempt that got no connection was not sent.
func TestWaitForConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silentService{}
		_, network := serve(t, s, "HTTP/1")
		for _, dialTakes := range []time.Duration{0, 50 * time.Second, 70 * time.Second} {
			base := &http.Transport{DialContext: func(ctx context.Context, tcp, addr string) (net.Conn, error) {
				time.Sleep(dialTakes)
				return network.DialContext(ctx, tcp, addr)
			}}
			before := s.arrived.Load()
			se, took := fail(t, t.Context(), &transport.Options{Base: base, Retries: -1}, plain)
			require.Equal(t, 1, se.Attempts)
			if dialTakes < time.Minute {
				require.ErrorContains(t, se, "no response headers within 1m0s, the limit of HeaderTimeout")
				require.Equal(t, dialTakes+time.Minute, took)
				requireSent(t, true, se)
				require.Equal(t, before+1, s.arrived.Load())
				continue
			}
			require.ErrorContains(t, se, "no connection within 1m0s, the limit of HeaderTimeout")
			require.Equal(t, time.Minute, took)
			requireSent(t, false, se)
			require.Equal(t, before, s.arrived.Load())
			time.Sleep(dialTakes) // let net/http finish dialing
		}
	})
}

// If a burst has more requests than there are connections, each error still correctly reports
// whether its request was sent.
func TestBurstWithFewConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests, conns = 1200, 400
		s := &silentService{}
		_, base := serve(t, s, "HTTP/1")
		base.MaxConnsPerHost = conns
		held := transport.New(&transport.Options{Base: base, Retries: -1, HeaderTimeout: 90 * time.Second})
		burst := transport.New(&transport.Options{Base: base, Retries: -1})
		var sent, unsent atomic.Int32
		var all sync.WaitGroup
		for i := range requests {
			tr := held
			if i >= conns {
				tr = burst
			}
			all.Go(func() {
				_, err := do(tr, request(t, t.Context(), "POST", plain, nil))
				se := statusError(t, err)
				if se.Unanswered {
					sent.Add(1)
				}
				if errors.Is(se, lroerrors.ErrNotSent) {
					unsent.Add(1)
				}
			})
			if i == conns-1 {
				synctest.Wait()
			}
		}
		all.Wait()
		require.EqualValues(t, conns, s.arrived.Load())
		require.EqualValues(t, conns, sent.Load())
		require.EqualValues(t, requests-conns, unsent.Load())
	})
}

// If the dial or the TLS handshake fails, the request was not sent, so even IdempotentOnly retries
// a POST.
func TestUnreachableHost(t *testing.T) {
	silentTLS := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, server) }()
		return client, nil
	}
	refused := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	for _, tt := range []struct {
		name string
		dial func(context.Context, string, string) (net.Conn, error)
		each time.Duration
	}{
		{"a silent handshake", silentTLS, 10 * time.Second},
		{"a refused connection", refused, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &http.Transport{DialContext: tt.dial}
			base.TLSHandshakeTimeout = 10 * time.Second
			opts := &transport.Options{Base: base, MinDelay: -1, MaxDelay: 1, Policy: transport.IdempotentOnly}
			se, took := fail(t, t.Context(), opts, statuses)
			require.Equal(t, 4, se.Attempts, tt.name)
			requireSent(t, false, se)
			require.Equal(t, 4*tt.each, took.Round(time.Second), tt.name)
		})
	}
}

// If an earlier attempt may have been sent, the error says so, even if the last attempt was not
// sent.
func TestUnsentAfterSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unsent := answer{err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
		var reasons []bool
		opts := &transport.Options{Base: play(answer{err: io.ErrUnexpectedEOF}, unsent), Policy: func(_ *http.Request, _ *http.Response, err error) bool {
			reasons = append(reasons, errors.Is(err, lroerrors.ErrNotSent))
			return true
		}}
		se, _ := fail(t, t.Context(), opts, statuses)
		requireSent(t, true, se)
		require.Equal(t, []bool{false, true, true}, reasons, "the Policy learns about each attempt")
	})
}

// IdempotentOnly retries a POST after attempts that were not sent, but not after one that may have
// been sent.
func TestIdempotentOnlyRepeatsUnsentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unsent := answer{err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
		base := play(unsent, unsent, answer{err: io.ErrUnexpectedEOF}, answer{status: 200})
		se, _ := fail(t, t.Context(), &transport.Options{Base: base, Policy: transport.IdempotentOnly}, statuses)
		require.Equal(t, 3, se.Attempts)
		requireSent(t, true, se)
	})
}

// A base can report when an attempt starts to wait for a connection, and when the attempt gets one.
// If a timeout or the caller's context ends an attempt that is waiting for its first connection,
// the attempt was not sent. Otherwise, it may have been sent.
func TestConnectionEvents(t *testing.T) {
	stop := errors.New("stopped")
	for _, tt := range []struct {
		name   string
		events string // "get" and "got", a second apart
		cancel bool
		sent   bool
		took   time.Duration // how long the attempt lasts if it is not canceled
	}{
		{"no events", "", false, true, time.Minute},
		{"no events, canceled", "", true, true, 0},
		{"no connection", "get", false, false, time.Minute},
		{"no connection, canceled", "get", true, false, 0},
		{"no response", "get got", false, true, time.Minute + time.Second},
		{"no response, canceled", "get got", true, true, 0},
		{"another connection after a stale one", "get got get got", false, true, time.Minute + 3*time.Second},
		{"no other connection after a stale one", "get got get", false, true, time.Minute + time.Second},
		{"only the connection is reported", "got", false, true, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				base := trip(func(r *http.Request) (*http.Response, error) {
					trace := httptrace.ContextClientTrace(r.Context())
					for i, event := range strings.Fields(tt.events) {
						if i > 0 {
							time.Sleep(time.Second)
						}
						switch event {
						case "get":
							trace.GetConn("arm.test:443")
						case "got":
							trace.GotConn(httptrace.GotConnInfo{})
						}
					}
					if tt.cancel {
						cancel(stop)
					}
					<-r.Context().Done()
					return nil, context.Cause(r.Context())
				})
				se, took := fail(t, ctx, &transport.Options{Base: base, Retries: -1}, statuses)
				requireSent(t, tt.sent, se)
				require.Equal(t, tt.cancel, errors.Is(se, stop))
				if !tt.cancel {
					require.Equal(t, tt.took, took)
				}
			})
		})
	}
}

// If net/http cannot connect, a base may send the request in another way. The Transport treats the
// request as unsent only if the base's final error says that there was no connection.
func TestBaseWithFallback(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, tt := range map[string]struct {
		err      error // the base's final error; if nil, the request gets no response
		sent     bool
		attempts int
	}{
		"the response is lost": {io.ErrUnexpectedEOF, true, 1},
		"both errors":          {errors.Join(refused, io.ErrUnexpectedEOF), true, 1},
		"no connection":        {refused, false, 4},
		"no connection, twice": {errors.Join(refused, refused), false, 4},
		"no response":          {nil, true, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			first := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}
			base := trip(func(r *http.Request) (*http.Response, error) {
				_, err := first.RoundTrip(r)
				require.ErrorIs(t, err, refused)
				if tt.err == nil {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return nil, tt.err
			})
			se, _ := fail(t, t.Context(), &transport.Options{Base: base, Policy: transport.IdempotentOnly}, plain)
			require.Equal(t, tt.attempts, se.Attempts, name)
			requireSent(t, tt.sent, se)
		})
	}
}

// If a base reports a connection event after its RoundTrip has returned, the Transport does not
// start another time limit, which could expire while the caller reads the body.
func TestLateEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ctx context.Context
		tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
			ctx = r.Context()
			return response(answer{status: 200, body: "x"}), nil
		}))
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", statuses, nil))
		require.NoError(t, err)
		trace := httptrace.ContextClientTrace(ctx)
		trace.GetConn("arm.test:443")
		trace.GotConn(httptrace.GotConnInfo{})
		time.Sleep(time.Hour)
		require.NoError(t, ctx.Err())
		require.NoError(t, resp.Body.Close())
	})
}

// A trace in the caller's context receives the events of every attempt.
func TestCallersTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []string
		say := func(what string) { events = append(events, what) }
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GetConn: say, GotConn: func(httptrace.GotConnInfo) { say("got") }, WroteHeaders: func() { say("wrote") },
		})
		busy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		_, base := serve(t, busy, "HTTP/1")
		opts := &transport.Options{Base: base, Retries: 1}
		_, err := get(t, ctx, transport.New(opts), plain)
		require.NoError(t, err)
		require.Equal(t, []string{"arm.test:80", "got", "wrote", "arm.test:80", "got", "wrote"}, events)
	})
}
