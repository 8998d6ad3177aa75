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
)

// holdBack is how much of a body waits for a flush or for the handler's return,
// so that a short answer goes out with its Content-Length, as from net/http.
const holdBack = 4 << 10

// errReset is what a client sees of a connection that was closed before the
// headers came. net/http says io.EOF there.
var errReset = fmt.Errorf("fakes: connection reset by the service: %w", io.EOF)

// An exchange is one request and its response. It is the http.ResponseWriter of
// the handler, in the handler's goroutine; the caller of RoundTrip looks at resp
// and err once answered is closed.
type exchange struct {
	req          *http.Request
	closeRequest func()

	header   http.Header // as the handler sees it
	code     int         // 0 until WriteHeader
	final    http.Header // header as it was at WriteHeader
	declared int64       // Content-Length of the handler, or -1
	written  int64
	held     []byte

	body     *stream
	resp     *http.Response
	err      error
	answered chan struct{}
}

func newExchange(req *http.Request) *exchange {
	x := &exchange{
		req:      req,
		header:   make(http.Header),
		declared: -1,
		body:     newStream(req.Context()),
		answered: make(chan struct{}),
	}
	x.closeRequest = sync.OnceFunc(func() {
		if req.Body != nil {
			req.Body.Close()
		}
	})
	return x
}

// serve runs the handler to its end.
func (x *exchange) serve(h http.Handler) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x.body.watch(cancel)
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
		// Without a panic this is runtime.Goexit, which a failed assertion in a
		// handler calls; the client must not wait for an answer.
		if v := recover(); v != nil && v != any(http.ErrAbortHandler) {
			panic(v)
		}
		x.abort()
	}()
	h.ServeHTTP(x, r)
	returned = true
	x.finish()
}

// incoming is the request as the server sees it: nothing of the client's but
// what crosses the wire.
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
		RemoteAddr:    "192.0.2.1:1234", // RFC 5737: documentation
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

// tls is how a handler knows that the URL said https.
func (x *exchange) tls() *tls.ConnectionState {
	if x.req.URL.Scheme != "https" {
		return nil
	}
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: x.req.URL.Hostname()}
}

// answer gives the response to the caller of RoundTrip. The client of a
// complete one is told its length.
func (x *exchange) answer(complete bool) {
	header, length := x.final, x.declared
	if length < 0 && complete && bodyAllowed(x.code) && (x.req.Method != http.MethodHead || x.written > 0) {
		length = x.written
		header.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	if _, ok := header["Content-Type"]; !ok && bodyAllowed(x.code) && len(x.held) > 0 {
		header.Set("Content-Type", http.DetectContentType(x.held))
	}
	if _, ok := header["Date"]; !ok {
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	if complete && !bodyAllowed(x.code) && x.req.Method != http.MethodHead {
		length = 0 // of one that was flushed HTTP/2 says nothing
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
	switch {
	case x.bodiless():
		x.resp.Body = http.NoBody
	case length < 0:
		x.resp.TransferEncoding = []string{"chunked"}
	}
	close(x.answered)
}

// bodiless says whether what the handler writes is thrown away.
func (x *exchange) bodiless() bool {
	return x.req.Method == http.MethodHead || !bodyAllowed(x.code)
}

// finish sends what is left after the handler returned.
func (x *exchange) finish() {
	x.WriteHeader(http.StatusOK)
	_ = x.push(true) // the client has gone: nobody is left to tell
	switch {
	case x.bodiless():
		x.body.Close() // nobody else will
	case x.declared > x.written:
		x.body.end(io.ErrUnexpectedEOF)
	default:
		x.body.end(io.EOF)
	}
}

// abort closes the connection; what was held back is lost with it.
func (x *exchange) abort() {
	switch {
	case x.resp == nil:
		x.fail(errReset)
	case x.bodiless():
		x.body.Close()
	default:
		x.body.end(io.ErrUnexpectedEOF)
	}
}

func (x *exchange) fail(err error) {
	x.err = err
	x.body.Close()
	close(x.answered)
}

// push sends the headers, unless they were, and then what was held back.
func (x *exchange) push(complete bool) error {
	if x.resp == nil {
		x.answer(complete)
	}
	held := x.held
	x.held = nil
	if x.bodiless() {
		return nil
	}
	err := x.body.write(held)
	if x.written == x.declared {
		x.body.end(io.EOF)
	}
	return err
}
