package fakes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/lro-go/lro/fakes/internal/stream"
)

// Client returns an HTTP client that sends its requests to h in memory, without a listener or a
// port. It never waits for a socket, so it works in a testing/synctest bubble. Like any
// [http.Client], it follows redirects. It has no timeout, and does not retry or authorize requests.
// To test a client with retries or tokens, use a [Transport] as its base. The client is safe for
// concurrent use if h is.
func Client(h http.Handler) *http.Client {
	return &http.Client{Transport: &Transport{Handler: h}}
}

// A Transport is an [http.RoundTripper] that passes each request to Handler, as a connection to a
// server would. Use it as the base of the client under test, for example as Options.Base of package
// transport (see the Example). To the client, the handler behaves as it would over a network:
//
//   - The client gets the response when the handler flushes, writes more than 4 KiB or returns. It
//     can read the body while the handler is still writing.
//   - If the handler panics with http.ErrAbortHandler before then, the client gets an error that
//     wraps [io.EOF], as if the connection had failed. If the handler panics with it later, the
//     body ends with [io.ErrUnexpectedEOF]. A body that is shorter than its Content-Length ends the
//     same way.
//   - When the request's context ends, the client stops waiting for the handler, and the handler's
//     context is canceled. The handler runs in its own goroutine, which leaks if the handler waits
//     without watching [http.Request.Context].
//
// Unlike a net/http server, Transport recovers only http.ErrAbortHandler. Any other panic of a
// handler crashes the test.
//
// The request's context applies until the client has read the whole body. If the context ends
// earlier, RoundTrip or the body's Read returns the context's cause. The handler's context is also
// canceled when the client closes the body and when the handler returns.
//
// Transport adds no headers to the request, and does not deliver informational (1xx) responses or
// trailers. The zero Transport fails every request, because it has no Handler. A Transport is safe
// for concurrent use if its Handler is.
type Transport struct {
	Handler http.Handler
}

var _ http.RoundTripper = (*Transport)(nil)

// RoundTrip sends req to Handler and returns the response. It reads the whole body of req before it
// calls Handler, and always closes that body. If the context of req ends before there is a
// response, it returns the context's cause.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	x := newExchange(req)
	if err := t.check(req); err != nil {
		x.closeRequest()
		return nil, err
	}
	if ctx.Err() != nil {
		x.closeRequest()
		return nil, context.Cause(ctx)
	}
	go x.serve(t.Handler)
	select {
	case <-ctx.Done():
	case <-x.answered:
	}
	// If a response has arrived and the context has ended, select picks a case at random. RoundTrip
	// must then return the context's cause.
	if stream.Ended(ctx) {
		x.closeRequest()
		x.body.Abandon()
		return nil, context.Cause(ctx)
	}
	return x.resp, x.err
}

// check returns an error if t has no Handler, or if http.Transport would reject the request's URL.
func (t *Transport) check(req *http.Request) error {
	if t.Handler == nil {
		return errors.New("fakes: Transport without a Handler")
	}
	if req.URL == nil {
		return errors.New("fakes: request without a URL")
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("fakes: unsupported protocol scheme %q", req.URL.Scheme)
	}
	if req.URL.Host == "" {
		return errors.New("fakes: no host in the request URL")
	}
	return nil
}

// readRequest reads and closes the request's body. Like http.Transport, it returns an error if a
// positive ContentLength differs from the body's length.
func (x *exchange) readRequest() ([]byte, error) {
	if x.req.Body == nil {
		return nil, nil
	}
	defer x.closeRequest()
	body, err := io.ReadAll(x.req.Body)
	if err != nil {
		return nil, err
	}
	if want := x.req.ContentLength; want > 0 && int64(len(body)) != want {
		return nil, fmt.Errorf("fakes: ContentLength=%d with Body length %d", want, len(body))
	}
	return body, nil
}
