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

// A Handler is a polling handler of azcore that leaves everything to a [poller.Poller]:
// how the operation is followed, when it is asked, what a wait survives, where requests
// may go. [Azcore], [NewPoller] and [NewPollerFromResumeToken] make it for you; with a
// Tracer, give it to azcore's own functions of these names as Options.Handler.
//
// Its methods are azcore's to call, and like azcore's pollers not for several goroutines.
type Handler[T any] struct {
	p     *poller.Poller[T]
	asked bool // Poll has been called

	doer poller.Doer // of one that is yet to be resumed
	opts *poller.Options
}

var _ runtime.PollingHandler[any] = (*Handler[any])(nil)

// NewHandler returns the handler that has p do its work, for runtime.NewPoller.
func NewHandler[T any](p *poller.Poller[T]) *Handler[T] { return &Handler[T]{p: p} }

// NewResumeHandler returns a handler for runtime.NewPollerFromResumeToken, which takes
// up the operation of a token through client. opts are those of poller.Resume.
func NewResumeHandler[T any](client poller.Doer, opts *poller.Options) *Handler[T] {
	return &Handler[T]{doer: client, opts: opts}
}

// Done implements azcore's PollingHandler.
func (h *Handler[T]) Done() bool { return h.p != nil && h.p.Done() }

// Poll implements azcore's PollingHandler. It reads the status once, and the response is
// made of what is known then: the status, its error, and in Retry-After-Ms the time until
// the next read is due, which azcore's PollUntilDone obeys before its own frequency. The
// service's own response, read to its end, is what policy.WithCaptureResponse captures.
//
// A failed read that is survived is no error here, for azcore would stop at it. Only the
// first Poll may read nothing: azcore polls before it waits, and where the service has
// asked for a pause that is not over yet, what is known is all there is to say.
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
// *azcore.ResponseError too. If the result could not be read, it is not, because azcore
// would keep such an error, and the caller may ask again.
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

// UnmarshalJSON takes up the operation of a token, ours or that of any of azcore's own
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
