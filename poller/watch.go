package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
	"github.com/lro-go/lro/transport"
)

// WatchOptions configure [Watch], which copies them; nil means the defaults.
type WatchOptions struct {
	Name     string        // used in String, errors and logs; the name of the type T by default
	Cadence  Cadence       // as in Options; the first read is due at once, or after Delay
	Patience Patience      // as in Options; with the default Time, errors without an HTTP status code are tolerated for only 5 min
	Delay    time.Duration // the pause before the first read, which Poll and WakeUp do not shorten; none by default

	// Times is how many reads in a row must show the same ending, not counting failed reads; 1 by
	// default. Until then, State is InProgress, and a success only sets Status.Unconfirmed.
	Times int

	// NotFoundIs is the State after a read whose error matches [lroerrors.ErrNotFound], or that
	// returns a nil pointer and no error. By default, the judge decides. If NotFoundIs is
	// Succeeded, only such a read is a success: a Succeeded from the judge means InProgress.
	NotFoundIs State

	// StatusOf returns the HTTP status code, Retry-After and Detail of a client's error for the
	// rules of [Patience], or nil for an unknown error. By default, it recognizes a
	// [*lroerrors.StatusError], fs.ErrNotExist, and the methods HTTPStatusCode() int, StatusCode()
	// int and RetryAfter() time.Duration. It may run for a read and for Cancel at the same time.
	StatusOf func(error) *lroerrors.StatusError

	Timeout time.Duration                       // the time limit for one read; 1 min by default
	Cancel  func(context.Context, Status) error // none by default; implements Poller.Cancel, which may call it during a read
	Logger  *slog.Logger                        // none by default; gets the same records as Options.Logger, but with the attribute "name" instead of "url"
}

// String describes the options without the functions and the Logger.
func (o WatchOptions) String() string {
	return fmt.Sprintf("{Name:%s Cadence:%+v Patience:%+v Delay:%s Times:%d NotFoundIs:%s Timeout:%s}",
		redact.Text(o.Name), o.Cadence, o.Patience, o.Delay, o.Times, redact.Text(string(o.NotFoundIs)), o.Timeout)
}

// Watch follows anything that a function can read, such as an object that a typed client gets, a
// database row or a file. The Poller has the same cadence, patience and errors as one that follows
// an operation over HTTP, and a [Group] can contain it. It has no resume token: after a restart,
// call Watch again. Its result is the value of the last read. Watch panics if get is nil.
//
// judge interprets each read: see [Judge], and [Until], [Words], [Gone] and [Found]. If judge is
// nil, Watch looks for provisioningState in the JSON of the value, at the top level or in
// properties. If the first value lacks it, the wait ends at once with the reason Unfollowable. If a
// later one lacks it, the read has failed. An error from get is a failed read, unless the judge
// decides otherwise. The rules of [Patience] apply to an error with an HTTP status code.
//
// get must not modify anything. For one Poller, get and judge never run concurrently. The context
// of get ends with the caller's, after Timeout, or when get returns. The Poller waits even for a
// get that ignores its context. If get fails after the caller's context ended, judge is not called.
//
// The first read after an update may still report an earlier success. Compare a generation or
// version in judge (see Examples), or set Times or Delay.
func Watch[T any](get func(context.Context) (T, error), judge Judge[T], opts *WatchOptions) *Poller[T] {
	if get == nil {
		panic("lro: Watch: get is nil")
	}
	w := &watch[T]{get: get, judge: judge}
	if opts != nil {
		w.WatchOptions = *opts
	}
	if w.judge == nil {
		w.judge = provisioned[T]
	}
	w.fillIn(reflect.TypeFor[T]().String())
	at := time.Now().Round(0)
	r := record.Record{Phase: record.Polling, Status: &Status{State: InProgress}, Began: at, LastRead: at}
	if w.Delay > 0 {
		r.Hold(w.Delay)
	}
	return w.poller(r)
}

// fillIn sets the defaults. Its parameter is the default Name: the name of the type T.
func (o *WatchOptions) fillIn(name string) {
	if o.StatusOf == nil {
		o.StatusOf = statusOf
	}
	o.Name = redact.Text(cmp.Or(o.Name, name))
	o.Delay = max(o.Delay, 0)
	o.Times = max(o.Times, 1)
	o.Timeout = limitOf(o.Timeout, time.Minute)
}

// rules converts the Cadence and the Patience to record.Rules.
func (o *WatchOptions) rules() record.Rules {
	rules := record.Rules{Cadence: o.Cadence.rules(), Patience: o.Patience.rules()}
	if rules.Patience.Time == patienceTime {
		rules.Patience.WithoutCode = withoutCode
	}
	return rules
}

// withoutCode is how long a Watch with the default Patience.Time tolerates errors without an HTTP
// status code.
const withoutCode = 5 * time.Minute

// poller returns a Poller for w. The Poller starts with the record r.
func (w *watch[T]) poller(r record.Record) *Poller[T] {
	set := &engine.Settings{
		Rules:  w.rules(),
		Logger: loggerOr(w.Logger),
	}
	return &Poller[T]{core: engine.NewCore(set, w, r), watch: w}
}

// Finished returns a Poller that has ended with v and err, for tests of code that takes a Poller.
// Its State is Succeeded if err is nil, Canceled if err matches [lroerrors.ErrCanceled], and Failed
// otherwise.
func Finished[T any](v T, err error) *Poller[T] {
	state := Succeeded
	if errors.Is(err, lroerrors.ErrCanceled) {
		state = Canceled
	} else if err != nil {
		state = Failed
	}
	at := time.Now().Round(0)
	r := record.Record{Began: at, LastRead: at}
	r.End(Status{State: state})
	w := &watch[T]{WatchOptions: WatchOptions{Name: redact.Text(reflect.TypeFor[T]().String())}, value: v, ending: err}
	return w.poller(r)
}

// A watch implements [engine.Source] for a Poller from Watch or Finished. Only the goroutine whose
// turn it is to read may modify the watch. A watch that has ended never changes.
type watch[T any] struct {
	WatchOptions
	get   func(context.Context) (T, error)
	judge Judge[T]

	value  T
	reason error // the judge's reason for a failure
	ending error // the error that was passed to Finished; if set, the wait returns this error
	last   State // the State that the last read showed
	count  int   // how many reads in a row have shown that State
}

// Read implements [engine.Source].
func (w *watch[T]) Read(ctx context.Context, r record.Record, immediate bool) (read record.Reading) {
	if immediate { // a getter that uses package transport must not pause to retry
		ctx = transport.WithLongestPause(ctx, 0)
	}
	v, failed := w.getOnce(ctx)
	if failed != nil && ctx.Err() != nil {
		read.Err = failed // the context interrupted the read
		return read
	}
	st, err := w.judgeOnce(v, failed)
	if err == errNoState && r.Status.Word == "" { //nolint:errorlint // the default judge returns it unwrapped
		read.Err = &lroerrors.StatusError{URL: w.Name, Err: unsuitable{err}}
		return read
	}
	if err != nil && st.State != Failed && st.State != Canceled {
		w.fail(ctx, &read, err, failed)
		return read
	}
	w.value = v
	w.reason = err
	read.Move.Status = w.counted(st)
	if !st.NextPoll.IsZero() {
		read.Move.After = max(time.Until(st.NextPoll), 1)
	}
	return read
}

// unsuitable is the error for a first value without a provisioningState. It ends the wait, because
// the default judge could not interpret later values either.
type unsuitable struct{ error }

// Is makes an unsuitable error match ErrNotApplicable.
func (unsuitable) Is(target error) bool { return target == strategy.ErrNotApplicable }

// fail fills in the Reading of a failed read. It takes the judge's error and the getter's error,
// which is nil if the getter succeeded.
func (w *watch[T]) fail(ctx context.Context, read *record.Reading, err error, failed *lroerrors.StatusError) {
	se := failed
	if err != error(failed) { //nolint:errorlint // the judge may have wrapped failed to add a message
		se = w.statusError(ctx, err)
		if failed != nil && errors.Is(err, failed) {
			se.StatusCode = failed.StatusCode
			se.RetryAfter = failed.RetryAfter
		}
	}
	read.Err = se
	read.Authentic = se.StatusCode != 0
	read.Code = se.StatusCode
	if se.RetryAfter > 0 {
		read.Header = http.Header{"Retry-After-Ms": {strconv.FormatInt(se.RetryAfter.Milliseconds(), 10)}}
	}
}

// Enter implements [engine.Source].
func (w *watch[T]) Enter(context.Context, exchange.Link) (crowded bool, leave func()) {
	return false, func() {}
}

// Replacement implements [engine.Source]. It returns no other URL, because a Watch always calls
// get.
func (w *watch[T]) Replacement(strategy.Answer, strategy.Situation) (record.Move, error) {
	return record.Move{}, nil
}

// Stop implements [engine.Source].
func (w *watch[T]) Stop(ctx context.Context, _ *record.Record, now Status) error {
	if w.Cancel == nil {
		return &lroerrors.StatusError{URL: w.Name, Err: fmt.Errorf("WatchOptions.Cancel is not set: %w", errors.ErrUnsupported)}
	}
	err := w.Cancel(ctx, now)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return engine.ErrInterrupted
	}
	return w.statusError(ctx, err)
}

// Subject implements [engine.Source].
func (w *watch[T]) Subject(*record.Record) (kind, name string) { return "name", w.Name }

// Key implements [engine.Source]. It returns nil, because a Watch does not know which service may
// throttle its client.
func (w *watch[T]) Key(*record.Record) any { return nil }

// Token implements [engine.Source].
func (w *watch[T]) Token(*record.Record) (string, error) {
	return "", fmt.Errorf("lro: a Watch has no resume token; call Watch again: %w", errors.ErrUnsupported)
}

// getOnce calls get and converts its error. A nil value becomes ErrNotFound. If the read took
// longer than Timeout, a nil value or an error without an HTTP status code becomes a TimeoutError.
func (w *watch[T]) getOnce(parent context.Context) (T, *lroerrors.StatusError) {
	tooLate := &exchange.TimeoutError{What: "the read did not return", Limit: w.Timeout, Option: "WatchOptions.Timeout"}
	ctx, stop := context.WithTimeoutCause(parent, w.Timeout, tooLate)
	defer stop()
	v, err := w.get(ctx)
	isMissing := err == nil && isNil(v)
	if isMissing {
		err = lroerrors.ErrNotFound
	}
	if err == nil {
		return v, nil
	}
	failed := w.statusError(parent, err)
	late, isLate := context.Cause(ctx).(*exchange.TimeoutError) //nolint:errorlint // our own
	if isLate && (isMissing || failed.StatusCode == 0) {
		failed = &lroerrors.StatusError{URL: w.Name, Err: late}
	}
	return v, failed
}

// isNil reports whether v is nil or a nil pointer, even inside an interface.
func isNil(v any) bool {
	p := reflect.ValueOf(v)
	return !p.IsValid() || p.Kind() == reflect.Pointer && p.IsNil()
}

// judgeOnce returns the Status of a read, as decided by NotFoundIs or the judge. If the State is
// Failed or Canceled, the error is the reason. With any other State, an error means that the read
// has failed.
func (w *watch[T]) judgeOnce(v T, failed *lroerrors.StatusError) (Status, error) {
	var err error
	if failed != nil {
		err = failed
	}
	if w.NotFoundIs != "" && errors.Is(err, lroerrors.ErrNotFound) {
		if w.NotFoundIs == Succeeded || w.NotFoundIs == InProgress {
			err = nil
		}
		return Status{State: w.NotFoundIs}, err
	}
	st, err := w.judge(v, err)
	if w.NotFoundIs == Succeeded && st.State == Succeeded {
		st.State = InProgress
	}
	return st, err
}

// counted applies Times to st, the Status of the last read. A terminal State becomes InProgress
// until Times reads in a row agree on it. counted also clears Operations and Unconfirmed, which a
// judge must not set.
func (w *watch[T]) counted(st Status) Status {
	if st.State != w.last {
		w.last = st.State
		w.count = 0
	}
	w.count++
	st.Operations = nil
	st.Unconfirmed = false
	if st.State.Terminal() && w.count < w.Times {
		st.Unconfirmed = st.State == Succeeded
		st.State = InProgress
	}
	return st
}

// outcome returns the result or the error with which the watch ended.
func (w *watch[T]) outcome(r *record.Record) (T, error) {
	if w.ending != nil || r.Status.State == Succeeded {
		return w.value, w.ending
	}
	err := r.OperationError()
	err.Watched = w.Name
	err.Err = w.reason
	var zero T
	return zero, err
}

// statusError converts an error from the caller's functions into a *StatusError.
func (w *watch[T]) statusError(ctx context.Context, err error) *lroerrors.StatusError {
	ours := lroerrors.StatusError{}
	if theirs := w.StatusOf(err); theirs != nil {
		ours = *theirs
	}
	ours.Method, ours.URL = "", w.Name
	if se, ok := err.(*lroerrors.StatusError); !ok { //nolint:errorlint // do not lose the message of an error that wraps a StatusError
		ours.Err = err
	} else if ours.Err == nil {
		ours.Err = se.Err
	}
	ours.Err = redact.RequestError(ctx, ours.Err)
	return &ours
}

// statusOf is the default of [WatchOptions].StatusOf.
func statusOf(err error) *lroerrors.StatusError {
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.LastErr != nil {
		return wait.LastErr // the getter itself waited, and this was its last failed read
	}
	if se, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		return se
	}
	se := &lroerrors.StatusError{StatusCode: codeOf(err)}
	if e, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		se.RetryAfter = e.RetryAfter()
	}
	return se
}

// codeOf returns the HTTP status code of a client's error. Without a code, it returns 404 if the
// error means that something does not exist, and 0 otherwise.
func codeOf(err error) int {
	if e, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err); ok {
		return e.HTTPStatusCode()
	}
	if e, ok := errors.AsType[interface {
		error
		StatusCode() int
	}](err); ok {
		return e.StatusCode()
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, lroerrors.ErrNotFound) {
		return http.StatusNotFound
	}
	return 0
}
