package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// ResponseTimeout limits one exchange, body included, if a Limit sets no time. A dead or
	// trickling connection must not hold up a wait of several days.
	ResponseTimeout = 5 * time.Minute

	// progress restarts that time, so that 64 MiB may arrive over a slow line.
	progress = 1 << 20
)

// TimeError reports that a response took too long. It does not match
// context.DeadlineExceeded, because the caller's context has not ended.
type TimeError struct {
	Limit   time.Duration
	Further bool // part of the response arrived, and the next MiB took too long
}

// Error names the option that sets the limit.
func (e *TimeError) Error() string {
	what := "no complete response"
	if e.Further {
		what += ", and no further MiB of it,"
	}
	return fmt.Sprintf("%s within %s, the limit of ResponseTimeout", what, e.Limit)
}

// Timeout returns true, as the interface net.Error defines it for a timeout.
func (e *TimeError) Timeout() bool { return true }

// A timed context belongs to one exchange. It ends with the caller's context, or with a
// *TimeError as its cause if the response takes too long.
type timed struct {
	context.Context
	cancel  context.CancelCauseFunc
	limit   time.Duration
	timer   *time.Timer // nil: no limit
	late    time.Time   // when the response headers are due
	headers atomic.Bool // the headers have arrived
	further atomic.Bool // the timer was reset

	body  atomic.Pointer[io.ReadCloser]
	count int // bytes read since the timer was set
}

func newTimed(ctx context.Context, limit time.Duration) *timed {
	t := &timed{limit: cmp.Or(limit, ResponseTimeout)}
	t.Context, t.cancel = context.WithCancelCause(ctx)
	if t.limit > 0 {
		t.late = time.Now().Add(t.limit)
		t.timer = time.AfterFunc(t.limit, t.expire)
	}
	return t
}

func (t *timed) expire() {
	t.cancel(&TimeError{t.limit, t.further.Load()})
	if body := t.body.Load(); body != nil {
		(*body).Close()
	}
}

// Deadline returns when the response headers are due, so that no transport sleeps longer.
// Once they have arrived, it returns the caller's deadline, because each MiB extends ours.
func (t *timed) Deadline() (time.Time, bool) {
	callers, ok := t.Context.Deadline()
	if t.timer == nil || t.headers.Load() || ok && callers.Before(t.late) {
		return callers, ok
	}
	return t.late, true
}

// stop ends the exchange.
func (t *timed) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.cancel(nil)
}

// readBody reads the body of resp. It closes the body when the time is over, because a
// response that a caller passed in does not depend on t.
func (t *timed) readBody(resp *http.Response, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	t.headers.Store(true)
	t.body.Store(&resp.Body)
	if t.Err() != nil { // it ended before it could close the body
		resp.Body.Close()
	}
	return readAll(t, resp.ContentLength, limit, buf)
}

// Read reads the body and resets the timer after each MiB.
func (t *timed) Read(p []byte) (int, error) {
	n, err := (*t.body.Load()).Read(p)
	if t.count += n; t.count >= progress && t.timer != nil {
		t.count = 0
		t.further.Store(true)
		t.timer.Reset(t.limit)
	}
	return n, err
}

// expired returns the *TimeError if the response took too long.
func (t *timed) expired() error {
	if late, ok := errors.AsType[*TimeError](context.Cause(t)); ok {
		return late
	}
	return nil
}
