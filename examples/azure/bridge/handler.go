package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A Handler is a polling handler for azcore that delegates to a [poller.Poller], which
// decides how to follow the operation, when to read it, which failures to tolerate and where
// requests may go. [Azcore], [NewPoller] and [NewPollerFromResumeToken] create one for you.
// To use a Tracer, pass it to azcore's functions of the same names as Options.Handler.
//
// Only azcore should call its methods. They must not be called concurrently.
type Handler[T any] struct {
	p     *poller.Poller[T]
	asked bool // Poll has been called

	doer poller.Doer // for UnmarshalJSON to resume with
	opts *poller.Options
}

var _ runtime.PollingHandler[any] = (*Handler[any])(nil)

// NewHandler returns a handler that delegates to p, for runtime.NewPoller.
func NewHandler[T any](p *poller.Poller[T]) *Handler[T] { return &Handler[T]{p: p} }

// NewResumeHandler returns a handler for runtime.NewPollerFromResumeToken, which
// resumes an operation through client. opts are passed to poller.Resume.
func NewResumeHandler[T any](client poller.Doer, opts *poller.Options) *Handler[T] {
	return &Handler[T]{doer: client, opts: opts}
}

// Done implements azcore's PollingHandler.
func (h *Handler[T]) Done() bool { return h.p != nil && h.p.Done() }

// Poll implements azcore's PollingHandler. It reads the status once and returns a response
// with the known status, its error, and in Retry-After-Ms the time until the next read is
// due, which azcore's PollUntilDone prefers to its own frequency. policy.WithCaptureResponse
// captures the service's own response, read to its end.
//
// Poll does not return the error of a tolerated failure, because azcore would stop there. The
// first Poll reads nothing if the pause that the service asked for is not over, because azcore
// polls before it waits.
func (h *Handler[T]) Poll(ctx context.Context) (*http.Response, error) {
	if h.p == nil {
		return nil, errNotResumed
	}
	first := !h.asked
	h.asked = true
	if first && time.Now().Before(h.p.NextPoll()) {
		return response(h.p.Status()), nil
	}
	st, err := h.p.Poll(ctx)
	if _, ended := errors.AsType[*lroerrors.WaitError](err); ended {
		return nil, withResponse(err)
	}
	return response(st), nil
}

// Result implements azcore's PollingHandler. It waits for the result, because azcore
// does not call it again after a failure. The error of an operation that failed is an
// *azcore.ResponseError too. If the result could not be read, it is not one, because
// azcore would keep that error, and the caller could not try again.
func (h *Handler[T]) Result(ctx context.Context, out *T) error {
	if h.p == nil {
		return errNotResumed
	}
	if !h.p.Done() {
		return lroerrors.ErrNotDone
	}
	v, err := h.p.PollUntilDone(ctx)
	if _, failed := errors.AsType[*lroerrors.OperationError](err); failed {
		return withResponse(err)
	}
	if err != nil {
		return err
	}
	*out = v
	return nil
}

// MarshalJSON makes the token of the operation, which azcore puts into its own.
func (h *Handler[T]) MarshalJSON() ([]byte, error) {
	if h.p == nil {
		return nil, errNotResumed
	}
	token, err := h.p.ResumeToken()
	return []byte(token), err
}

// UnmarshalJSON resumes an operation from one of our tokens, or from one of azcore's own
// handlers.
func (h *Handler[T]) UnmarshalJSON(token []byte) (err error) {
	h.p, err = poller.Resume[T](string(token), h.doer, h.opts)
	return err
}

var errNotResumed = errors.New("bridge: the handler has no operation yet")

var (
	_ json.Marshaler   = (*Handler[any])(nil)
	_ json.Unmarshaler = (*Handler[any])(nil)
)
