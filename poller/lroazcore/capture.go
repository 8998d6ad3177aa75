package lroazcore

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// maxShown limits the body of the response that azcore's Poll returns, in bytes. Status documents are
// smaller. A result may be far larger, and our poller keeps it already.
const maxShown = 64 << 10

// A capture holds the last response to the requests of one read, for the Poll of azcore's poller.
// Only the goroutine of that read may use it. policy.WithCaptureResponse is left to the caller.
type capture struct {
	resp *http.Response // without its body; nil until there is a response
	body bytes.Buffer   // what the poller has read of the body, at most maxShown+1 bytes
}

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

// keep makes c keep resp, and its body as the poller reads it. A nil capture keeps nothing.
func (c *capture) keep(resp *http.Response) {
	if c == nil || resp == nil {
		return
	}
	kept := *resp
	kept.Header = resp.Header.Clone()
	kept.Request = shown(resp.Request)
	kept.Body = http.NoBody
	c.resp = &kept
	c.body.Reset()
	if resp.Body == nil || resp.Body == http.NoBody { // a policy or a Transporter may leave it nil
		return
	}

	// A timer may close the body during a Read, so Close must not touch c.
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, c), resp.Body}
}

// Write implements io.Writer. It keeps one byte more than maxShown, for isCut.
func (c *capture) Write(p []byte) (int, error) {
	room := maxShown + 1 - c.body.Len()
	c.body.Write(p[:min(len(p), room)])
	return len(p), nil
}

// isCut reports whether the body is larger than maxShown.
func (c *capture) isCut() bool { return c.body.Len() > maxShown }

// response returns the response with at most maxShown bytes of its body. c.resp must not be nil.
func (c *capture) response() *http.Response {
	body := c.body.Bytes()
	return withBody(c.resp, body[:min(len(body), maxShown)])
}
