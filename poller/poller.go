package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// A Doer sends a request and returns the response, as [*http.Client] and the
// Transporter of azcore do. It is where retries, credentials and logs belong:
// see package transport. The redirects of an *http.Client are kept within the
// origins that the poller may ask; those of another Doer are its own affair.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Poller follows one operation to its result, a T decoded from JSON. A T of
// struct{} stands for "no result", and json.RawMessage for the JSON as it came.
//
// Its methods may be called by several goroutines. One status is read at a time;
// Done, Status, NextPoll, ResumeToken and WakeUp never wait for a read.
type Poller[T any] struct {
	c *core

	mu    sync.Mutex
	value *T // the result, once it has been read
}

// New follows the operation that resp began. resp is the response to the
// request that began it, with its Request set, as http.Client does: 200, 201,
// 202 or 204. Its body is read and stays readable. A nil client means
// transport.NewClient(nil).
//
// The error is a [*lroerrors.StatusError] where resp is nil or accepted nothing
// (another code), or a [*lroerrors.WaitError] with the reason Unfollowable where
// the service accepted an operation that cannot be followed with these options: a
// mistake in them, no header to poll or an unparsable one (ErrNoOperation), a
// foreign one (ErrForeignOrigin), a strategy of another protocol
// ([ErrNotApplicable]), or a body that is needed and cannot be read. Its
// ResumeToken goes on once the options are wider.
//
// The strategy is chosen as the asynchronous API reference has it; see [ARM].
func New[T any](resp *http.Response, client Doer, opts *Options) (*Poller[T], error) {
	return wrap[T](begin(head(resp), resp, client, opts, extra{}))
}

// Begin sends req and follows the operation that it begins. What it returns and
// fails with is as for [New]; beside that, a *StatusError says that there was no
// answer (because the context of req ended, for one), or that nothing was sent
// because of a mistake in the options. req is not changed. Its context bounds
// this request only.
//
// With Options.Repeat the request is sent again where it is refused so, within its
// context. A context that ends in the pause before, or would, is in the error beside
// the refusal, which is a *StatusError: nothing was accepted, so there is no token.
//
// Where no answer came, the service may have begun the operation all the same:
// do not give req a context that Ctrl-C ends, and after a lost answer read the
// resource, or send the request again if that is idempotent.
func Begin[T any](req *http.Request, client Doer, opts *Options) (*Poller[T], error) {
	if req == nil || req.URL == nil {
		return nil, &lroerrors.StatusError{Err: errors.New("there is no request to begin with")}
	}
	return wrap[T](send(req, wire.OrDefault(client), opts))
}

// Resume takes up an operation from the text that ResumeToken made, in this
// process or another, or from a token of azcore's runtime.Poller. It sends
// nothing. Options.Origins must name the origins that may be asked, because a
// forged token would vouch for itself. Give it the Strategy, Header, CancelRequest,
// Cadence, Patience, Confirm, CrossCheck and Repeat that the operation was begun
// with: a token holds none of them. It holds FinalStateVia, ResultPointer and Words,
// and those of opts go before them. A nil client means transport.NewClient(nil).
//
// The error wraps ErrBadToken where the text is no token, ErrForeignOrigin where
// it leads to an origin that Origins does not name, and is a
// [*lroerrors.WaitError] with the reason Unfollowable where the operation still
// cannot be followed. Any other names a mistake in the options.
func Resume[T any](token string, client Doer, opts *Options) (*Poller[T], error) {
	return wrap[T](resume(token, client, opts))
}

func wrap[T any](c *core, err error) (*Poller[T], error) {
	if err != nil {
		return nil, err
	}
	return &Poller[T]{c: c}, nil
}

// PollUntilDone reads the status on schedule until the operation has ended, and
// returns its result. It reads nothing before [Poller.NextPoll], unless a pause of
// our own would outlast ctx.
//
// The error is a [*lroerrors.OperationError], a [*lroerrors.ResultError] or a
// [*lroerrors.WaitError]. After the last two the poller stands where it stood,
// and PollUntilDone goes on from there. On an operation that has ended it is the
// same as [Poller.Result].
func (p *Poller[T]) PollUntilDone(ctx context.Context) (T, error) {
	for known := p.c.readCount(); !p.Done(); known = p.c.readCount() {
		if _, err := p.c.next(ctx, known); endsWait(err) {
			var zero T
			return zero, err
		}
	}
	return p.Result(ctx)
}

// Poll reads the status once, now, and never waits for the schedule. A status of
// Failed or Canceled is no error; Result tells it. Once the operation has ended,
// Poll returns the last status and sends nothing. In a pause of Confirm.After or
// Repeat.Every it sends nothing either, and returns what is known.
//
// The error is a [*lroerrors.StatusError] where the read failed and the failure
// is survived, or a [*lroerrors.WaitError] where patience has ended, the service
// refuses, or ctx ended. Ask for the *WaitError first, because it holds the
// *StatusError of the last read. The Status then is the one known before, and
// Poll may be called again. Calls from several goroutines take turns, and a turn that
// finds that another has just read returns what that one learned.
func (p *Poller[T]) Poll(ctx context.Context) (Status, error) {
	return p.c.poll(ctx, p.c.readCount())
}

// Updates returns the known status, then reads on schedule and yields one status
// a read, until the operation has ended. A failed read that is survived has its
// error in Status.ReadErr. A [*lroerrors.WaitError] ends the sequence and is its
// only error.
//
// Failed and Canceled are statuses here; ask Result for them as an error. The
// sequence may be stopped at any point. Ranging again goes on from there, with the
// status then known first.
func (p *Poller[T]) Updates(ctx context.Context) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		known, st := p.c.readCount(), p.Status()
		for yield(st, nil) && !st.State.Terminal() {
			var err error
			if st, err = p.c.next(ctx, known); endsWait(err) {
				yield(st, err)
				return
			}
			known = p.c.readCount()
		}
	}
}

// Done reports whether the operation has ended, well or not. Its result may not
// have been read yet.
func (p *Poller[T]) Done() bool { return p.Status().State.Terminal() }

// Status returns what is known of the operation. It sends nothing.
func (p *Poller[T]) Status() Status { return p.c.status() }

// NextPoll returns when the next read is due, which is when a reconciler comes
// back. PollUntilDone and Updates read nothing before it, and at once after it.
// It is zero when the operation has ended.
func (p *Poller[T]) NextPoll() time.Time { return p.c.status().NextPoll }

// ResultURL returns the URL that the result was, or will be, read from: what a
// relative URL within the result is relative to (RFC 3986, section 5.1.3), such as
// the next link of a result that is the first page of a listing. It may be signed.
// It is "" as long as the operation has not succeeded.
func (p *Poller[T]) ResultURL() string {
	s := p.c.snapshot()
	end := s.success()
	return cmp.Or(end.URL, end.From)
}

// ResumeToken returns a text from which [Resume] goes on, at any time and in
// every state. It holds URLs but no credential; a URL may be signed, so keep it
// as you would keep the URL. It fails only where the token would be larger than
// 64 KiB, and names the size.
func (p *Poller[T]) ResumeToken() (string, error) { return encodeToken(p.c.snapshot()) }

// Cancel asks the service to cancel the operation: as Options.CancelRequest
// says, else as the strategy does. A request that is accepted, or that says that
// the operation had already ended, leaves the waiting to the poller, which tells
// how it ends; call WakeUp to learn it soon. On an operation known to have ended,
// Cancel sends nothing, nor on one that has told success and is yet to be confirmed,
// unless Options.CancelRequest says how. One that failed and was to be begun again
// ends as it failed; and one whose canceling is accepted is not begun again.
//
// The error is a [*lroerrors.StatusError] where the service refused or did not
// answer, where CancelRequest failed, or where there is no way to cancel
// (errors.ErrUnsupported), or a [*lroerrors.WaitError] where ctx ended.
func (p *Poller[T]) Cancel(ctx context.Context) error { return p.c.cancel(ctx) }

// WakeUp tells the poller that the service has sent a notification: one read may
// come before NextPoll. It returns at once; a PollUntilDone or Updates under way
// reads now, and else the next one does. A pause of Confirm.After or Repeat.Every
// lasts all the same.
func (p *Poller[T]) WakeUp() { p.c.wake() }

// String describes the operation for people, without query or credential.
func (p *Poller[T]) String() string {
	return fmt.Sprintf("operation at %s: %s", p.c.where(), p.Status())
}
