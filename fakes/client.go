package fakes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client returns an HTTP client whose requests are answered by h, in memory:
// no listener, no port, no real waiting, so that it works in a testing/synctest
// bubble. The client has no timeout of its own and follows redirects as every
// [http.Client] does. It may be used by several goroutines if h may.
func Client(h http.Handler) *http.Client {
	return &http.Client{Transport: &Transport{Handler: h}}
}

// A Transport is an [http.RoundTripper] that hands every request to Handler, as
// a connection to a server would. What a [http.Handler] can do to a client over
// a network it can do here:
//
//   - The client has its response when the handler flushes, writes more than
//     4 KiB or returns, and reads the body as it comes.
//   - panic(http.ErrAbortHandler) before that is a failed connection, an error
//     that wraps [io.EOF]. Afterwards the body ends in [io.ErrUnexpectedEOF], as
//     it does where fewer bytes are written than Content-Length declares.
//   - A handler that hangs is abandoned when the request's context ends. It
//     runs in a goroutine of its own, and its context is canceled then; a handler
//     that waits must watch [http.Request.Context], or its goroutine stays.
//   - Any other panic is not caught: a bug in a handler ends the test.
//
// The context of the request is obeyed before, during and after the handler,
// and while the body is read; its cause is returned. The handler's context is
// canceled, too, when the client closes the body and when the handler returns.
//
// Informational (1xx) responses and trailers are not delivered, and no header
// is added to the request. The zero Transport answers nothing: every request
// fails. A Transport may be used by several goroutines if its Handler may.
type Transport struct {
	Handler http.Handler
}

var _ http.RoundTripper = (*Transport)(nil)

// RoundTrip has Handler answer req. It reads the body of req in full before it
// calls the handler, and always closes it.
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
	// Asked again, because select chooses at random when both have happened.
	if ended(ctx) {
		x.closeRequest()
		x.body.abandon()
		return nil, context.Cause(ctx)
	}
	return x.resp, x.err
}

// ended says whether ctx has ended. What comes with the deadline is late, also
// where the deadline's timer has not been heard yet; in a bubble, where things
// do happen in the same nanosecond, nothing else would be the same in every run.
func ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// check refuses what http.Transport refuses.
func (t *Transport) check(req *http.Request) error {
	switch {
	case t.Handler == nil:
		return errors.New("fakes: Transport without a Handler")
	case req.URL == nil:
		return errors.New("fakes: request without a URL")
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return fmt.Errorf("fakes: unsupported protocol scheme %q", req.URL.Scheme)
	case req.URL.Host == "":
		return errors.New("fakes: no host in the request URL")
	}
	return nil
}

// readRequest reads the body of req to its end and closes it. A body that is
// not as long as req says is an error, as it is for http.Transport: it shows a
// retry that did not rewind.
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
