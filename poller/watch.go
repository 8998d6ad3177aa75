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
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// WatchOptions configure [Watch]. Both the zero value and nil select the defaults. Watch makes a
// copy of the options.
type WatchOptions struct {
	Name     string        // shown by String, errors and logs; "" means the name of the type T
	Cadence  Cadence       // as in Options; the first read is made at once, or after Delay
	Patience Patience      // as in Options; if it is zero, errors without an HTTP status code are tolerated for only 5 min
	Delay    time.Duration // the pause before the first read; neither Poll nor WakeUp shortens it

	// Times is how many reads in a row must agree on the same ending; 0 means 1. Until they
	// do, the State is InProgress and, if the ending is Succeeded, Status.Unconfirmed is
	// set. A failed read does not change the count.
	Times int

	// NotFoundIs is the State for a read that finds nothing, that is, a read whose error matches
	// [lroerrors.ErrNotFound] or that returns a nil pointer without an error. If NotFoundIs is
	// Succeeded, a Succeeded from the judge becomes InProgress. "" means that the judge decides.
	NotFoundIs State

	// StatusOf returns the HTTP status code, the Retry-After and the Detail of a client's
	// error, so that the rules for failed reads apply to it. It returns nil for an error that
	// it does not recognize. By default, StatusOf recognizes a [*lroerrors.StatusError],
	// fs.ErrNotExist, and the methods HTTPStatusCode() int, StatusCode() int and
	// RetryAfter() time.Duration. It may be called for a read and for Cancel at the same time.
	StatusOf func(error) *lroerrors.StatusError

	Timeout time.Duration                       // the time limit for one read; 0 means 1 min, and a negative value means no limit
	Cancel  func(context.Context, Status) error // implements Poller.Cancel; it may run during a read
	Logger  *slog.Logger                        // as in Options; the log records have the attribute name instead of url
}

// String describes the options without their functions and the Logger.
func (o WatchOptions) String() string {
	return fmt.Sprintf("{Name:%s Cadence:%+v Patience:%+v Delay:%s Times:%d NotFoundIs:%s Timeout:%s}",
		redact.Text(o.Name), o.Cadence, o.Patience, o.Delay, o.Times, redact.Text(string(o.NotFoundIs)), o.Timeout)
}

// Watch follows anything that a function can read, such as the object that the Get method of a
// typed client returns, a database row or a file. get must not modify anything. The Poller has the
// same cadence and patience, tolerates the same failures and returns the same errors as a Poller
// that follows an operation over HTTP, and a [Group] can wait for it. Its result is the value of
// the last read. Watch panics if get is nil.
//
// judge interprets each read: see [Judge], and [Until], [Words], [Gone] and [Found]. A nil judge
// looks for provisioningState in the JSON of the value, at the top level or in properties; if that
// member is missing, the read has failed.
//
// If get returns an error, the read has failed, unless the judge decides otherwise. If the
// error has an HTTP status code, the rules of [Patience] apply: a 403 ends the wait as Refused,
// a 404 is tolerated for five minutes, and a 429 postpones the next read. A Watch has no
// resume token ([Poller.ResumeToken] returns errors.ErrUnsupported): call Watch again.
//
// For one Poller, get and judge never run concurrently. The context of get ends with the caller's,
// after Timeout, and when get returns. If get ignores its context, the call that made the read waits
// until get returns. If the caller's context ends during a read, judge is not called, because the
// error of such a read says nothing about the value.
//
// The first read after an update may still report the success of an earlier update. Compare a
// generation or a version in judge, as shown in an Example, or set Times or Delay.
func Watch[T any](get func(context.Context) (T, error), judge Judge[T], opts *WatchOptions) *Poller[T] {
	if get == nil {
		panic("lro: Watch: get is nil")
	}
	w := &watching[T]{get: get, judge: judge}
	if opts != nil {
		w.WatchOptions = *opts
	}
	if w.judge == nil {
		w.judge = provisioned[T]
	}
	if w.StatusOf == nil {
		w.StatusOf = statusOf
	}
	w.Name = redact.Text(cmp.Or(w.Name, reflect.TypeFor[T]().String()))
	set := settingsOf(Options{Strategy: noProtocol{}, Cadence: w.Cadence, Patience: w.Patience, Logger: w.Logger})
	set.watched = &watched{name: w.Name, cancel: w.Cancel, impatient: w.Patience == (Patience{}), statusError: w.statusError}
	at := now()
	r := record{Phase: polling, Status: &Status{State: InProgress}, Began: at, LastRead: at, Next: at}
	if w.Delay > 0 {
		r.Held = true
		r.pauseUntil(at.Add(w.Delay), false)
	}
	c := newCore(set, set.origins, nil, r)
	c.read = w.read
	return &Poller[T]{c: c, watching: w}
}

// Done returns a Poller that has ended with v and err, for tests of code that takes a Poller.
// PollUntilDone and Result return v and err. The State is Succeeded if err is nil, Canceled if
// err matches [lroerrors.ErrCanceled], and otherwise Failed.
func Done[T any](v T, err error) *Poller[T] {
	p := Watch(func(context.Context) (T, error) { return v, err }, nil, nil)
	p.watching.value, p.watching.ending = v, err
	st := &Status{State: Succeeded}
	switch {
	case errors.Is(err, lroerrors.ErrCanceled):
		st.State = Canceled
	case err != nil:
		st.State = Failed
	}
	p.c.rec.Status, p.c.rec.Result = st, &result{}
	p.c.rec.enter(ended)
	return p
}

// watched is the part of a Watch that does not depend on the type of the value.
type watched struct {
	name        string
	cancel      func(context.Context, Status) error
	impatient   bool // errors without an HTTP status code are tolerated for only 5 min
	statusError func(context.Context, error) *lroerrors.StatusError
}

// stop implements [Poller.Cancel] for a Watch.
func (w *watched) stop(ctx context.Context, st Status) error {
	if w.cancel == nil {
		return &lroerrors.StatusError{URL: w.name, Err: fmt.Errorf("WatchOptions.Cancel is not set: %w", errors.ErrUnsupported)}
	}
	if err := w.cancel(ctx, st); err != nil {
		return w.statusError(ctx, err)
	}
	return nil
}

// A watching is the part of a Watch that depends on the type of the value. Only the caller whose
// turn it is to read modifies it, and it is immutable once the watch has ended.
type watching[T any] struct {
	WatchOptions
	get   func(context.Context) (T, error)
	judge Judge[T]

	value  T
	reason error // the judge's reason for a failure
	ending error // the error that was passed to Done; it is returned instead of an error derived from the Status
	row    State // the State of the most recent reads
	count  int   // how many reads in a row had that State
}

// read is the [source] of a Watch.
func (w *watching[T]) read(_ *core, ctx context.Context, _ record) (s sighting) {
	v, given := w.once(ctx)
	if s.err = given; given != nil && ctx.Err() != nil {
		return s // the context interrupted the read
	}
	st, err := w.judged(v, given)
	if err != nil && st.State != Failed && st.State != Canceled {
		if err != error(given) { //nolint:errorlint // an error that wraps given has its own text
			if s.err = w.statusError(ctx, err); given != nil && errors.Is(err, given) {
				s.err.StatusCode, s.err.RetryAfter = given.StatusCode, given.RetryAfter
			}
		}
		s.Code, s.whole = s.err.StatusCode, s.err.StatusCode != 0
		if s.err.RetryAfter > 0 {
			s.Header = http.Header{"Retry-After-Ms": {strconv.FormatInt(s.err.RetryAfter.Milliseconds(), 10)}}
		}
		return s
	}
	w.value, w.reason = v, err
	if !st.NextPoll.IsZero() {
		s.move.After = max(time.Until(st.NextPoll), 1)
	}
	s.err, s.move.Status = nil, w.counted(st)
	return s
}

// once calls get and converts its error. If the read took longer than Timeout, the error says
// so. An error with an HTTP status code is kept, because the code shows that the service did
// respond.
func (w *watching[T]) once(parent context.Context) (T, *lroerrors.StatusError) {
	ctx, stop := context.WithCancel(parent)
	defer stop()
	if limit := cmp.Or(w.Timeout, time.Minute); limit > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, limit, &exchange.TimeoutError{What: "the read did not return", Limit: limit, Option: "WatchOptions.Timeout"})
		defer stop()
	}
	v, err := w.get(ctx)
	p := reflect.ValueOf(v) // reflect also detects a nil pointer inside an interface
	missing := err == nil && (!p.IsValid() || p.Kind() == reflect.Pointer && p.IsNil())
	switch {
	case missing:
		err = lroerrors.ErrNotFound
	case err == nil:
		return v, nil
	}
	given := w.statusError(parent, err)
	if late, ok := context.Cause(ctx).(*exchange.TimeoutError); ok && (missing || given.StatusCode == 0) { //nolint:errorlint // our own
		given = &lroerrors.StatusError{URL: w.Name, Err: late}
	}
	return v, given
}

// judged returns what a read means, according to NotFoundIs or the judge.
func (w *watching[T]) judged(v T, given *lroerrors.StatusError) (Status, error) {
	var err error
	if given != nil {
		err = given
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

// counted returns st without the fields that a judge must not set. The State that it returns is
// terminal only if enough reads in a row agree.
func (w *watching[T]) counted(st Status) Status {
	if st.State != w.row {
		w.row, w.count = st.State, 0
	}
	st.Operations, st.Unconfirmed = nil, false
	if w.count++; st.State.Terminal() && w.count < w.Times {
		st.State, st.Unconfirmed = InProgress, st.State == Succeeded
	}
	return st
}

// outcome returns the result or the error with which the watch ended.
func (w *watching[T]) outcome(st *Status) (T, error) {
	if w.ending != nil || st.State == Succeeded {
		return w.value, w.ending
	}
	err := operationError(st)
	err.Watched, err.Err = w.Name, w.reason
	var zero T
	return zero, err
}

// statusError converts an error that a client returned into a *StatusError.
func (w *watching[T]) statusError(ctx context.Context, err error) *lroerrors.StatusError {
	ours := lroerrors.StatusError{}
	if theirs := w.StatusOf(err); theirs != nil {
		ours = *theirs
	}
	ours.Method, ours.URL = "", w.Name
	if se, ok := err.(*lroerrors.StatusError); !ok { //nolint:errorlint // an error that wraps one has its own text
		ours.Err = err
	} else if ours.Err == nil {
		ours.Err = se.Err
	}
	ours.Err = redact.RequestError(ctx, ours.Err)
	return &ours
}

// statusOf is the default of [WatchOptions].StatusOf.
func statusOf(err error) *lroerrors.StatusError {
	if se, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		return se
	}
	var se lroerrors.StatusError
	if e, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err); ok {
		se.StatusCode = e.HTTPStatusCode()
	} else if e, ok := errors.AsType[interface {
		error
		StatusCode() int
	}](err); ok {
		se.StatusCode = e.StatusCode()
	} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, lroerrors.ErrNotFound) {
		se.StatusCode = http.StatusNotFound
	}
	if e, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		se.RetryAfter = e.RetryAfter()
	}
	return &se
}

// noProtocol is the strategy of a Watch, which follows no protocol.
type noProtocol struct{}

// Step is called only when a wait is about to end, and does not prevent that.
func (noProtocol) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{}, strategy.ErrNoStatus
}
