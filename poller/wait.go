package poller

import (
	"context"
	"errors"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// next waits until the next read is due and then makes it. If enough reports true first, next
// returns without making the read.
func (c *core) next(ctx context.Context, known int32, enough func() bool) (Status, error) {
	err := c.sleep(ctx, func() bool { return c.reads.Load() != known || enough() })
	if err != nil {
		return c.status(), err
	}
	return c.attempt(ctx, known, enough)
}

// maxSleep is how long a wait sleeps before it checks the clock. Timers use the monotonic
// clock, which stops while a machine is suspended.
const maxSleep = time.Minute

// nap returns how long to sleep when left is the wall-clock time until the next read is due.
func nap(left time.Duration) time.Duration { return min(left, maxSleep) }

// sleep waits until the next read is due or enough reports true. It holds the lock while it
// calls enough. The error is a *WaitError.
func (c *core) sleep(ctx context.Context, enough func() bool) error {
	for {
		if ctx.Err() != nil {
			return c.stopped(ctx)
		}
		c.mu.Lock()
		changed, ready := c.changedLocked(), enough()
		due, fits := c.fitLocked(ctx)
		c.mu.Unlock()
		left := due.Sub(now())
		if ready || left <= 0 {
			return nil
		}
		if !fits {
			return c.tooLate()
		}
		select {
		case <-time.After(nap(left)):
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// fitLocked returns the time of the next read, and whether it is before the deadline. If a read
// is due after the deadline, it is moved to shortly before the deadline, unless the service or
// the strategy asked for the pause. The pause is never shorter than Cadence.Min.
func (c *core) fitLocked(ctx context.Context) (time.Time, bool) {
	due := c.dueLocked()
	deadline, ok := ctx.Deadline()
	if !ok || due.Before(deadline) {
		return due, true
	}
	if c.rec.firm() {
		return due, false
	}
	// Leave a tenth of the time for the response to arrive.
	moved := deadline.Add(-deadline.Sub(c.rec.LastRead) / 10).Round(0)
	if first := c.rec.LastRead.Add(c.Cadence.Min); moved.Before(first) {
		moved = first
	}
	return moved, moved.Before(deadline)
}

// stopped returns the error for a wait that ends because the caller's context ended.
func (c *core) stopped(ctx context.Context) error {
	reason := lroerrors.ReasonCanceled
	if ctx.Err() == context.DeadlineExceeded {
		reason = lroerrors.ReasonDeadline
	}
	return c.waitError(reason, nil, redact.ContextError(ctx))
}

// tooLate returns the error for a wait whose next read would be due after the deadline. Such a
// wait ends at once.
func (c *core) tooLate() error {
	err := fmt.Errorf("the deadline is before the next read: %w", context.DeadlineExceeded)
	return c.waitError(lroerrors.ReasonDeadline, nil, err)
}

// endsWait reports whether err, from a read, ends the wait. It does not unwrap err: a *StatusError
// may wrap the *WaitError of another operation, for example one that the Doer follows to obtain a
// credential.
func endsWait(err error) bool {
	_, wait := err.(*lroerrors.WaitError)     //nolint:errorlint // see above
	_, result := err.(*lroerrors.ResultError) //nolint:errorlint // see above
	return wait || result
}

// waitError returns a *WaitError with the current state. last is the error of the read that
// ended the wait; if last is nil, waitError uses the error of the last read, if any. err is the
// error of the context.
func (c *core) waitError(reason lroerrors.Reason, last, err error) *lroerrors.WaitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitErrorLocked(reason, last, err)
}

func (c *core) waitErrorLocked(reason lroerrors.Reason, last, err error) *lroerrors.WaitError {
	r := c.rec
	if last == nil && c.trouble != nil {
		last = c.trouble.err
	}
	return (&lroerrors.WaitError{
		Reason:      reason,
		State:       string(r.Status.State),
		Word:        r.Status.Word,
		URL:         c.subject(&r),
		LastErr:     last,
		Err:         err,
		Polls:       int(c.polls),
		Elapsed:     time.Since(time.Unix(0, c.made)),
		NextPoll:    r.due(),
		Asked:       r.Asked && r.Now == 0,
		Unconfirmed: r.Status.Unconfirmed,
	}).WithToken(func() (string, error) { return c.token(&r) })
}

// subject returns the URL that the next read requests, or the name of a Watch.
func (c *core) subject(r *record) string {
	if c.watched != nil {
		return c.watched.name
	}
	url, _ := c.task(r)
	return url.String()
}

// token returns a resume token for the record, or an error for a Watch.
func (c *core) token(r *record) (string, error) {
	if c.watched != nil {
		return "", fmt.Errorf("lro: a Watch has no resume token; call Watch again: %w", errors.ErrUnsupported)
	}
	return r.token()
}
