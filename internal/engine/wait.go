package engine

import (
	"context"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
)

// Next waits until the next read is due, then makes it. It makes no read if the goal is reached
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

// enterAndRead is like Read, but may pause to retry. It first waits for Source.Enter, which limits
// how many callers read at once.
func (c *Core) enterAndRead(ctx context.Context, known int32, goal Goal) error {
	if c.IsTaken() {
		return c.read(ctx, known, goal, false) // without Enter, because another caller's read usually makes this one unnecessary
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

// maxSleep is the longest that a wait sleeps before it checks the wall clock again. Timers stop
// while a machine is suspended.
const maxSleep = time.Minute

// nap returns how long to sleep, given the wall-clock time left until the next read is due.
func nap(left time.Duration) time.Duration { return min(left, maxSleep) }

// sleep waits until the next read is due, another caller has read, or the goal is reached. Its
// error is a *WaitError.
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

// fitLocked returns the time of the next read, and reports whether it is before the deadline. A
// read due too late is moved before the deadline if Cadence.Min permits. A pause that the service
// or the strategy asked for is never shortened.
func (c *Core) fitLocked(ctx context.Context) (time.Time, bool) {
	due := c.dueLocked()
	deadline, ok := ctx.Deadline()
	if !ok || due.Before(deadline) {
		return due, true
	}
	if c.rec.IsFixed() {
		return due, false
	}
	// Leave a tenth of the time between the last read and the deadline for the response to arrive.
	moved := deadline.Add(-deadline.Sub(c.rec.LastRead) / 10).Round(0)
	earliest := c.rec.LastRead.Add(c.settings.Rules.Cadence.Min)
	if moved.Before(earliest) {
		moved = earliest
	}
	return moved, moved.Before(deadline)
}

// nextLocked returns the value of Status.NextPoll, which is zero if nothing is left to read. If a
// notification made the read due early, the value is never in the past.
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

// dueLocked returns when the next read is due. Unlike nextLocked, it never replaces a past time
// with the current one, and it ignores whether anything is left to read.
func (c *Core) dueLocked() time.Time {
	due := c.rec.Due()
	if c.woken != nil {
		due = record.Earlier(due, c.wokenLocked())
	}
	return due.Add(-c.setBackLocked())
}

// markLocked records when the next read was scheduled, on both the monotonic clock and the wall
// clock.
func (c *Core) markLocked(at time.Time) {
	c.since = at
	c.shown = at.UnixNano()
}

// setBackLocked returns how far the wall clock has been set back since the next read was scheduled.
// dueLocked subtracts the result, so that no pause gets longer. Differences of less than a second
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

// WakeUp makes the next read due early. It does so even if a read is in flight, because the
// response to that read may be older than the notification.
func (c *Core) WakeUp() {
	notify(c.update(func() { c.woken = new(now()) }))
}

// wokenLocked returns the time at which a notification makes the next read due. It is never earlier
// than Cadence.Min after the last early read. A notification shortens neither a Detour.Hold nor a
// pause that the service asked for when a read failed.
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

// A NextRead says when to read an operation, for a scheduler that reads many.
type NextRead struct {
	At     time.Time     // when the next read is due
	Fits   bool          // whether At is before the wait's deadline
	Pause  time.Duration // the pause before the read
	Failed bool          // whether the last read failed
	Err    error         // if not nil, another caller's read has ended the wait with this error
}

// NextRead returns when to read the operation or its result, by the same rules as Next. The
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

// Stopped returns the error for a wait that ends because its caller's context ended.
func (c *Core) Stopped(ctx context.Context) error {
	reason := lroerrors.ReasonCanceled
	if ctx.Err() == context.DeadlineExceeded {
		reason = lroerrors.ReasonDeadline
	}
	return c.waitError(reason, nil, redact.ContextError(ctx))
}

// TooLate returns the error for a wait that ends right away because its next read is due after the
// deadline.
func (c *Core) TooLate() error {
	err := fmt.Errorf("the deadline is before the next read: %w", context.DeadlineExceeded)
	return c.waitError(lroerrors.ReasonDeadline, nil, err)
}

// EndsWait reports whether the error of a read ends the wait. It does not unwrap err, because a
// *StatusError may wrap the *WaitError of another operation, such as one that the Doer follows to
// obtain a credential.
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

// waitError returns a *WaitError with the current state. If the parameter last is nil, waitError
// uses the error of the last read, if any. err is an error about the context or its deadline, or
// nil.
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
