package poller

import (
	"context"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// next waits until the next read is due, and makes it.
func (c *core) next(ctx context.Context, known int) (Status, error) {
	if err := c.wait(ctx, known); err != nil {
		return c.status(), err
	}
	return c.poll(ctx, known)
}

// wait sleeps until the next read is due, or until there is something to know
// without one: a read beyond those known, or the end of the operation.
func (c *core) wait(ctx context.Context, known int) error {
	return c.sleep(ctx, func() bool { return int(c.reads) != known || c.s.done() })
}

// sleep waits until the next read is due or enough, called under the lock,
// reports true. Its error is a *WaitError.
func (c *core) sleep(ctx context.Context, enough func() bool) error {
	for {
		if ctx.Err() != nil {
			return c.stopped(ctx)
		}
		c.mu.Lock()
		due, firm, last := c.s.due(), c.s.firm(), c.s.LastRead
		changed, ready := c.changedLocked(), c.isWokenLocked() || enough()
		c.mu.Unlock()
		due, fits := c.fit(ctx, due, firm, last)
		if ready || !time.Now().Before(due) {
			return nil
		}
		if !fits {
			return c.tooLate()
		}
		if err := until(ctx, due, changed); err != nil {
			return c.stopped(ctx)
		}
	}
}

// until waits for a time, a change or the end of the context.
func until(ctx context.Context, due time.Time, changed <-chan struct{}) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// pauseFor waits for so long. It ends at once where ctx would end first.
func pauseFor(ctx context.Context, pause time.Duration) error {
	due := time.Now().Add(pause)
	if deadline, ok := ctx.Deadline(); ok && !due.Before(deadline) {
		return fmt.Errorf("the deadline comes before the next time: %w", context.DeadlineExceeded)
	}
	if until(ctx, due, nil) != nil {
		return wire.ContextError(ctx)
	}
	return nil
}

// fit moves a read that would fall after the deadline to shortly before it, if
// the pace is ours and the lower bound allows it. A pause that is firm, because the
// service or an option asked for it, is not cut short.
func (c *core) fit(ctx context.Context, due time.Time, firm bool, last time.Time) (time.Time, bool) {
	deadline, ok := ctx.Deadline()
	if !ok || due.Before(deadline) {
		return due, true
	}
	if firm {
		return due, false
	}
	// A tenth of the time is left for the answer to come.
	moved := deadline.Add(-deadline.Sub(last) / 10)
	if earliest := last.Add(c.Cadence.Min); moved.Before(earliest) {
		moved = earliest
	}
	return moved, moved.Before(deadline)
}

// stopped is the error of a wait that the caller's context ended.
func (c *core) stopped(ctx context.Context) error {
	reason := lroerrors.Canceled
	if ctx.Err() == context.DeadlineExceeded {
		reason = lroerrors.Deadline
	}
	e := c.waitError(reason, nil)
	e.Err = wire.ContextError(ctx)
	return e
}

// tooLate ends a wait whose next read falls after the deadline: sleeping until
// then would learn nothing.
func (c *core) tooLate() error {
	e := c.waitError(lroerrors.Deadline, nil)
	e.Err = fmt.Errorf("the deadline comes before the next read: %w", context.DeadlineExceeded)
	return e
}

// endsWait tells the error that ends a wait from one that is survived, which may
// hold a WaitError of another operation: a Doer's credential may come from one.
func endsWait(err error) bool {
	_, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see above
	return ok
}

// waitError tells what is known at this moment. lastErr is that of the read that
// ended the wait; nil for the one of the last read.
func (c *core) waitError(reason lroerrors.Reason, lastErr error) *lroerrors.WaitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitErrorLocked(reason, lastErr)
}

func (c *core) waitErrorLocked(reason lroerrors.Reason, lastErr error) *lroerrors.WaitError {
	s := c.s
	if lastErr == nil {
		lastErr = c.lastErr()
	}
	return &lroerrors.WaitError{
		Reason:   reason,
		State:    string(s.Status.State),
		Word:     s.Status.Word,
		URL:      wire.Redacted(c.pollURL(&s)),
		LastErr:  lastErr,
		Polls:    int(c.reads),
		Elapsed:  time.Since(epoch) - c.made,
		NextPoll: s.due(),
		Asked:    s.Asked && !s.Now,
		Token:    func() (string, error) { return encodeToken(s) },

		Unconfirmed: s.confirming(),
	}
}
