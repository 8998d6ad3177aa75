package poller

import (
	"context"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/scheduler"
)

func newScheduler(opts GroupOptions) *scheduler.Scheduler {
	return scheduler.New(scheduler.Options{
		InFlight:  opts.InFlight,
		Spread:    opts.Spread,
		Abandoned: engine.ErrAbandoned,
	})
}

// A job implements [scheduler.Job] for a Poller.
type job[T any] Poller[T]

// job implements [Operation]. It returns the same job for all structs that embed p.
func (p *Poller[T]) job() scheduler.Job {
	if p == nil || p.core == nil {
		return nil
	}
	return (*job[T])(p)
}

// Due implements [scheduler.Job].
func (j *job[T]) Due(ctx context.Context, known int32) scheduler.Due {
	return scheduler.Due(j.core.NextRead(ctx, known))
}

func (j *job[T]) Known() int32                        { return j.core.Reads() }
func (j *job[T]) Busy() bool                          { return j.core.IsTaken() }
func (j *job[T]) Key() any                            { return j.core.Key() }
func (j *job[T]) TooLate() error                      { return j.core.TooLate() }
func (j *job[T]) Observe(o scheduler.Observer)        { j.core.Observe(o) }
func (j *job[T]) Ignore(o scheduler.Observer)         { j.core.Ignore(o) }
func (j *job[T]) Panicked(ctx context.Context, v any) { j.core.LogPanic(ctx, v) }

// Read makes the next read, unless another caller is reading. If that read shows that the operation
// has ended, Read asks the callback whether to read the result as well.
func (j *job[T]) Read(ctx context.Context, o *scheduler.Outcome, more func() bool) {
	if j.hasEnded(o) {
		return
	}
	if ctx.Err() != nil {
		o.Err = j.core.Stopped(ctx)
		return
	}
	if !j.core.TryAcquire() {
		o.Busy = true
		return
	}
	defer j.core.Release()

	wasDone := j.core.HasReached(engine.ForEnd)
	readOnce(ctx, j.core, o)
	if j.hasEnded(o) || wasDone {
		return
	}
	if j.core.HasReached(engine.ForEnd) && more() {
		readOnce(ctx, j.core, o) // reads the result
		j.hasEnded(o)
	}
}

// hasEnded reports whether the operation has ended and its outcome is known. If so, it records the
// outcome in o.
func (j *job[T]) hasEnded(o *scheduler.Outcome) bool {
	if !o.Ended && j.core.HasReached(engine.ForResult) {
		_, o.Ended, o.Err = (*Poller[T])(j).outcome()
	}
	return o.Ended
}

// readOnce reads once, unless another caller has just done so. The caller must have acquired the
// core with TryAcquire.
func readOnce(ctx context.Context, core *engine.Core, o *scheduler.Outcome) {
	before := core.Reads()
	canSkip, err := core.CanSkip(o.Known, engine.ForResult)
	if !canSkip {
		err = core.ReadOnce(ctx)
		o.Throttled = isThrottled(err) || core.Reads() == before
	}
	o.Known = core.Reads() // the number cannot change until the core is released

	if o.Known != before { // a read that was interrupted or held back by the throttle gate does not count
		o.Reads++
		if err != nil {
			o.Failed++
		}
	}
	if engine.EndsWait(err) {
		o.Ended = !engine.IsInterrupted(err)
		o.Err = err
	}
}

// isThrottled reports whether err is a 429 from the service.
func isThrottled(err error) bool {
	se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // see engine.EndsWait
	return ok && se.StatusCode == http.StatusTooManyRequests
}
