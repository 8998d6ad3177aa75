package poller

import (
	"context"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// schedule sets when the next status is read, after an answer that told one:
// when the service asks for it now, else as it last asked, else at our own pace
// (asynchronous API reference, "202 Accepted and Location Headers", step 3).
func (c *core) schedule(s *state, h http.Header, hint time.Duration) {
	if s.done() {
		s.Next, s.Asked = s.LastRead, false
		return
	}
	d, ok := transport.RetryAfter(h, s.LastRead)
	if !ok && hint > 0 {
		d, ok = hint, true
	}
	if ok {
		s.Given, s.Paused = d, true
	}
	pause := c.Cadence.Default
	if s.Asked = s.Paused; s.Asked {
		pause = max(s.Given, c.Cadence.Min)
	}
	s.Next = s.LastRead.Add(min(pause, c.Cadence.Max))
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

// tooLate ends a wait whose next read falls after the deadline: sleeping until
// then would learn nothing.
func (c *core) tooLate() error {
	e := c.waitError(lroerrors.Deadline, nil)
	e.Err = fmt.Errorf("the deadline comes before the next read: %w", context.DeadlineExceeded)
	return e
}
