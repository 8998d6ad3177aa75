package exchange

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// progress is the number of bytes after which a response gets its full time limit again, so that a
// large response may arrive slowly.
const progress = 1 << 20

// A Timed is the context of one exchange. It ends with its parent, or when its time limit expires.
// Only Relimit and the methods of context.Context are safe for concurrent use.
type Timed struct {
	context.Context
	cancel context.CancelCauseFunc
	due    time.Time // when the response headers are due; zero means no limit

	responded atomic.Bool // whether the response headers have arrived

	body     body
	mu       sync.Mutex // guards the fields below, because the timer and Relimit run in other goroutines
	timer    *time.Timer
	set      bool         // whether a limit is set
	why      TimeoutError // the error to report when the limit expires
	received bool         // whether Body has been called
}

// Start returns a new Timed context that is a child of parent; see [Timed.Start].
func Start(parent context.Context, due time.Time) *Timed {
	t := &Timed{}
	t.Start(parent, due)
	return t
}

// Start makes t, which must be zero, a child of parent. Until the response headers arrive, Deadline
// returns due, unless the parent's deadline is earlier. A zero due has no effect.
func (t *Timed) Start(parent context.Context, due time.Time) {
	t.due = due
	t.Context, t.cancel = context.WithCancelCause(parent)
}

// Deadline returns when the response headers are due, so that a transport does not sleep past that
// time. Once the headers have arrived, Deadline returns the parent's deadline.
func (t *Timed) Deadline() (time.Time, bool) {
	deadline, ok := t.Context.Deadline()
	if t.due.IsZero() || t.responded.Load() {
		return deadline, ok
	}
	if ok && deadline.Before(t.due) {
		return deadline, ok
	}
	return t.due, true
}

// Limit replaces the time limit. After d, t ends with why as its cause.
func (t *Timed) Limit(d time.Duration, why TimeoutError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit(d, why)
}

// Relimit replaces the time limit, but only if one is set and has not expired.
func (t *Timed) Relimit(d time.Duration, why TimeoutError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.set && t.timer.Stop() {
		t.limit(d, why)
	}
}

// limit implements Limit. The caller must hold t.mu.
func (t *Timed) limit(d time.Duration, why TimeoutError) {
	t.why = why
	t.set = true
	if t.timer == nil {
		t.timer = time.AfterFunc(d, t.expire)
		return
	}
	t.timer.Reset(d)
}

// Unlimit removes the time limit. If the limit has already expired, Unlimit ends t and returns
// false.
func (t *Timed) Unlimit() bool {
	if t.stopTimer() {
		return true
	}
	t.expire()
	return false
}

// stopTimer removes the limit. It returns false if the limit has already expired.
func (t *Timed) stopTimer() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.set {
		return true
	}
	t.set = false
	return t.timer.Stop()
}

// Stop ends the exchange.
func (t *Timed) Stop() {
	t.stopTimer()
	t.cancel(nil)
}

// Abandon ends the exchange and closes the response body, if any.
func (t *Timed) Abandon() {
	t.Stop()
	if t.received {
		t.body.ReadCloser.Close()
	}
}

// expire ends t. It also closes the body, because ending t might not interrupt a Read.
func (t *Timed) expire() {
	t.mu.Lock()
	why, received := t.why, t.received
	t.mu.Unlock()
	t.cancel(&why)
	if received {
		t.body.ReadCloser.Close()
	}
}

// Expired returns the error of the expired limit, or nil if no limit has expired.
func (t *Timed) Expired() error {
	if why, ok := context.Cause(t.Context).(*TimeoutError); ok { //nolint:errorlint // expire sets this cause itself, unwrapped
		return why
	}
	return nil
}

// Body wraps rc in a body that stops t when the body ends, fails or is closed. The limit already
// set on t applies to the first MiB. If the parameter limit is positive, each further MiB may take
// that long.
func (t *Timed) Body(rc io.ReadCloser, limit time.Duration) io.ReadCloser {
	t.responded.Store(true)
	t.body = body{ReadCloser: rc, t: t, limit: limit}
	t.mu.Lock()
	t.received = true
	t.mu.Unlock()
	if t.Err() != nil { // if t has already ended, expire may not have closed rc
		rc.Close()
	}
	return &t.body
}

type body struct {
	io.ReadCloser
	t     *Timed
	limit time.Duration
	count int // bytes read since the limit was last set
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count += n
	if b.limit > 0 && b.count >= progress {
		b.count = 0
		b.t.Limit(b.limit, TimeoutError{What: "no further MiB of the response", Limit: b.limit, Option: "ResponseTimeout"})
	}
	if err == nil {
		return n, nil
	}

	late := b.t.Expired()
	b.t.Stop()
	if late != nil && err != io.EOF {
		return n, late
	}
	return n, err
}

func (b *body) Close() error {
	b.t.Stop() // before Close, to interrupt a Read that is waiting for the service
	return b.ReadCloser.Close()
}

// TimeoutError reports that one of this module's time limits has expired. It does not match
// context.DeadlineExceeded, because the caller's context has not ended.
type TimeoutError struct {
	What   string // the beginning of the message, such as "no response headers"
	Limit  time.Duration
	Option string // the name of the option that sets the limit
}

// ResponseTimeout returns the error for a response that takes longer than limit.
func ResponseTimeout(limit time.Duration) TimeoutError {
	return TimeoutError{What: "no complete response", Limit: limit, Option: "ResponseTimeout"}
}

// Error returns a message that names the option that sets the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s within %s, the limit of %s", e.What, e.Limit, e.Option)
}

// Timeout returns true. os.IsTimeout and url.Error's Timeout method call it.
func (e *TimeoutError) Timeout() bool { return true }
