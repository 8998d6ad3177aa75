package wire

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
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

// Error names the option.
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
// answer has not come in time. The context is made for the first who listens to it,
// the timer for the first who may wait: where the answer is at hand, neither is.
type watch struct {
	parent context.Context
	limit  time.Duration // none if negative
	late   time.Time     // when there are to be headers
	body   io.ReadCloser
	count  int // bytes since the time last began

	mu      sync.Mutex
	inner   context.Context // nil: nobody has listened
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil: none
	headers bool        // they are here
	further bool        // the time has begun anew
	ended   error       // a *TimeError; nil: it has not
	over    bool        // the exchange is
}

var _ context.Context = (*watch)(nil)

func newWatch(ctx context.Context, limit time.Duration) *watch {
	w := new(watch)
	w.begin(ctx, limit)
	return w
}

func (w *watch) begin(ctx context.Context, limit time.Duration) {
	w.parent, w.limit = ctx, cmp.Or(limit, AnswerTime)
	if w.limit > 0 {
		w.late = time.Now().Add(w.limit)
	}
}

// bound returns the context that ends with the time.
func (w *watch) bound() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inner == nil {
		w.inner, w.cancel = context.WithCancelCause(w.parent)
		w.armLocked()
		if w.over || w.ended != nil {
			w.cancel(w.ended)
		}
	}
	return w.inner
}

// armLocked starts the timer, unless it runs. The time may be over already: nobody
// has listened.
func (w *watch) armLocked() {
	if w.timer != nil || w.limit <= 0 || w.over {
		return
	}
	left := time.Until(w.late)
	if left <= 0 {
		w.endLocked()
		return
	}
	w.timer = time.AfterFunc(left, w.expire)
}

// Done is closed when the time is over.
func (w *watch) Done() <-chan struct{} { return w.bound().Done() }

// Err says whether it is.
func (w *watch) Err() error { return w.bound().Err() }

// Value finds what the parent has, and the way for contexts within this one to hear
// of its end.
func (w *watch) Value(key any) any {
	w.mu.Lock()
	ctx := cmp.Or(w.inner, w.parent)
	w.mu.Unlock()
	return ctx.Value(key)
}

// Deadline is that of the headers, so that no transport sleeps beyond it. A body
// that comes has no fixed one.
func (w *watch) Deadline() (time.Time, bool) {
	theirs, ok := w.parent.Deadline()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit <= 0 || w.headers || ok && theirs.Before(w.late) {
		return theirs, ok
	}
	return w.late, true
}

func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.endLocked()
	}
}

// endLocked sets free whoever waits for the answer: by the context, and by closing the
// body, for that of a response that is not ours heeds no context of ours.
func (w *watch) endLocked() {
	w.ended = &TimeError{w.limit, w.further}
	if w.cancel != nil {
		w.cancel(w.ended)
	}
	if w.headers {
		w.body.Close()
	}
}

// stop frees what the watch holds.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.cancel != nil {
		w.cancel(nil)
	}
}

// readBody is ReadBody in the time that there is.
func (w *watch) readBody(resp *http.Response, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	w.mu.Lock()
	w.body, w.headers = resp.Body, true
	if w.ended != nil { // it came too late to be closed by that
		w.body.Close()
	}
	w.armLocked()
	w.mu.Unlock()
	return readAll(w, resp.ContentLength, limit, buf)
}

// Read reads the body. Each MiB begins the time anew.
func (w *watch) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if w.count += n; w.count >= progress {
		w.count = 0
		w.begunAnew()
	}
	return n, err
}

func (w *watch) begunAnew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.further = true
		w.timer.Reset(w.limit)
	}
}

// expired is why the answer was given up; nil: it was not.
func (w *watch) expired() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}
