package transport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A silentReadService accepts operations and cancel requests, but never responds to reads.
type silentReadService struct {
	want    int32
	reads   atomic.Int32
	full    chan struct{} // closed when the number of reads reaches want
	cancels atomic.Int32
}

func (h *silentReadService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		if h.reads.Add(1) == h.want {
			close(h.full)
		}
		<-r.Context().Done()
	case http.MethodDelete:
		h.cancels.Add(1)
	default:
		w.Header().Set("Location", "/status")
		w.WriteHeader(http.StatusAccepted)
	}
}

// overSockets serves h until the test ends. It returns the server and a client for it. The client
// uses the default base or, for HTTP/2, a similar base that trusts the server's certificate.
func overSockets(t *testing.T, h http.Handler, proto string) (*httptest.Server, *http.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	t.Cleanup(srv.Close)
	if proto == "HTTP/1.1" {
		srv.Start()
		return srv, transport.NewClient(nil)
	}

	srv.EnableHTTP2 = true
	srv.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 100}
	srv.StartTLS()
	std := http.DefaultTransport.(*http.Transport).Clone()
	std.TLSClientConfig = &tls.Config{RootCAs: srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	client := transport.NewClient(&transport.Options{Base: transport.NewBase(std)})
	t.Cleanup(client.CloseIdleConnections)
	return srv, client
}

// With the default base, a client can start and cancel an operation while many reads are waiting
// for a response, even if the reads occupy all HTTP/1 connections for reads.
func TestWritesDoNotWaitBehindReads(t *testing.T) {
	const reads = 1100
	for _, tt := range []struct {
		proto string
		want  int32 // the number of reads that reach the server
	}{{"HTTP/1.1", 1024}, {"HTTP/2.0", reads}} {
		t.Run(tt.proto, func(t *testing.T) {
			h := &silentReadService{want: tt.want, full: make(chan struct{})}
			srv, client := overSockets(t, h, tt.proto)
			ctx, release := context.WithCancel(t.Context())
			var held sync.WaitGroup
			defer held.Wait()
			defer release()
			for range reads {
				held.Go(func() { _, _ = get(t, ctx, client.Transport, srv.URL) })
			}
			<-h.full

			p, err := poller.Begin[int](request(t, t.Context(), "PUT", srv.URL, nil), client, &poller.Options{
				CancelRequest: func(poller.Status) (*poller.Request, error) {
					return &poller.Request{Method: "DELETE", URL: srv.URL}, nil
				},
			})
			require.NoError(t, err)
			require.NoError(t, p.Cancel(t.Context()))
			require.EqualValues(t, 1, h.cancels.Load())
			require.Equal(t, tt.want, h.reads.Load(), "the reads must still be waiting")
		})
	}
}

// All requests to a new https host wait until one of them gets a connection. If none does, every
// error reports that the request was not sent.
func TestUnreachableHTTPSHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(45 * time.Second)
			return nil, &net.OpError{Op: "dial", Err: errors.New("i/o timeout")}
		}
		base := transport.NewBase(&http.Transport{DialContext: dial})
		tr := transport.New(&transport.Options{Base: base, Retries: -1})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				start := time.Now()
				_, err := do(tr, request(t, t.Context(), "POST", statuses, nil))
				se := statusError(t, err)
				requireSent(t, false, se)
				require.LessOrEqual(t, time.Since(start), time.Minute)
			})
		}
		all.Wait()
		time.Sleep(time.Minute) // let net/http finish dialing
	})
}

// If a host accepts a connection but does not answer the TLS handshake, the error says that the
// request was not sent. This test uses a real socket.
func TestSilentTLSHandshake(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	tr := transport.New(&transport.Options{Retries: -1, HeaderTimeout: 100 * time.Millisecond})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := do(tr, request(t, t.Context(), "POST", "https://"+listener.Addr().String(), nil))
			requireSent(t, false, statusError(t, err))
			require.False(t, poller.MayHaveStarted(err))
			require.True(t, poller.Retryable(err))
		})
	}
	all.Wait()
}

// The base closes an HTTP/2 connection that is silent for 15 s and then does not answer a ping
// within 15 s. Later requests use a new connection.
func TestDeadHTTP2Connection(t *testing.T) {
	testServer()
	synctest.Test(t, func(t *testing.T) {
		origin, std := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), "HTTP/2")
		dial := std.DialContext
		var conns []*blackholeConn
		std.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			conns = append(conns, &blackholeConn{Conn: conn})
			return conns[len(conns)-1], err
		}
		tr := transport.New(&transport.Options{Base: transport.NewBase(std), Retries: -1})
		defer tr.CloseIdleConnections()
		_, err := get(t, t.Context(), tr, origin)
		require.NoError(t, err)
		require.Len(t, conns, 1)

		conns[0].dead.Store(true)
		start := time.Now()
		_, err = get(t, t.Context(), tr, origin)
		require.Error(t, err)
		require.NotErrorIs(t, err, lroerrors.ErrNotSent)
		require.Equal(t, 30*time.Second, time.Since(start))
		_, err = get(t, t.Context(), tr, origin)
		require.NoError(t, err)
		require.Len(t, conns, 2)
	})
}

// A blackholeConn discards all writes after its dead field has been set.
type blackholeConn struct {
	net.Conn
	dead atomic.Bool
}

func (m *blackholeConn) Write(p []byte) (int, error) {
	if m.dead.Load() {
		return len(p), nil
	}
	return m.Conn.Write(p)
}
