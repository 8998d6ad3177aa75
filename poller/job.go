package poller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/scheduler"
)

// errGivenUp is the error of a read that is abandoned because another read needs its connection.
var errGivenUp = errors.New("no complete response yet, and other operations of the Group needed the connection")

func newScheduler(opts GroupOptions) *scheduler.Scheduler {
	return scheduler.New(scheduler.Options{
		InFlight:      opts.InFlight,
		Spread:        opts.Spread,
		Abandoned:     errGivenUp,
		LongestClosed: exchange.MaxThrottle,
	})
}

// A job is a Poller as package scheduler sees it.
type job[T any] Poller[T]

// job is the unexported part of [Operation]. All structs that embed p have the same job.
func (p *Poller[T]) job() scheduler.Job {
	if p == nil || p.c == nil {
		return nil
	}
	return (*job[T])(p)
}

func (j *job[T]) Due(ctx context.Context, known int32) scheduler.Due { return j.c.jobDue(ctx, known) }
func (j *job[T]) Known() int32                                       { return j.c.reads.Load() }
func (j *job[T]) Busy() bool                                         { return j.c.taken.Load() }
func (j *job[T]) Key() any                                           { return j.c.throttleKey() }
func (j *job[T]) TooLate() error                                     { return j.c.tooLate() }
func (j *job[T]) Observe(o scheduler.Observer)                       { j.c.observe(o) }
func (j *job[T]) Ignore(o scheduler.Observer)                        { j.c.ignore(o) }
func (j *job[T]) Panicked(ctx context.Context, v any)                { j.c.logPanic(ctx, v) }

// Read makes the next read if the turn is free. If the operation has ended, it also reads
// the result.
func (j *job[T]) Read(ctx context.Context, known int32, o *scheduler.Outcome, more func() bool) {
	c := j.c
	if j.hasEnded(o) {
		return
	}
	if ctx.Err() != nil {
		o.Err = c.stopped(ctx)
		return
	}
	if !c.taken.CompareAndSwap(false, true) {
		o.Busy = true
		return
	}
	defer c.release()

	wasDone := c.isDone()
	c.readJob(ctx, known, o)
	if j.hasEnded(o) || wasDone || !c.isDone() || !more() {
		return
	}
	c.readJob(ctx, o.Known, o) // reads the result
	j.hasEnded(o)
}

// hasEnded records how the operation ended, if that is known without a read, and reports whether
// the operation has ended.
func (j *job[T]) hasEnded(o *scheduler.Outcome) bool {
	if !o.Ended && j.c.isRead() {
		_, o.Ended, o.Err = (*Poller[T])(j).outcome()
	}
	return o.Ended
}

// readJob makes one read, unless another caller has just made it. It must be the caller's turn.
func (c *core) readJob(ctx context.Context, known int32, o *scheduler.Outcome) {
	_, newer, err := c.newer(known, c.hasEnded)
	if !newer {
		_, err = c.readOnce(ctx)
		if !isInterrupted(err) && !c.wasHeld() {
			o.Reads++
			if err != nil {
				o.Failed++
			}
		}
	}
	o.Known = c.reads.Load() // cannot change now, because we have the turn

	se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // see endsWait
	o.Throttled = ok && se.StatusCode == http.StatusTooManyRequests
	o.Held = o.Throttled && c.wasHeld()
	if endsWait(err) {
		o.Ended = !isInterrupted(err)
		o.Err = err
	}
}

// isInterrupted reports whether a read failed because its context ended.
func isInterrupted(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see endsWait
	return ok && (wait.Reason == lroerrors.ReasonDeadline || wait.Reason == lroerrors.ReasonCanceled)
}

// jobDue returns when to read the operation or its result, according to the same rules as
// core.sleep.
func (c *core) jobDue(ctx context.Context, known int32) scheduler.Due {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads.Load() != known && c.trouble != nil && now().Before(c.nextLocked()) {
		err := c.troubleLocked()
		if endsWait(err) {
			return scheduler.Due{Err: err}
		}
	}

	due := scheduler.Due{Pause: c.rec.due().Sub(c.rec.LastRead), Failed: c.rec.Failures != nil}
	if due.Pause <= 0 { // due at once: for example, the read of a result
		due.Pause = c.Cadence.Min
	}
	due.At, due.Fits = c.fitLocked(ctx)
	return due
}

// throttleKey returns the key by which a service throttles the next read. It is nil for a Watch.
func (c *core) throttleKey() any {
	r := c.snapshot()
	at, _ := c.task(&r)
	u := at.Parse()
	if u == nil || at.IsZero() {
		return nil
	}
	key := exchange.ThrottleKeyOf(http.MethodGet, u)
	if key == (exchange.ThrottleKey{}) {
		return nil
	}
	return key
}

// observe makes c call o.Changed whenever the time of the next read may have changed or the turn
// becomes free.
func (c *core) observe(o observer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers = append(slices.Clip(c.observers), o)
}

// ignore undoes observe.
func (c *core) ignore(o observer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers = slices.DeleteFunc(slices.Clone(c.observers), func(other observer) bool { return other == o })
}

// logPanic logs that the caller's code panicked with v or, if v is nil, called
// runtime.Goexit.
func (c *core) logPanic(ctx context.Context, v any) {
	if v == nil {
		v = "runtime.Goexit was called"
	}
	r := c.snapshot()
	c.Logger.LogAttrs(ctx, slog.LevelError, "lro: panic", slog.String(c.subjectAttr(&r).Key, c.subject(&r)),
		slog.String("error", redact.Text(fmt.Sprint(v))), slog.String("stack", string(debug.Stack())))
}
