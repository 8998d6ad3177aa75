package lroazcore

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// A capture holds the last response to the requests of one read, for the Poll of azcore's poller.
// policy.WithCaptureResponse is left to the caller.
type capture struct{ last atomic.Pointer[http.Response] }

type captureKey struct{}

// with returns a context in which c keeps the responses.
func (c *capture) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

// captureOf returns the capture in ctx, or nil if no azcore poller waits for the response.
func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// keep makes c keep resp once its body has been read and closed. A nil capture keeps nothing.
func (c *capture) keep(resp *http.Response) {
	if c == nil || resp == nil {
		return
	}
	kept := *resp
	kept.Header = resp.Header.Clone()
	kept.Request = shown(resp.Request)
	resp.Body = &recorder{ReadCloser: resp.Body, done: func(body []byte) {
		c.last.Store(withBody(&kept, body)) //nolint:bodyclose // it is memory
	}}
}

// A recorder passes what has been read from a body to done, when the body is closed.
type recorder struct {
	io.ReadCloser
	read bytes.Buffer
	done func([]byte)
}

// Read implements io.Reader.
func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read.Write(p[:n])
	return n, err
}

// Close implements io.Closer.
func (r *recorder) Close() error {
	r.done(r.read.Bytes())
	return r.ReadCloser.Close()
}
