package engine

import (
	"context"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
)

// Next waits until the next read is due and then makes it. It makes no read if the goal is reached
// first, or if another caller completes a read first. If the throttle gate of package transport
// holds the read back, Next waits again. The parameter known is the number of reads that the caller
// knows about.
func (c *Core) Next(ctx context.Context, known int32, goal Goal) error {
	for {
		err := c.sleep(ctx, known, goal)
		if err != nil {
			return err
		}
		err = c.enterAndRead(ctx, known, goal)
		if err != nil || c.Reads() != known || c.HasReached(goal) {
			return err
		}
	}
}

// enterAndRead is like Read, but may pause to retry, and first waits until Source.Enter lets it
// start, so that not too many callers read at once.
func (c *Core) enterAndRead(ctx context.Context, known int32, goal Goal) error {
	if c.IsTaken() {
		return c.read(ctx, known, goal, false) // another caller is reading this operation
	}
	c.mu.Lock()
	target, _ := c.rec.Task()
	c.mu.Unlock()
	crowded, leave := c.source.Enter(ctx, target)
	defer leave()
	if !crowded {
		return c.read(ctx, known, goal, false)
	}

	var err error
	log := func(v any) { c.LogPanic(ctx, v) }
	apart(log, func() { err = c.read(ctx, known, goal, false) })
	return err
}

// maxSleep is the longest time for which a wait sleeps before it checks the wall clock again. A
// timer alone would stop while a machine is suspended.
const maxSleep = time.Minute

// nap returns how long to sleep. The argument left is the wall-clock time until the next read is due.
func nap(left time.Duration) time.Duration { return min(left, maxSleep) }

// sleep waits until the next read is due, until another caller has read, or until the goal is reached.
// The error is a *WaitError.
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

// fitLocked returns the time of the next read, and reports whether it is before the deadline. It
// moves a read that is due too late to a time before the deadline, if Cadence.Min permits. It does
// not shorten a pause that the service or the strategy asked for.
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

// nextLocked returns the value of Status.NextPoll, which is zero if nothing is left to read. If a
// notification made the read due, the time is not in the past.
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

// dueLocked returns the time at which the next read is due. Unlike nextLocked, it does not replace
// a past time, and ignores whether anything is left to read.
func (c *Core) dueLocked() time.Time {
	due := c.rec.Due()
	if c.woken != nil {
		due = record.Earlier(due, c.wokenLocked())
	}
	return due.Add(-c.setBackLocked())
}

// markLocked records the monotonic and the wall-clock time from which a read is scheduled.
func (c *Core) markLocked(at time.Time) {
	c.since = at
	c.shown = at.UnixNano()
}

// setBackLocked returns how far the wall clock has been set back since the next read was scheduled.
// dueLocked subtracts that time, so that no pause gets longer. Differences of less than a second
// are ignored, because clocks drift.
func (c *Core) setBackLocked() time.Duration {
	at := time.Now()
	elapsed := at.Sub(c.since) // on the monotonic clock
	shown := time.Duration(at.UnixNano() - c.shown)
	if elapsed-shown < time.Second {
		return 0
	}
	return elapsed - shown
}

// WakeUp makes the next read due early, even if a read is in flight. The response to that read may
// be older than the notification.
func (c *Core) WakeUp() {
	notify(c.update(func() { c.woken = new(now()) }))
}

// wokenLocked returns when a notification makes the next read due, but at least Cadence.Min after
// the last early read. It does not shorten a Detour.Hold, or a pause that the service asked for
// when a read failed.
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

// A NextRead says when to read an operation. A scheduler that reads many operations uses it.
type NextRead struct {
	At     time.Time     // when the next read is due
	Fits   bool          // whether At is before the deadline of the wait
	Pause  time.Duration // the pause before the read
	Failed bool          // whether the last read failed
	Err    error         // if not nil, another caller's read has ended the wait with this error
}

// NextRead returns when to read the operation or its result. It follows the same rules as Next. The
// parameter known is the number of reads that the caller knows about.
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
	if next.Pause <= 0 { // the read is due at once, for example the read of a result
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

// EndsWait reports whether the error of a read ends the wait. It does not unwrap err, because a
// *StatusError may wrap the *WaitError of another operation. For example, the Doer may follow an
// operation to obtain a credential.
func EndsWait(err error) bool {
	switch err.(type) { //nolint:errorlint // EndsWait must not unwrap err
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

// waitError returns a *WaitError with the current state. If last is nil, it uses the last read's
// error, if any. err is the error of the context, or nil.
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
