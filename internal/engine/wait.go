package engine

import (
	"context"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
)

// Next waits until the next read is due and then makes it. If the goal is reached first, or if
// another caller completes a read first, Next returns without making the read. known is the number
// of reads that the caller knows about. If the throttle gate of package transport holds the read back,
// Next waits again.
func (c *Core) Next(ctx context.Context, known int32, goal Goal) error {
	for {
		err := c.sleep(ctx, known, goal)
		if err != nil {
			return err
		}
		err = c.readInCrowd(ctx, known, goal)
		if err != nil || c.Reads() != known || c.HasReached(goal) {
			return err
		}
	}
}

// readInCrowd is like Read, but lets a crowd of other callers read first.
func (c *Core) readInCrowd(ctx context.Context, known int32, goal Goal) error {
	if c.IsTaken() {
		return c.Read(ctx, known, goal) // another caller reads this operation
	}
	c.mu.Lock()
	target, _ := c.rec.Task()
	c.mu.Unlock()
	crowded, leave := c.source.Enter(ctx, target)
	defer leave()
	if !crowded {
		return c.Read(ctx, known, goal)
	}

	var err error
	log := func(v any) { c.LogPanic(ctx, v) }
	apart(log, func() { err = c.Read(ctx, known, goal) })
	return err
}

// maxSleep is how long a wait sleeps before it checks the clock. Timers use the monotonic
// clock, which stops while a machine is suspended.
const maxSleep = time.Minute

// nap returns how long to sleep when left is the wall-clock time until the next read is due.
func nap(left time.Duration) time.Duration { return min(left, maxSleep) }

// sleep waits until the next read is due, another caller has read, or the goal is reached. The error
// is a *WaitError.
func (c *Core) sleep(ctx context.Context, known int32, goal Goal) error {
	for {
		if ctx.Err() != nil {
			return c.Stopped(ctx)
		}
		c.mu.Lock()
		changed := c.changedLocked()
		isOver := c.reads.Load() != known || c.hasReachedLocked(goal)
		due, fits := c.fitLocked(ctx)
		c.mu.Unlock()

		left := due.Sub(now())
		if isOver || left <= 0 {
			return nil
		}
		if !fits {
			return c.TooLate()
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
func (c *Core) fitLocked(ctx context.Context) (time.Time, bool) {
	due := c.dueLocked()
	deadline, ok := ctx.Deadline()
	if !ok || due.Before(deadline) {
		return due, true
	}
	if c.rec.IsFixed() {
		return due, false
	}
	// Leave a tenth of the time for the response to arrive.
	moved := deadline.Add(-deadline.Sub(c.rec.LastRead) / 10).Round(0)
	earliest := c.rec.LastRead.Add(c.settings.Rules.Cadence.Min)
	if moved.Before(earliest) {
		moved = earliest
	}
	return moved, moved.Before(deadline)
}

// nextLocked returns the value for NextPoll: the time at which the next read is due, or zero if
// nothing is left to read. If a notification made the read due earlier, and that time has passed,
// nextLocked returns the current time.
func (c *Core) nextLocked() time.Time {
	if c.rec.Phase == record.Ended {
		return time.Time{}
	}
	due := c.dueLocked()
	wasMoved := c.woken != nil && due.Before(c.rec.Due())
	if wasMoved && due.Before(now()) {
		return now()
	}
	return due
}

// dueLocked returns the time at which the next read is due; it does not check whether anything
// is left to read. Unlike nextLocked, it returns the same time until the read is made.
func (c *Core) dueLocked() time.Time {
	due := c.rec.Due()
	if c.woken != nil {
		due = record.Earlier(due, c.wokenLocked())
	}
	return due.Add(-c.setBackLocked())
}

// markLocked remembers what both clocks show when a read is scheduled.
func (c *Core) markLocked() {
	c.since = time.Now()
	c.shown = c.since.UnixNano()
}

// setBackLocked returns how far the wall clock has been set back since the next read was scheduled.
// dueLocked subtracts it, so that no pause gets longer. Less than a second does not count, because
// clocks drift.
func (c *Core) setBackLocked() time.Duration {
	at := time.Now()
	elapsed := at.Sub(c.since) // on the monotonic clock
	shown := time.Duration(at.UnixNano() - c.shown)
	if elapsed-shown < time.Second {
		return 0
	}
	return elapsed - shown
}

// WakeUp makes the next read due early, even if a read is in flight: the service may have answered
// that read before the event that caused the notification.
func (c *Core) WakeUp() {
	notify(c.update(func() { c.woken = new(now()) }))
}

// wokenLocked returns the earliest time for the read that a pending notification asks for. This is
// the time of the notification, but no earlier than Cadence.Min after the last such read, and no
// earlier than the end of a Detour.Hold or of a pause that the service requested in the response to a
// failed read.
func (c *Core) wokenLocked() time.Time {
	r := &c.rec
	hasFailed := r.Failures != nil || c.failure != nil
	if r.Now == 0 && (r.Held || r.Asked && hasFailed) {
		return r.Next()
	}
	last := c.early.Load()
	if last == 0 {
		return *c.woken
	}
	next := time.Unix(0, last).Add(c.settings.Rules.Cadence.Min)
	if next.After(*c.woken) {
		return next
	}
	return *c.woken
}

// A NextRead says when to read an operation that shares a schedule with many others.
type NextRead struct {
	At     time.Time     // when the next read is due
	Fits   bool          // whether that is before the deadline
	Pause  time.Duration // the pause before the read
	Failed bool          // whether the last read failed
	Err    error         // if it is not nil, another caller's read has ended the wait with this error
}

// NextRead returns when to read the operation or its result, according to the same rules as Next.
// known is how many reads had completed when the caller last looked.
func (c *Core) NextRead(ctx context.Context, known int32) NextRead {
	c.mu.Lock()
	defer c.mu.Unlock()
	hasNewFailure := c.reads.Load() != known && c.failure != nil
	if hasNewFailure && now().Before(c.nextLocked()) {
		err := c.failureLocked()
		if EndsWait(err) {
			return NextRead{Err: err}
		}
	}

	next := NextRead{Pause: c.rec.Due().Sub(c.rec.LastRead), Failed: c.rec.Failures != nil}
	if next.Pause <= 0 { // due at once: for example, the read of a result
		next.Pause = c.settings.Rules.Cadence.Min
	}
	next.At, next.Fits = c.fitLocked(ctx)
	return next
}

// Stopped returns the error for a wait that ends because the caller's context ended.
func (c *Core) Stopped(ctx context.Context) error {
	reason := lroerrors.ReasonCanceled
	if ctx.Err() == context.DeadlineExceeded {
		reason = lroerrors.ReasonDeadline
	}
	return c.waitError(reason, nil, redact.ContextError(ctx))
}

// TooLate returns the error for a wait whose next read would be due after the deadline. Such a
// wait ends at once.
func (c *Core) TooLate() error {
	err := fmt.Errorf("the deadline is before the next read: %w", context.DeadlineExceeded)
	return c.waitError(lroerrors.ReasonDeadline, nil, err)
}

// EndsWait reports whether err, from a read, ends the wait. It does not unwrap err: a *StatusError
// may wrap the *WaitError of another operation, for example one that the Doer follows to obtain a
// credential.
func EndsWait(err error) bool {
	switch err.(type) { //nolint:errorlint // see above
	case *lroerrors.WaitError, *lroerrors.ResultError:
		return true
	}
	return false
}

// IsInterrupted reports whether a read failed because its context ended. Like EndsWait, it does not
// unwrap err.
func IsInterrupted(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see EndsWait
	if !ok {
		return false
	}
	return wait.Reason == lroerrors.ReasonDeadline || wait.Reason == lroerrors.ReasonCanceled
}

// waitError returns a *WaitError with the current state. last is the error of the read that
// ended the wait; if last is nil, waitError uses the error of the last read, if any. err is the
// error of the context.
func (c *Core) waitError(reason lroerrors.Reason, last *lroerrors.StatusError, err error) *lroerrors.WaitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitErrorLocked(reason, last, err)
}

func (c *Core) waitErrorLocked(reason lroerrors.Reason, last *lroerrors.StatusError, err error) *lroerrors.WaitError {
	r := c.rec
	if last == nil && c.failure != nil {
		last = c.failure.Err
	}
	_, name := c.source.Subject(&r)
	wait := &lroerrors.WaitError{
		Reason:      reason,
		State:       r.Status.State,
		Word:        r.Status.Word,
		URL:         name,
		Err:         err,
		Polls:       int(c.polls),
		Elapsed:     time.Since(time.Unix(0, c.made)),
		NextPoll:    r.Due(),
		Asked:       r.IsAsked(),
		LastErr:     last,
		Unconfirmed: r.Status.Unconfirmed,
	}
	return wait.WithToken(func() (string, error) { return c.source.Token(&r) })
}

// Token returns the resume token.
func (c *Core) Token() (string, error) {
	r := c.Record()
	return c.source.Token(&r)
}
