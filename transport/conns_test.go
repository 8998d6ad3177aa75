package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A barrierServer does not respond until it has received a given number of requests.
type barrierServer struct {
	*httptest.Server
	conns, requests atomic.Int32
	want            int32
	full            chan struct{}
}

func newBarrierServer(t *testing.T, http2 bool, want int) *barrierServer {
	t.Helper()
	p := &barrierServer{want: int32(want), full: make(chan struct{})}
	p.Server = httptest.NewUnstartedServer(p)
	p.EnableHTTP2, p.Config.ErrorLog = http2, log.New(io.Discard, "", 0)
	p.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			p.conns.Add(1)
		}
	}
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

func (p *barrierServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.requests.Add(1) == p.want {
		close(p.full)
	}
	select {
	case <-p.full:
	case <-r.Context().Done():
	}
	_, _ = io.WriteString(w, r.Proto)
}

// trusting returns a base transport that trusts p's certificate. The functions in dial make the
// first connections, one each.
func trusting(t *testing.T, p *barrierServer, dial ...func(context.Context) (net.Conn, error)) *conns {
	t.Helper()
	var mu sync.Mutex
	std := http.DefaultTransport.(*http.Transport).Clone()
	std.TLSClientConfig = &tls.Config{RootCAs: p.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	std.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		mu.Lock()
		var first func(context.Context) (net.Conn, error)
		if len(dial) > 0 {
			first, dial = dial[0], dial[1:]
		}
		mu.Unlock()
		if first != nil {
			return first(ctx)
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	base := newConns(std, maxReadConns)
	t.Cleanup(base.CloseIdleConnections)
	return base
}

// fetch sends a GET and returns the protocol that the handler saw.
func fetch(ctx context.Context, base http.RoundTripper, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// fetchAll sends n requests at once and returns their joined errors. A response over a protocol
// other than proto is an error.
func fetchAll(t *testing.T, base http.RoundTripper, url, proto string, n int) error {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			got, err := fetch(t.Context(), base, url)
			if errs[i] = err; err == nil && got != proto {
				errs[i] = errors.New("it came over " + got)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Several hundred concurrent requests share a few HTTP/2 connections.
func TestHTTP2ConnectionsAreShared(t *testing.T) {
	const requests = 300
	p := newBarrierServer(t, true, requests)
	require.NoError(t, fetchAll(t, trusting(t, p), p.URL, "HTTP/2.0", requests))
	require.LessOrEqual(t, int(p.conns.Load()), 32, "connections; usually 8, but net/http replaces a few that are full")
}

// The low connection limit for HTTP/2 hosts does not apply to a host that speaks only HTTP/1.1.
func TestHTTP1ConnectionsAreNotLimitedLikeHTTP2(t *testing.T) {
	const requests = 64
	p := newBarrierServer(t, false, requests+1)
	base := trusting(t, p)
	first := make(chan error, 1)
	go func() {
		_, err := fetch(t.Context(), base, p.URL)
		first <- err
	}()
	require.NoError(t, fetchAll(t, base, p.URL, "HTTP/1.1", requests), "all requests must be in flight at once")
	require.NoError(t, <-first)
	require.Greater(t, int(p.conns.Load()), requests)
	before := p.conns.Load()
	require.NoError(t, fetchAll(t, base, p.URL, "HTTP/1.1", 1))
	require.Equal(t, before, p.conns.Load(), "the request must reuse a connection")
}

// Requests to a new host wait while the first request connects, and proceed even if that request
// fails.
func TestRequestsAfterFailedConnection(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		const requests = 8
		p := newBarrierServer(t, http2, 1)
		proto := map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[http2]
		refused, dialing, release := errors.New("connection refused"), make(chan struct{}), make(chan struct{})
		base := trusting(t, p, func(context.Context) (net.Conn, error) {
			close(dialing)
			<-release
			return nil, refused
		})
		first := make(chan error, 1)
		go func() {
			_, err := fetch(t.Context(), base, p.URL)
			first <- err
		}()
		<-dialing
		rest, waits := make(chan error, requests), make(chan struct{}, 1)
		for range requests {
			go func() {
				got, err := fetch(watched{t.Context(), waits}, base, p.URL)
				if err == nil && got != proto {
					err = errors.New("it came over " + got)
				}
				rest <- err
			}()
			<-waits
		}
		close(release)
		require.ErrorIs(t, <-first, refused)
		for range requests {
			require.NoError(t, <-rest)
		}
		require.NoError(t, fetchAll(t, base, p.URL, proto, 1))
		v, ok := base.hosts.Load(p.Listener.Addr().String())
		require.True(t, ok)
		<-v.(*host).tried
		require.Equal(t, !http2, v.(*host).http1.Load())
	}
}

// A watched context reports each call to Done, so that a test can detect when a request starts to
// wait.
type watched struct {
	context.Context
	waits chan struct{}
}

func (c watched) Done() <-chan struct{} {
	select {
	case c.waits <- struct{}{}:
	default:
	}
	return c.Context.Done()
}

// If a request's context ends while the request waits for another one to connect, RoundTrip closes
// the body and returns.
func TestWaitingRequestContext(t *testing.T) {
	p := newBarrierServer(t, true, 1)
	dialing := make(chan struct{})
	base := trusting(t, p, func(ctx context.Context) (net.Conn, error) {
		close(dialing)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	exploring, stop := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := fetch(exploring, base, p.URL)
		first <- err
	}()
	<-dialing
	cause := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	body, waits := &closeCounter{}, make(chan struct{}, 1)
	req, err := http.NewRequestWithContext(watched{ctx, waits}, http.MethodPut, p.URL, body)
	require.NoError(t, err)
	waiting := make(chan error, 1)
	go func() {
		resp, err := base.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		waiting <- err
	}()
	<-waits
	cancel(cause)
	require.ErrorIs(t, <-waiting, cause, "the request must end while the other one is still connecting")
	require.EqualValues(t, 1, body.closed.Load())
	require.Empty(t, first)
	stop()
	require.ErrorIs(t, <-first, context.Canceled)
	got, err := fetch(t.Context(), base, p.URL)
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0", got)
}

// A closeCounter is an empty body that counts how many times it is closed.
type closeCounter struct{ closed atomic.Int32 }

func (*closeCounter) Read([]byte) (int, error) { return 0, io.EOF }

func (c *closeCounter) Close() error {
	c.closed.Add(1)
	return nil
}

// If the first connection to an HTTP/1 host fails, all waiting requests can still be in flight at
// once.
func TestBurstAfterFailedConnection(t *testing.T) {
	const requests = 8
	p := newBarrierServer(t, false, requests)
	dialing, fail := make(chan struct{}), make(chan struct{})
	base := trusting(t, p, func(context.Context) (net.Conn, error) { close(dialing); <-fail; return nil, io.ErrUnexpectedEOF })
	first := make(chan error, 1)
	go func() {
		_, err := fetch(t.Context(), base, p.URL)
		first <- err
	}()
	<-dialing
	time.AfterFunc(50*time.Millisecond, func() { close(fail) }) // by then, most of the requests are waiting
	require.NoError(t, fetchAll(t, base, p.URL, "HTTP/1.1", requests))
	require.Error(t, <-first)
}

// If a host stops speaking HTTP/2, the low connection limit for HTTP/2 hosts no longer applies to
// it.
func TestHostStopsMultiplexing(t *testing.T) {
	h2, h1 := newBarrierServer(t, true, 1), newBarrierServer(t, false, 1)
	var target atomic.Pointer[httptest.Server]
	target.Store(h2.Server)
	base := trusting(t, h2)
	for _, tr := range []*http.Transport{base.single, base.multiplexed} {
		tr.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, target.Load().Listener.Addr().String())
		}
	}
	require.NoError(t, fetchAll(t, base, h2.URL, "HTTP/2.0", 1))
	target.Store(h1.Server)
	v, ok := base.hosts.Load(h2.Listener.Addr().String())
	require.True(t, ok)
	require.False(t, v.(*host).http1.Load())
	h2.CloseClientConnections()
	for got := ""; got != "HTTP/1.1"; { // requests over the closed connections may fail first
		got, _ = fetch(t.Context(), base, h2.URL)
	}
	require.True(t, v.(*host).http1.Load())
}
