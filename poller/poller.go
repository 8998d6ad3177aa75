package poller

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A Doer sends a request and returns the response, like [*http.Client] and azcore's Transporter. It
// also authorizes, retries and logs. The poller limits an *http.Client's redirects to the allowed
// origins; any other Doer must limit its own. A nil Doer means transport.NewClient(nil).
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Poller follows one operation to its result, decoded from JSON into a T. Use struct{} for no
// result, and json.RawMessage for the unchanged JSON.
//
// Its methods are safe for concurrent use. Only one read runs at a time: PollUntilDone, Updates,
// Poll and Result wait for their turn, unless their context ends first. The other methods never
// wait for a read; Cancel sends its request even during a read.
//
// Your code that runs during a read, such as a Strategy, a Doer, a Logger or the result's
// UnmarshalJSON, must not call any of these four methods of the same Poller. A panic in this code
// reaches the goroutine that called the method or ranges over Updates. See docs/concurrency.md.
type Poller[T any] struct {
	core  *engine.Core
	watch *watch[T] // nil unless Watch or Finished returned the Poller

	mu    sync.Mutex
	value *T // the result, once it has been decoded
}

// New follows an operation that has already been started. Use it instead of [Begin] if you need the
// first response's headers. resp is that response: a 200, 201, 202 or 204 whose Request is set, as
// http.Client sets it. New reads the body and leaves it readable.
//
// The error is a [*lroerrors.StatusError] if resp is nil, has another code, or has no Request (set
// it, and call New again). It is a [*lroerrors.WaitError] with the reason Unfollowable if the
// service accepted the operation but New cannot follow it with these options:
//   - the options are invalid;
//   - the response names no URL to poll, or an invalid one (ErrNoOperation);
//   - the URL leads to an origin that is not allowed (ErrForeignOrigin);
//   - the strategy is for another protocol ([strategy.ErrNotApplicable]);
//   - the strategy needs the body, which is unreadable or may be cut off.
//
// To continue with other options, pass the WaitError's ResumeToken to [Resume], which reads the
// resource if the response body of a PUT or PATCH was lost.
func New[T any](resp *http.Response, client Doer, opts *Options) (*Poller[T], error) {
	if resp == nil {
		return nil, &lroerrors.StatusError{Err: exchange.Rejected(errors.New("the response is nil"))}
	}
	return wrap[T](engine.New(resp, engineOptions[T](client, opts)))
}

// Begin sends req and returns a Poller for the operation that req starts. It returns the same
// errors as [New]. It also returns a [*lroerrors.StatusError] if it gets no response, for example
// because req's context ends. If the options are invalid, it returns a StatusError and sends
// nothing. It does not change req, and uses req's context only for this request.
//
// If the response is lost, package transport sends req again, whatever its method, up to four times
// in total, as the ARM resource provider API recommends. A service that does not recognize a
// repeated POST then starts several operations. With the policy transport.IdempotentOnly, a POST or
// PATCH is sent only once. Begin returns after the last attempt, or before a pause that is longer
// than transport.WithLongestPause allows.
//
// After an error, see [Classify]. To look for the operation, pass a GET of the resource to Begin,
// or its response to New, with arm.ProvisioningState or the service's strategy. Check that the
// resource is what you asked for. If Unanswered is set, an earlier attempt or another client may
// have caused a 409, 412 or 404. After a POST, look for its effect. You can repeat a POST that had
// an id such as Repeatability-Request-ID from the start.
func Begin[T any](req *http.Request, client Doer, opts *Options) (*Poller[T], error) {
	if req == nil || req.URL == nil {
		return nil, &lroerrors.StatusError{Err: exchange.Rejected(errors.New("the request or its URL is nil"))}
	}
	return wrap[T](engine.Begin(req, engineOptions[T](client, opts)))
}

// Resume continues an operation from a token of this package or of azcore. It sends nothing. opts
// must list all origins that the poller may read from, and have the same Strategy as before, with
// any [Confirm] and [CrossCheck] around it. FinalStateVia, ResultPointer and Words override the
// token's values; the token does not hold the other options.
//
// The error wraps ErrBadToken if the token is invalid, ErrNewerToken if a later release wrote it,
// and ErrForeignOrigin if its origin is not allowed. If the token comes from an Unfollowable
// [*lroerrors.WaitError] and the new options do not help, the error is again a WaitError. Any other
// error reports invalid options. With a wrong Strategy, the first read fails.
func Resume[T any](token string, client Doer, opts *Options) (*Poller[T], error) {
	return wrap[T](engine.Resume(token, engineOptions[T](client, opts)))
}

func engineOptions[T any](client Doer, opts *Options) engine.Options {
	o := engine.Options{Client: client, Settings: defaults(), NoResult: isNone[T]()}
	if opts != nil {
		o.Settings, o.Err = opts.settings()
	}
	return o
}

func wrap[T any](core *engine.Core, err error) (*Poller[T], error) {
	if err != nil {
		return nil, err
	}
	return &Poller[T]{core: core}, nil
}

// PollUntilDone reads the status on schedule (see [Cadence]) until the operation has ended, and
// returns its result.
//
// The error is a [*lroerrors.OperationError], a [*lroerrors.ResultError] or a
// [*lroerrors.WaitError]. After the last two, call PollUntilDone again to continue. A result or an
// OperationError is final, and later calls return it again.
func (p *Poller[T]) PollUntilDone(ctx context.Context) (T, error) {
	for {
		known := p.core.Reads()
		v, ready, err := p.outcome()
		if ready {
			return v, err
		}
		err = p.core.Next(ctx, known, engine.ForResult)
		if engine.EndsWait(err) {
			return *new(T), err
		}
	}
}

// Poll reads the status right away, regardless of the schedule. In three cases, it sends nothing
// and returns the last status: once the operation has ended, during the Delay of a [Check], and
// while the throttle gate holds reads back (see NextPoll). Failed and Canceled are not errors.
//
// The error is a [*lroerrors.StatusError] if the read failed but a later one may succeed. It is a
// [*lroerrors.WaitError] if ctx ended, patience has run out, or another read is unlikely to help,
// for example because the service refused this one. Poll then returns the last known status and may
// be called again.
func (p *Poller[T]) Poll(ctx context.Context) (Status, error) {
	err := p.core.Read(ctx, p.core.Reads(), engine.ForEnd)
	return p.Status(), err
}

// Updates yields the last known status, then reads on schedule and yields a status for each read,
// until the operation has ended. After a failed read, Status.ReadErr is set. If the wait ends
// early, the last element has a [*lroerrors.WaitError]; no other error is yielded.
//
// After the loop, call PollUntilDone, or Result, which does not wait. Both return an error for
// Failed and Canceled. You may end the loop at any time. A new loop first yields the last known
// status and continues from there.
func (p *Poller[T]) Updates(ctx context.Context) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		known := p.core.Reads()
		st := p.Status()
		for yield(st, nil) && !st.State.Terminal() {
			err := p.core.Next(ctx, known, engine.ForEnd)
			st = p.Status()
			if engine.EndsWait(err) {
				yield(st, err)
				return
			}
			known = p.core.Reads()
		}
	}
}

// Done reports whether the operation has ended, even if its result is unread.
func (p *Poller[T]) Done() bool { return p.core.HasReached(engine.ForEnd) }

// Status returns the last known status of the operation. It sends nothing.
func (p *Poller[T]) Status() Status { return p.core.Status() }

// NextPoll returns the time when the next read is due; a time in the past means now. At that time,
// call Poll or, once the operation has ended, Result. A zero time means that nothing is left to
// read, so do not requeue: Result returns the outcome. In controller-runtime, return no error and a
// positive RequeueAfter, such as max(time.Until(p.NextPoll()), time.Millisecond).
func (p *Poller[T]) NextPoll() time.Time { return p.core.Status().NextPoll }

// URL returns the status URL, which may be signed. It identifies the operation, so you can use it
// to find the Poller for a notification.
func (p *Poller[T]) URL() string {
	r := p.core.Record()
	return string(r.MonitorURL())
}

// ResultURL returns the URL from which the result was or will be read, or "" until the operation
// has succeeded. It is the base of relative URLs in the result, such as the next page (RFC 3986,
// section 5.1.3). It may be signed.
func (p *Poller[T]) ResultURL() string {
	r := p.core.Record()
	return string(r.Result.At())
}

// ResumeToken returns a token for [Resume], even after the operation has ended. Store it like a
// secret: it has no credentials, but its URLs may be signed, and it may hold the result; see
// docs/tokens.md. It fails if the token would exceed 64 KiB, and after [Watch] or [Finished]
// (errors.ErrUnsupported).
func (p *Poller[T]) ResumeToken() (string, error) {
	return p.core.Token()
}

// Cancel asks the service to cancel the operation, with the request from Options.CancelRequest or
// else from the strategy. It does not wait for the operation to end: keep polling, and call WakeUp
// to read the status soon. Cancel also returns nil if the service says that the operation had
// already ended. It sends nothing once the operation has ended. Without CancelRequest, it also
// sends nothing while a success is unconfirmed.
//
// The error is a [*lroerrors.StatusError] if the service refused the request or sent no response,
// if CancelRequest failed, or if the operation cannot be canceled (errors.ErrUnsupported). It is a
// [*lroerrors.WaitError] if ctx ended.
func (p *Poller[T]) Cancel(ctx context.Context) error { return p.core.Cancel(ctx) }

// WakeUp makes the next read due now, for example after a notification, and returns right away. A
// call to PollUntilDone or Updates that is in progress makes the read. Otherwise, the next call
// that reads does. Early reads are at least Cadence.Min apart. WakeUp does not shorten a pause that
// the service asked for when a read failed, or the Delay of a [Check].
func (p *Poller[T]) WakeUp() { p.core.WakeUp() }

// String returns the URL and the status, without queries or credentials.
func (p *Poller[T]) String() string {
	if p.watch != nil {
		return fmt.Sprintf("watch of %s: %s", p.watch.Name, p.Status())
	}
	return fmt.Sprintf("operation at %s: %s", redact.RawURL(p.URL()), p.Status())
}
