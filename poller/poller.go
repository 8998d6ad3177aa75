package poller

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/transport"
)

// A Doer sends a request and returns the response, as [*http.Client] and azcore's
// Transporter do. Retries, credentials and logs belong there: see package transport.
// The poller keeps the redirects of an *http.Client within the origins that it may
// read; another Doer must do so itself.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Poller follows one operation to its result, a T decoded from JSON. T may be
// struct{} if there is no result, or json.RawMessage for the JSON unchanged.
//
// Its methods may be called from several goroutines. One read runs at a time; Done,
// Status, NextPoll, URL, ResultURL, ResumeToken and WakeUp never wait for it.
type Poller[T any] struct {
	c *core

	watching *watching[T] // of a Watch; nil otherwise

	mu    sync.Mutex
	value *T // the result, once it has been decoded
}

// New follows the operation that resp started. resp is the response to the request
// that started it, with its Request set, as http.Client does: 200, 201, 202 or 204.
// Its body is read and stays readable. A nil client means transport.NewClient(nil).
//
// The error is a [*lroerrors.StatusError] if resp is nil, has another code or has no
// Request (set it, and call New again), and a [*lroerrors.WaitError] with the reason
// Unfollowable if the service accepted an operation that these options cannot follow:
// the options are invalid, there is no header to poll or it cannot be parsed
// (ErrNoOperation), it leads to a foreign origin (ErrForeignOrigin), the strategy is for
// another protocol ([ErrNotApplicable]), or a body that is needed cannot be read or may
// have been cut. To continue with other options, resume its ResumeToken. The token of a
// PUT or PATCH whose body was lost reads the resource.
//
// The strategy is chosen as the asynchronous API reference says; see [ARM].
func New[T any](resp *http.Response, client Doer, opts *Options) (*Poller[T], error) {
	if resp == nil {
		return nil, &lroerrors.StatusError{Err: errors.New("there is no response to start from")}
	}
	set, err := resolve(opts)
	req := head(resp)
	if req == nil || req.URL == nil {
		return nil, readFirst(req, resp, set.resultLimit()).refusal("", errNoRequest)
	}
	return wrap[T](begin(req, resp, client, set, err))
}

var errNoRequest = errors.New("the response has no Request, whose method and URL decide how the operation is followed")

// Begin sends req and follows the operation that it starts. It returns what [New]
// returns; in addition, a *StatusError reports that no response came (for example
// because the context of req ended), or that nothing was sent because the options are
// invalid. req is not changed. Its context bounds this request only.
//
// A request that has been sent may take effect although its response is lost. Package
// transport then sends req again, up to four times in all and whatever the verb, as the ARM
// resource provider API recommends. A service that does not recognize the repeated POST
// starts several operations. With the policy transport.IdempotentOnly a POST or PATCH is
// sent once.
//
// If the StatusError is Unanswered, the operation may have started. A 409, 412 or 404 with
// Unanswered may be the consequence of our own first attempt: a PUT finds its own operation
// running, a DELETE finds nothing left to delete. To continue, Begin a GET of the resource
// with the strategy [ProvisioningState], or with the one for the service, and check that the
// resource is what you asked for, because another client may have caused the refusal. After a
// POST, look for its effect before you send it again, or send an id by which the service
// recognizes the repeat, such as Repeatability-Request-ID.
func Begin[T any](req *http.Request, client Doer, opts *Options) (*Poller[T], error) {
	if req == nil || req.URL == nil {
		return nil, &lroerrors.StatusError{Err: errors.New("there is no request to send")}
	}
	return wrap[T](send(req, client, opts))
}

// Resume continues an operation from a token, of this package or of azcore. It sends
// nothing. opts must name the Origins that may be read, and the same Strategy as
// before; its other fields override those in the token.
//
// The error wraps ErrBadToken if the token is invalid, and ErrForeignOrigin if it
// leads to an origin that is not in opts. It is a [*lroerrors.WaitError] with the
// reason Unfollowable if the operation still cannot be followed. Any other error is a
// mistake in the options.
func Resume[T any](token string, client Doer, opts *Options) (*Poller[T], error) {
	return wrap[T](resume(token, client, opts))
}

func wrap[T any](c *core, err error) (*Poller[T], error) {
	if err == nil && c.rec.Phase == unfollowed {
		err = c.follow(isNone[T]())
	}
	if err != nil {
		return nil, err
	}
	return &Poller[T]{c: c}, nil
}

// PollUntilDone reads the status on schedule until the operation has ended, and
// returns its result. It reads nothing before [Poller.NextPoll], unless our own pause
// would outlast ctx.
//
// The error is a [*lroerrors.OperationError], a [*lroerrors.ResultError] or a
// [*lroerrors.WaitError]. The last two leave the poller unchanged, and
// PollUntilDone may be called again. Once the operation has ended, it returns the
// same result or error each time.
func (p *Poller[T]) PollUntilDone(ctx context.Context) (T, error) {
	for {
		known := p.c.reads.Load()
		if v, ready, err := p.outcome(); ready {
			return v, err
		}
		if _, err := p.c.next(ctx, known, p.c.hasEnded); endsWait(err) {
			var zero T
			return zero, err
		}
	}
}

// Poll reads the status once, now, and never waits for the schedule. A status of
// Failed or Canceled is not an error; Result reports it. Once the operation has ended,
// and while a Move.Hold lasts, Poll sends nothing and returns the last status.
//
// The error is a [*lroerrors.StatusError] if the read failed and may succeed later,
// and a [*lroerrors.WaitError] if patience is spent, the service refuses, or ctx
// ended. Check for the *WaitError first, because it holds the *StatusError of the last
// read. The Status is then the one known before, and Poll may be called again. Calls
// from several goroutines take turns; one that finds that another has just read
// returns the same status.
func (p *Poller[T]) Poll(ctx context.Context) (Status, error) {
	return p.c.attempt(transport.WithLongestPause(ctx, 0), p.c.reads.Load(), p.c.rec.done)
}

// Updates yields the known status, then reads on schedule and yields one status
// for each read, until the operation has ended. After a failed read that may succeed
// later, Status.ReadErr is set. The only error it yields is a [*lroerrors.WaitError],
// as its last element.
//
// Failed and Canceled are statuses here; Result returns them as an error. Continue
// with PollUntilDone, which waits for the result, or with Result, which does not. The
// sequence may be stopped at any point. Ranging over it again continues, beginning
// with the status known then.
func (p *Poller[T]) Updates(ctx context.Context) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		known, st := p.c.reads.Load(), p.Status()
		for yield(st, nil) && !st.State.Terminal() {
			var err error
			if st, err = p.c.next(ctx, known, p.c.rec.done); endsWait(err) {
				yield(st, err)
				return
			}
			known = p.c.reads.Load()
		}
	}
}

// Done reports whether the operation has ended: succeeded, failed or canceled. Its
// result may not have been read yet.
func (p *Poller[T]) Done() bool { return p.c.isDone() }

// Status returns the last known status of the operation. It sends nothing.
func (p *Poller[T]) Status() Status { return p.c.status() }

// NextPoll returns when the next read is due, which is when a reconciler should come
// back: to call Poll, or Result once the operation has ended. PollUntilDone and
// Updates read at that time.
//
// A zero time means that nothing is left to read, so do not requeue: Result returns how the
// operation ended. A time in the past means that a read is due now. controller-runtime does
// not requeue if RequeueAfter is zero or less and Requeue is unset, and ignores both next to
// an error. So, unless NextPoll is zero, return a nil error and
//
//	RequeueAfter: max(time.Until(p.NextPoll()), time.Millisecond)
func (p *Poller[T]) NextPoll() time.Time { return p.c.status().NextPoll }

// URL returns the URL where the status is read. It identifies the operation, for
// example to match a notification with its Poller. It may be signed.
func (p *Poller[T]) URL() string {
	r := p.c.snapshot()
	return r.monitor().text
}

// FirstHeader returns a copy of the headers of the response that started the operation,
// such as Azure-AsyncNotification, until the first read. Later, after [Resume] and for a
// [Watch] it is nil. The headers may hold credentials, and are not part of a token.
func (p *Poller[T]) FirstHeader() http.Header {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	if p.c.first == "" {
		return nil
	}
	h, _ := textproto.NewReader(bufio.NewReader(strings.NewReader(p.c.first + "\r\n"))).ReadMIMEHeader()
	return http.Header(h)
}

// ResultURL returns the URL that the result was, or will be, read from. A relative
// URL within the result is relative to it (RFC 3986, section 5.1.3), such as the next
// link if the result is the first page of a listing. It may be signed. It is "" until
// the operation has succeeded.
func (p *Poller[T]) ResultURL() string {
	r := p.c.snapshot()
	return r.Result.at().text
}

// ResumeToken returns a token for [Resume], in every phase of the operation. It
// holds URLs but no credentials; a URL may be signed, so keep the token as you would
// keep the URL. The only error reports that the token would be larger than 64 KiB.
func (p *Poller[T]) ResumeToken() (string, error) {
	r := p.c.snapshot()
	return p.c.token(&r)
}

// Cancel asks the service to cancel the operation: with Options.CancelRequest, or
// as the strategy does it. Once the service has accepted, or answered that the
// operation had already ended, wait as before to learn how it ends; call WakeUp to
// learn it soon. Cancel is a no-op once the operation has ended and, unless
// Options.CancelRequest is set, while a success is unconfirmed.
//
// The error is a [*lroerrors.StatusError] if the service refused or did not answer,
// if CancelRequest failed, or if the operation cannot be canceled
// (errors.ErrUnsupported), and a [*lroerrors.WaitError] if ctx ended.
func (p *Poller[T]) Cancel(ctx context.Context) error { return p.c.cancel(ctx) }

// WakeUp makes one read due early; call it when the service sends a notification. It
// returns at once: a PollUntilDone or Updates in progress reads now, otherwise the next
// one does. However often WakeUp is called, it makes at most one read early in each
// Cadence.Min; a call that comes too soon is remembered. It shortens neither a pause that the
// service asked for on a failed read nor a Move.Hold.
func (p *Poller[T]) WakeUp() { p.c.wake() }

// String describes the operation for people, without query or credential.
func (p *Poller[T]) String() string {
	if p.watching != nil {
		return fmt.Sprintf("watch of %s: %s", p.watching.Name, p.Status())
	}
	return fmt.Sprintf("operation at %s: %s", redact.RawURL(p.URL()), p.Status())
}
