package transport_test

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A memoryNetwork is an in-memory network that lets net/http run in a bubble.
type memoryNetwork struct {
	accept chan net.Conn
	closed chan struct{}
}

func (p *memoryNetwork) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accept:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *memoryNetwork) Close() error   { close(p.closed); return nil }
func (p *memoryNetwork) Addr() net.Addr { return &net.TCPAddr{} }

func (p *memoryNetwork) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accept <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// testServer returns a closed server. Its certificate is for the servers that the function serve
// starts, and its client trusts that certificate.
var testServer = sync.OnceValue(func() *httptest.Server {
	model := httptest.NewUnstartedServer(nil)
	model.StartTLS()
	model.Close()
	return model
})

// serve serves h on a new network until the test ends, over HTTP/2 with TLS if proto is "HTTP/2"
// and plain HTTP/1 otherwise. It returns the service's origin and an http.Transport for the
// network.
func serve(t *testing.T, h http.Handler, proto string) (origin string, std *http.Transport) {
	t.Helper()
	p := &memoryNetwork{accept: make(chan net.Conn), closed: make(chan struct{})}
	std = &http.Transport{DialContext: p.DialContext, ForceAttemptHTTP2: true}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour, ErrorLog: log.New(io.Discard, "", 0)}
	listen := server.Serve
	origin = "http://example.com"
	if proto == "HTTP/2" {
		origin = "https://example.com"
		std.TLSClientConfig = &tls.Config{RootCAs: testServer().Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
		server.TLSConfig = &tls.Config{Certificates: testServer().TLS.Certificates}
		listen = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}

	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = listen(p)
	}()
	t.Cleanup(func() { std.CloseIdleConnections(); server.Close(); <-stopped })
	return origin, std
}
