package transport_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// A stalledConn blocks every write while its channel is full, like a connection with a full socket
// buffer.
type stalledConn struct {
	net.Conn
	stalled chan struct{}
}

func (c stalledConn) Write(p []byte) (int, error) {
	c.stalled <- struct{}{}
	defer func() { <-c.stalled }()
	return c.Conn.Write(p)
}

// net/http writes the headers of an HTTP/2 request in another goroutine. If an attempt ends while
// that goroutine is blocked, the headers may still be sent later, so the Transport treats the
// request as sent.
func TestStalledHTTP2Connection(t *testing.T) {
	for name, tt := range map[string]struct {
		headerTimeout, responseTimeout, deadline time.Duration // 0 means an hour
		takes                                    time.Duration
	}{
		"HeaderTimeout":         {headerTimeout: 10 * time.Second, takes: 10 * time.Second},
		"ResponseTimeout":       {responseTimeout: 8 * time.Second, takes: 8 * time.Second},
		"the caller's deadline": {deadline: 5 * time.Second, takes: 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var posts atomic.Int32
			handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posts.Add(1)
				}
			})
			origin, std := serve(t, handler, "HTTP/2")
			stalled := make(chan struct{}, 1)
			dial := std.DialContext
			std.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dial(ctx, network, addr)
				return stalledConn{conn, stalled}, err
			}
			opts := &transport.Options{Base: std, HeaderTimeout: orHour(tt.headerTimeout), Retries: -1}
			_, err := do(transport.New(opts), request(t, t.Context(), "PUT", origin, strings.NewReader("{}")))
			require.NoError(t, err, "this request must create the connection")
			synctest.Wait() // wait until net/http has written that request

			stalled <- struct{}{}
			limit := orHour(tt.responseTimeout)
			ctx, cancel := context.WithTimeout(t.Context(), orHour(tt.deadline))
			defer cancel()
			ctx = exchange.WithSettings(ctx, exchange.Settings{LongestPause: time.Hour, Timeout: limit, Due: time.Now().Add(limit)})
			se, took := fail(t, ctx, opts, origin)
			require.Equal(t, tt.takes, took, name)
			require.Zero(t, posts.Load(), name)

			<-stalled
			time.Sleep(time.Second)
			require.EqualValues(t, 1, posts.Load(), name)
			requireSent(t, true, se)
		})
	}
}

func orHour(d time.Duration) time.Duration {
	if d == 0 {
		return time.Hour
	}
	return d
}
