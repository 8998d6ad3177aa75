package lroazcore

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A handler is a polling handler for azcore that delegates to a poller, which decides how to
// follow the operation, which failures to tolerate and where requests may go. azcore decides
// when to read.
type handler[T any] struct {
	poller.Doer
	opts *poller.Options
	p    *poller.Poller[T] // nil until New or UnmarshalJSON

	heard atomic.Pointer[http.Header] // headers of the last response
	read  time.Time                   // when Poll last read the status
	hold  time.Time                   // a resumed operation must not be polled before this time
}

var (
	_ runtime.PollingHandler[any] = (*handler[any])(nil)
	_ json.Marshaler              = (*handler[any])(nil)
	_ json.Unmarshaler            = (*handler[any])(nil)
)

func newHandler[T any](pl runtime.Pipeline, opts *poller.Options) *handler[T] {
	h := &handler[T]{Doer: Doer(pl), opts: &poller.Options{}}
	if opts != nil {
		*h.opts = *opts
	}
	return h
}

// Do implements [poller.Doer]. It remembers the headers of the response.
func (h *handler[T]) Do(req *http.Request) (*http.Response, error) {
	resp, err := h.Doer.Do(req)
	h.heard.Store(nil)
	if resp != nil {
		h.heard.Store(new(resp.Header))
	}
	return resp, err
}

// Done implements azcore's PollingHandler.
func (h *handler[T]) Done() bool { return h.p.Done() }

// Poll implements azcore's PollingHandler. It reads the status once and returns a response that we
// build: its body contains the last known status and, if the operation failed, its error. The
// response has a Retry-After-Ms header if the service asked for a pause; otherwise azcore's
// PollUntilDone uses its own Frequency. policy.WithCaptureResponse captures the service's own
// response, whose body has already been read.
//
// Poll does not return the error of a tolerated failure, because azcore would stop polling.
func (h *handler[T]) Poll(ctx context.Context) (*http.Response, error) {
	hold := h.hold
	h.hold = time.Time{}
	if time.Now().Before(hold) { // azcore polls a resumed operation before it waits
		return responseWithPause(h.p.Status()), nil
	}

	h.pause(ctx)
	h.heard.Store(nil)
	st, err := h.p.Poll(ctx)
	h.read = time.Now()
	if _, ended := errors.AsType[*lroerrors.WaitError](err); ended {
		return nil, ResponseError(err)
	}

	if h.askedForPause() {
		return responseWithPause(st), nil
	}
	return response(st), nil
}

// pause waits until the shortest pause since the last read is over, or until ctx ends. In the
// latter case, h.p.Poll returns the error of the context.
func (h *handler[T]) pause(ctx context.Context) {
	if h.read.IsZero() {
		return
	}
	select {
	case <-time.After(time.Until(h.read.Add(shortest(h.opts.Cadence)))):
	case <-ctx.Done():
	}
}

// askedForPause reports whether the last response has a Retry-After.
func (h *handler[T]) askedForPause() bool {
	heard := h.heard.Load()
	if heard == nil {
		return false
	}
	_, asked := transport.RetryAfter(*heard, h.read)
	return asked
}

// shortest returns c.Min, or its default if it is not set.
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

// Result implements azcore's PollingHandler. It keeps trying until it has the result, because
// azcore's PollUntilDone does not call it again after an error. If the operation failed, the error
// is also an *azcore.ResponseError. If the result could not be read, the error is not an
// *azcore.ResponseError, because azcore would store such an error and return it from every later
// call.
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

// MarshalJSON returns the token of the operation. azcore embeds it in its own token.
func (h *handler[T]) MarshalJSON() ([]byte, error) {
	token, err := h.p.ResumeToken()
	return []byte(token), err
}

// UnmarshalJSON resumes an operation from one of our tokens, or from one of azcore's own
// handlers.
func (h *handler[T]) UnmarshalJSON(token []byte) error {
	var err error
	h.p, err = poller.Resume[T](string(token), h, h.opts)
	if err != nil {
		return err
	}

	// Only a WaitError says whether the service asked for the pause. Calling Poll with a canceled
	// context returns a WaitError without sending anything.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = h.p.Poll(ended)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.Asked {
		h.hold = wait.NextPoll
	}
	return nil
}
