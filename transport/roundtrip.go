package transport

import (
	"context"
	"io"
	"net/http"
	"time"
)

const (
	discardBytes = 16 << 10 // what is left of a longer body costs the connection
	discardTime  = time.Second
)

// roundTrip sends req through base and gives it limit until the headers are
// here. The body may take longer; its end or closing frees the context.
func roundTrip(base http.RoundTripper, req *http.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	late := &timeoutError{what: "no response headers", limit: limit}
	inTime := func() bool { return true }
	if limit > 0 {
		inTime = time.AfterFunc(limit, func() { cancel(late) }).Stop
	}
	resp, err := base.RoundTrip(req.WithContext(ctx))
	if !inTime() {
		cancel(late)
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		return nil, late
	}
	if err == nil && resp == nil {
		err = errNoResponse
	}
	if err != nil {
		cancel(nil)
		return nil, unwrapURL(err)
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = &responseBody{ReadCloser: resp.Body, cancel: untilEnd(resp, limit, cancel)}
	return resp, nil
}

// untilEnd returns what frees the context at the end of the body. That of a redirect
// an http.Client reads itself, 2 KiB of it, before it goes on: one that trickles
// would hold it up for days.
func untilEnd(resp *http.Response, limit time.Duration, cancel context.CancelCauseFunc) context.CancelCauseFunc {
	if limit <= 0 || resp.StatusCode < 300 || resp.StatusCode > 399 || resp.Header.Get("Location") == "" {
		return cancel
	}
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{what: "no end of the redirect", limit: limit}) })
	return func(why error) {
		timer.Stop()
		cancel(why)
	}
}

// A responseBody frees the context of its attempt when it has been read or closed.
type responseBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel(nil)
	}
	return n, err
}

func (b *responseBody) Close() error {
	b.cancel(nil) // first: it sets a Read free that waits for the service
	return b.ReadCloser.Close()
}

// discard reads the rest of a body that nobody wants, so that its connection can
// be used again, and closes it. A body that trickles is given up: no header
// timeout applies to it, and the next attempt is worth more than a connection.
func discard(body io.ReadCloser) {
	timer := time.AfterFunc(discardTime, func() { body.Close() })
	defer timer.Stop()
	io.CopyN(io.Discard, body, discardBytes) //nolint:errcheck // then the connection is lost, no more
	body.Close()
}
