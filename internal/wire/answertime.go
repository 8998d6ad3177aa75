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
	// AnswerTime bounds one exchange, body included, where a Limit names no time: a
	// connection that died without a word, and one that trickles, must not hold up
	// a wait of days.
	AnswerTime = 5 * time.Minute

	// progress begins that time anew: 64 MiB may come over a slow line.
	progress = 1 << 20
)

// A TimeError says that an answer did not come in time. It does not match
// context.DeadlineExceeded: the caller's context goes on.
type TimeError struct {
	Limit   time.Duration
	Further bool // some of it did: the time is that of the next MiB
}

func (e *TimeError) Error() string {
	what := "no complete answer"
	if e.Further {
		what += ", nor a further MiB of it,"
	}
	return fmt.Sprintf("%s within %s, the limit of AnswerTime", what, e.Limit)
}

// Timeout makes it one to those who ask as net.Error has it.
func (e *TimeError) Timeout() bool { return true }

// A watch is the context of one exchange and reads its body. Both end when the
// answer has not come in time.
type watch struct {
	context.Context
	cancel  context.CancelCauseFunc
	limit   time.Duration // none if negative
	timer   *time.Timer   // nil: none
	late    time.Time     // when there are to be headers
	headers atomic.Bool   // they are here
	further atomic.Bool   // the time has begun anew
	body    io.ReadCloser
	count   int // bytes since it last began
}

func newWatch(ctx context.Context, limit time.Duration) *watch {
	w := &watch{limit: cmp.Or(limit, AnswerTime)}
	w.Context, w.cancel = context.WithCancelCause(ctx)
	if w.limit > 0 {
		w.late = time.Now().Add(w.limit)
		w.timer = time.AfterFunc(w.limit, w.expire)
	}
	return w
}

// expire sets free whoever waits for the answer: by the context, and by closing the
// body, for that of a response that is not ours heeds no context of ours.
func (w *watch) expire() {
	w.cancel(&TimeError{w.limit, w.further.Load()})
	if w.headers.Load() {
		w.body.Close()
	}
}

// stop frees what the watch holds.
func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

// Deadline is that of the headers, so that no transport sleeps beyond it. A body
// that comes has no fixed one.
func (w *watch) Deadline() (time.Time, bool) {
	theirs, ok := w.Context.Deadline()
	if w.timer == nil || w.headers.Load() || ok && theirs.Before(w.late) {
		return theirs, ok
	}
	return w.late, true
}

// readBody is ReadBody in the time that there is.
func (w *watch) readBody(resp *http.Response, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	w.body = resp.Body
	w.headers.Store(true)
	if w.Err() != nil { // too late for expire to have closed it
		w.body.Close()
	}
	return readAll(w, resp.ContentLength, limit, buf)
}

// Read reads the body. Each MiB begins the time anew.
func (w *watch) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if w.count += n; w.count >= progress && w.timer != nil {
		w.count = 0
		w.further.Store(true)
		w.timer.Reset(w.limit)
	}
	return n, err
}

// expired is why the answer was given up; nil: it was not.
func (w *watch) expired() error {
	if late, ok := errors.AsType[*TimeError](context.Cause(w)); ok {
		return late
	}
	return nil
}
