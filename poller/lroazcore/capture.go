package lroazcore

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// maxBody is the maximum size, in bytes, of a body that azcore's Poll returns. A larger body is
// usually a result.
const maxBody = 64 << 10

// A capture records the last response of one read, for azcore's Poll. Only the goroutine that reads
// may use the capture.
type capture struct {
	resp *http.Response // the last response, without its body; nil before the first response
	body bytes.Buffer   // the part of the body that the poller has read, at most maxBody+1 bytes
}

type captureKey struct{}

// with returns a context that makes this package's Doers record the responses in c.
func (c *capture) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

// captureOf returns the capture in ctx, or nil.
func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// record stores a copy of resp in c, and copies the body to c as the poller reads it. A nil capture
// records nothing.
func (c *capture) record(resp *http.Response) {
	if c == nil || resp == nil {
		return
	}
	recorded := *resp
	recorded.Header = resp.Header.Clone()
	recorded.Request = sanitized(resp.Request)
	recorded.Body = http.NoBody
	c.resp = &recorded
	c.body.Reset()
	if resp.Body == nil || resp.Body == http.NoBody { // a policy or a Transporter may leave it nil
		return
	}

	// A timer may close the body during a Read, which writes to c, so Close must not use c.
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, c), resp.Body}
}

// Write implements io.Writer. It stores at most maxBody+1 bytes, as isCut needs the extra one.
func (c *capture) Write(p []byte) (int, error) {
	free := maxBody + 1 - c.body.Len()
	c.body.Write(p[:min(len(p), free)])
	return len(p), nil
}

// isCut reports whether the body is larger than maxBody.
func (c *capture) isCut() bool { return c.body.Len() > maxBody }

// response returns the recorded response with at most maxBody bytes of its body. c.resp must not be
// nil.
func (c *capture) response() *http.Response {
	body := c.body.Bytes()
	return withBody(c.resp, body[:min(len(body), maxBody)])
}
