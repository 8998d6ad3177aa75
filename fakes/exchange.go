package fakes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/stream"
)

// holdBack is the maximum number of body bytes held back until the handler flushes or returns. A
// body that is held back until the handler returns gets a Content-Length, as in net/http, where the
// limit is 2 KiB.
const holdBack = 4 << 10

// errReset reports that the connection was closed before the headers were sent. It wraps io.EOF,
// which net/http returns in that case.
var errReset = fmt.Errorf("fakes: connection reset by the service: %w", io.EOF)

// An exchange is one request and its response. It serves as the handler's http.ResponseWriter.
// RoundTrip waits for the close of the answered channel before it reads resp and err.
type exchange struct {
	req          *http.Request
	closeRequest func()

	header   http.Header // the map that Header returns
	code     int         // 0 until WriteHeader is called
	final    http.Header // a copy of header, made by WriteHeader
	declared int64       // the Content-Length that the handler set, or -1
	written  int64
	held     []byte
	complete bool // whether the handler has returned

	body     *stream.Stream
	resp     *http.Response
	err      error
	answered chan struct{}
}

func newExchange(req *http.Request) *exchange {
	x := &exchange{
		req:      req,
		header:   make(http.Header),
		declared: -1,
		body:     stream.New(req.Context()),
		answered: make(chan struct{}),
	}
	x.closeRequest = sync.OnceFunc(func() {
		if req.Body != nil {
			req.Body.Close()
		}
	})
	return x
}

// serve calls the handler and then finishes or aborts the response.
func (x *exchange) serve(h http.Handler) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x.body.Watch(cancel)
	r, err := x.incoming(ctx)
	if err != nil {
		x.fail(err)
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		// If v is nil, the handler called runtime.Goexit, as a failed assertion does.
		if v := recover(); v != nil && v != any(http.ErrAbortHandler) {
			panic(v)
		}
		x.abort()
	}()
	h.ServeHTTP(x, r)
	returned = true
	x.finish()
}

// incoming returns the request as the server sees it, with only the parts of the client's request
// that are sent over the wire.
func (x *exchange) incoming(ctx context.Context) (*http.Request, error) {
	body, err := x.readRequest()
	if err != nil {
		return nil, err
	}
	uri := x.req.URL.RequestURI()
	u, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, err
	}
	r := &http.Request{
		Method:        cmp.Or(x.req.Method, http.MethodGet),
		URL:           u,
		RequestURI:    uri,
		Host:          cmp.Or(x.req.Host, x.req.URL.Host),
		Header:        x.req.Header.Clone(),
		Body:          http.NoBody,
		ContentLength: int64(len(body)),
		RemoteAddr:    "192.0.2.1:1234", // an address reserved for documentation (RFC 5737)
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		TLS:           x.tls(),
	}
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	return r.WithContext(ctx), nil
}

// tls returns a connection state if the URL is https, so that the handler can detect https.
func (x *exchange) tls() *tls.ConnectionState {
	if x.req.URL.Scheme != "https" {
		return nil
	}
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: x.req.URL.Hostname()}
}

// answer builds the response and makes RoundTrip return it.
func (x *exchange) answer() {
	header := x.final
	length := x.declared
	if x.measured() {
		length = x.written
		header.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	if x.complete && !bodyAllowed(x.code) && x.req.Method != http.MethodHead {
		length = 0 // no body
	}

	if _, ok := header["Content-Type"]; !ok && bodyAllowed(x.code) && len(x.held) > 0 {
		header.Set("Content-Type", http.DetectContentType(x.held))
	}
	if _, ok := header["Date"]; !ok {
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	maps.DeleteFunc(header, func(_ string, values []string) bool { return len(values) == 0 })

	x.resp = &http.Response{
		Status:        strconv.Itoa(x.code) + " " + cmp.Or(http.StatusText(x.code), "status code "+strconv.Itoa(x.code)),
		StatusCode:    x.code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          x.body,
		ContentLength: length,
		Request:       x.req,
		TLS:           x.tls(),
	}
	if x.bodiless() {
		x.resp.Body = http.NoBody
	} else if length < 0 {
		x.resp.TransferEncoding = []string{"chunked"}
	}
	close(x.answered)
}

// measured reports whether the response gets a Content-Length that the handler did not set. The
// handler must have returned before anything was sent, and the status must allow a body. For a
// HEAD, the handler must also have written a body.
func (x *exchange) measured() bool {
	if x.declared >= 0 || !x.complete || !bodyAllowed(x.code) {
		return false
	}
	return x.req.Method != http.MethodHead || x.written > 0
}

// bodiless reports whether the response cannot have a body.
func (x *exchange) bodiless() bool {
	return x.req.Method == http.MethodHead || !bodyAllowed(x.code)
}

// finish sends the rest of the response after the handler has returned.
func (x *exchange) finish() {
	x.WriteHeader(http.StatusOK)
	x.complete = true
	_ = x.push() // an error means that the client has disconnected

	if x.bodiless() {
		x.body.Close() // the client gets http.NoBody, so it cannot close x.body
		return
	}
	if x.written < x.declared {
		x.body.End(io.ErrUnexpectedEOF)
		return
	}
	x.body.End(io.EOF)
}

// abort simulates a failed connection. Buffered bytes are lost.
func (x *exchange) abort() {
	if x.resp == nil {
		x.fail(errReset)
		return
	}
	if x.bodiless() {
		x.body.Close()
		return
	}
	x.body.End(io.ErrUnexpectedEOF)
}

// fail makes RoundTrip return err.
func (x *exchange) fail(err error) {
	x.err = err
	x.body.Close()
	close(x.answered)
}

// push sends the headers, unless they were already sent, and then the buffered bytes.
func (x *exchange) push() error {
	if x.resp == nil {
		x.answer()
	}
	held := x.held
	x.held = nil
	if x.bodiless() {
		return nil
	}
	err := x.body.Send(held)
	if x.written == x.declared {
		x.body.End(io.EOF)
	}
	return err
}
