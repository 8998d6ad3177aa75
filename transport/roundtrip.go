package transport

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/failure"
)

const (
	discardBytes = 16 << 10 // a longer rest costs the connection
	discardTime  = time.Second
)

// roundTrip sends req through base and waits up to limit for the response headers. The body
// may take longer; reading it to the end, or closing it, frees the context.
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
		return nil, failure.UnwrapURL(err)
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = &responseBody{ReadCloser: resp.Body, cancel: untilEnd(resp, limit, cancel)}
	return resp, nil
}

// untilEnd returns a function that frees the context at the end of the body. An http.Client
// reads up to 2 KiB of a redirect's body before it follows the redirect, so untilEnd limits
// that body's time too: a trickling one would block the client for days.
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
	b.cancel(nil) // first, to interrupt a Read that waits for the service
	return b.ReadCloser.Close()
}

// discard reads the rest of an unwanted body, so that its connection can be reused, and
// closes it. It gives up on a trickling body, because no header timeout applies to that and
// the next attempt is worth more than a connection.
func discard(body io.ReadCloser) {
	timer := time.AfterFunc(discardTime, func() { body.Close() })
	defer timer.Stop()
	io.CopyN(io.Discard, body, discardBytes) //nolint:errcheck // then only the connection is lost
	body.Close()
}
