package lroazcore

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A handler is an azcore polling handler that delegates to an lro poller. azcore decides only when
// to read.
type handler[T any] struct {
	doer poller.Doer
	opts *poller.Options
	p    *poller.Poller[T] // set by start or UnmarshalJSON

	lastRead  time.Time // when Poll last read the status
	notBefore time.Time // a resumed operation must not be polled before this time
}

var (
	_ runtime.PollingHandler[any] = (*handler[any])(nil)
	_ json.Marshaler              = (*handler[any])(nil)
	_ json.Unmarshaler            = (*handler[any])(nil)
)

func newHandler[T any](doer poller.Doer, opts *poller.Options) *handler[T] {
	h := &handler[T]{doer: doer, opts: &poller.Options{}}
	if opts != nil {
		*h.opts = *opts
	}
	return h
}

// start returns an azcore poller for the operation whose first response is resp.
func (h *handler[T]) start(resp *http.Response) (*runtime.Poller[T], error) {
	var err error
	h.p, err = poller.New[T](resp, h.doer, h.opts)
	if _, refused := err.(*lroerrors.StatusError); refused { //nolint:errorlint // only the outermost error matters
		return nil, ResponseError(err)
	}
	if err != nil {
		return nil, withAzcoreError(err) // keeps the *WaitError, because callers need its token to resume the operation
	}
	p, err := runtime.NewPoller(resp, runtime.Pipeline{}, &runtime.NewPollerOptions[T]{Handler: h})
	return register(p, h), err
}

// Done implements azcore's PollingHandler.
func (h *handler[T]) Done() bool { return h.p.Done() }

// Poll implements azcore's PollingHandler. It reads the status once and returns the service's last
// response. A failed read that the lro poller tolerates is not an error, because an error would
// make azcore stop polling. If no response came, Poll returns a 503 whose error says why. If Poll
// sent nothing, for example because the lro poller has just read the status, it returns a response
// with the last known status.
//
// The response's request has no query and no credentials. If the body is larger than 64 KiB, the
// response contains the last known status instead. After a failed read, it contains the first 64
// KiB of the body. policy.WithCaptureResponse captures the service's own response, whose body has
// already been read.
//
// If the service asked for a pause, the response's Retry-After-Ms and Retry-After headers give the
// time until the lro poller's next read. Without them, azcore's PollUntilDone uses its own
// Frequency.
func (h *handler[T]) Poll(ctx context.Context) (*http.Response, error) {
	notBefore := h.notBefore
	h.notBefore = time.Time{}
	if time.Now().Before(notBefore) { // azcore polls a resumed operation before it waits
		resp := response(h.p.Status())
		setPause(resp.Header, time.Until(notBefore))
		return resp, nil
	}

	h.pause(ctx)
	var got capture
	st, err := h.p.Poll(got.with(ctx))
	h.lastRead = time.Now()
	if _, ended := errors.AsType[*lroerrors.WaitError](err); ended {
		return nil, ResponseError(err)
	}
	return pollResponse(&got, st, err), nil
}

// pollResponse returns Poll's response. The capture holds the service's last response, if any. st
// and err come from the lro poller.
func pollResponse(got *capture, st poller.Status, err error) *http.Response {
	if got.resp == nil && err != nil {
		return newResponse(http.StatusServiceUnavailable, "", document{Error: &lroerrors.Detail{Code: "NoResponse", Message: err.Error()}})
	}
	if got.resp == nil {
		return response(st)
	}
	_, asked := transport.RetryAfter(got.resp.Header, time.Now())
	resp := got.response()
	if err == nil && got.isCut() {
		resp = response(st) // with a new body, because the truncated one is not valid JSON
		resp.Request = got.resp.Request
	}
	if asked && !st.State.Terminal() {
		setPause(resp.Header, time.Until(st.NextPoll))
	}
	return resp
}

// pause waits until the minimum time between two reads has passed, or until ctx ends. In the latter
// case, the next read returns ctx's error.
func (h *handler[T]) pause(ctx context.Context) {
	if h.lastRead.IsZero() {
		return
	}
	select {
	case <-time.After(time.Until(h.lastRead.Add(shortest(h.opts.Cadence)))):
	case <-ctx.Done():
	}
}

// shortest returns c.Min or, if that is not set, its default.
func shortest(c poller.Cadence) time.Duration {
	if c.Min > 0 {
		return c.Min
	}
	least := 10 * time.Second
	for _, d := range []time.Duration{c.First, c.Default} {
		if d > 0 {
			least = min(least, d)
		}
	}
	return least
}

// Result implements azcore's PollingHandler. It retries failed reads itself, because azcore's
// PollUntilDone does not call Result again after an error. The error of a failed operation is an
// *azcore.ResponseError. The error of an unreadable result is not, because azcore would store an
// *azcore.ResponseError and return it from every later call.
func (h *handler[T]) Result(ctx context.Context, out *T) error {
	if !h.p.Done() {
		return lroerrors.ErrNotDone
	}
	v, err := h.p.PollUntilDone(ctx)
	if _, failed := errors.AsType[*lroerrors.OperationError](err); failed {
		return ResponseError(err)
	}
	if err != nil {
		return err
	}
	*out = v
	return nil
}

// MarshalJSON returns the operation's resume token, which azcore embeds in its own token.
func (h *handler[T]) MarshalJSON() ([]byte, error) {
	token, err := h.p.ResumeToken()
	return []byte(token), err
}

// UnmarshalJSON resumes an operation from a token that package poller or one of azcore's own
// handlers made.
func (h *handler[T]) UnmarshalJSON(token []byte) error {
	var err error
	h.p, err = poller.Resume[T](string(token), h.doer, h.opts)
	if err != nil {
		return err
	}

	// With a canceled context, Poll sends nothing. It returns a WaitError whose Asked field says
	// whether the service asked for the pause before the next read.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = h.p.Poll(ended)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.Asked {
		h.notBefore = wait.NextPoll
	}
	return nil
}
