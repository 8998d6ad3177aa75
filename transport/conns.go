package transport

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

const (
	// idleConns is the maximum number of idle connections, both per host and in total. The default
	// of net/http, 2 per host, is too low for thousands of operations.
	idleConns = 128

	// maxReadConns and maxWriteConns limit the connections to one HTTP/1 host, so that a burst of
	// requests does not open thousands of them. maxReadConns equals the default limit on a
	// poller.Group's reads in flight.
	maxReadConns  = 1024
	maxWriteConns = 400

	// maxHTTP2Conns limits how many connections net/http dials to one HTTP/2 host at the same time,
	// but not how many there are in total. A connection carries as many requests as the service
	// allows, usually 100 to 250 (RFC 9113, section 6.5.2).
	maxHTTP2Conns = 4

	// net/http pings an HTTP/2 connection that has received nothing for pingAfter, and closes the
	// connection if no response comes within pingTimeout. Without pings, all requests to the host
	// would time out on a dead connection until the operating system closes it.
	pingAfter   = 15 * time.Second
	pingTimeout = 15 * time.Second

	// maxHeaderBytes limits the size of response headers. With the default of net/http, 10 MiB,
	// thousands of reads in flight could use too much memory.
	maxHeaderBytes = 1 << 20
)

// defaultBase returns the base that all Transports without a Base share. They also share its
// connections.
var defaultBase = sync.OnceValue(func() http.RoundTripper {
	std, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced http.DefaultTransport
		return http.DefaultTransport
	}
	return newPools(std)
})

// pools keeps separate connections for reads and writes, so that unanswered reads never delay a
// write.
type pools struct{ reads, writes *conns }

// newPools returns pools with std's settings, such as TLS and proxies.
func newPools(std *http.Transport) *pools {
	return &pools{reads: newConns(std, maxReadConns), writes: newConns(std, maxWriteConns)}
}

// RoundTrip sends req.
func (p *pools) RoundTrip(req *http.Request) (*http.Response, error) {
	if isRead(req) {
		return p.reads.RoundTrip(req)
	}
	return p.writes.RoundTrip(req)
}

// CloseIdleConnections closes the idle connections for reads and writes.
func (p *pools) CloseIdleConnections() {
	p.reads.CloseIdleConnections()
	p.writes.CloseIdleConnections()
}

// conns uses one http.Transport for HTTP/2 hosts and another for HTTP/1 hosts, because their
// connection limits differ.
type conns struct {
	single, multiplexed *http.Transport
	hosts               sync.Map // maps https hosts to *host
}

// newConns returns a conns that uses std's settings and opens at most limit connections to each
// HTTP/1 host.
func newConns(std *http.Transport, limit int) *conns {
	clone := func(limit int) *http.Transport {
		t := std.Clone()
		t.MaxIdleConns = idleConns
		t.MaxIdleConnsPerHost = idleConns
		t.MaxConnsPerHost = limit
		t.MaxResponseHeaderBytes = maxHeaderBytes
		if t.HTTP2 == nil { // the program has not chosen its own settings
			t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
		}
		return t
	}
	return &conns{single: clone(limit), multiplexed: clone(maxHTTP2Conns)}
}

// A host records whether an https host speaks HTTP/2. The first connection shows whether it does.
type host struct {
	tried chan struct{} // closed when the first connection has been made or has failed
	found bool          // the first connection has been made
	http1 atomic.Bool   // the host does not speak HTTP/2
}

// RoundTrip sends req over a connection that suits the host. Requests to a new https host wait
// until one of them has a connection, which shows whether the host speaks HTTP/2.
func (c *conns) RoundTrip(req *http.Request) (*http.Response, error) {
	if exchange.LowerASCII(req.URL.Scheme) != "https" {
		return c.single.RoundTrip(req)
	}

	for {
		h, known := c.host(req.URL.Host)
		if !known {
			return c.explore(h, req)
		}
		if err := h.wait(req); err != nil {
			closeBody(req)
			return nil, err
		}
		if h.found {
			return c.send(h, req)
		}
	}
}

// host returns the entry for the https host with this name. If known is false, the entry is new and
// the caller must call explore.
func (c *conns) host(name string) (h *host, known bool) {
	v, known := c.hosts.Load(name)
	if !known {
		v, known = c.hosts.LoadOrStore(name, &host{tried: make(chan struct{})})
	}
	return v.(*host), known
}

// wait waits until the first connection to the host has been made or has failed, or until the
// request's context has ended. If it has to wait, it calls the trace's GetConn hook, as net/http
// does.
func (h *host) wait(req *http.Request) error {
	select {
	case <-h.tried:
		return nil
	default:
	}

	ctx := req.Context()
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.GetConn != nil {
		trace.GetConn(req.URL.Host)
	}
	select {
	case <-h.tried:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// explore sends the first request to a host and finds out which protocol the host speaks. If that
// request gets no connection, RoundTrip calls explore again, for another request.
func (c *conns) explore(h *host, req *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if h.found {
			return // net/http is retrying the request on another connection
		}
		conn, isTLS := info.Conn.(*tls.Conn)
		speaksHTTP2 := isTLS && conn.ConnectionState().NegotiatedProtocol == "h2"
		h.http1.Store(!speaksHTTP2)
		h.found = true
		close(h.tried)
	}}
	defer func() {
		if !h.found {
			c.hosts.Delete(req.URL.Host)
			close(h.tried)
		}
	}()
	return c.multiplexed.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}

// send sends a request to a host whose protocol is known.
func (c *conns) send(h *host, req *http.Request) (*http.Response, error) {
	if h.http1.Load() {
		return c.single.RoundTrip(req)
	}
	resp, err := c.multiplexed.RoundTrip(req)
	if err == nil && resp.ProtoMajor < 2 {
		h.http1.Store(true) // the host no longer speaks HTTP/2
	}
	return resp, err
}

// CloseIdleConnections closes the idle connections of both http.Transports.
func (c *conns) CloseIdleConnections() {
	c.single.CloseIdleConnections()
	c.multiplexed.CloseIdleConnections()
}
