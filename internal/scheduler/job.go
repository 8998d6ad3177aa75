package scheduler

import (
	"context"
	"time"
)

// A Job is read again and again until it ends. Its methods may be called from several goroutines.
// Two Jobs that are equal are the same job.
type Job interface {
	// Due returns when to read the job. known is how many reads had completed when the scheduler
	// last looked. ctx is the context of the wait, whose deadline limits when a read may start.
	Due(ctx context.Context, known int32) Due

	// Read makes one read, unless another caller has the turn, and fills in o. If the read finds
	// that the job has ended, but that its result needs another read, Read makes that one too if
	// more reports true. o is a pointer because the job may run code that panics: whatever Read has
	// filled in by then counts.
	//
	// If ctx has ended, Read reads nothing. It then reports that the job has ended, if that is
	// already known, or else an error for a wait that ends with ctx.
	Read(ctx context.Context, o *Outcome, more func() bool)

	// Known returns how many reads of the job have completed, including the reads of other callers.
	Known() int32

	// Busy reports whether another caller has the turn to read. When the turn ends, the job calls
	// Changed.
	Busy() bool

	// Key returns a comparable value that is equal for the jobs that a service throttles together.
	// It is nil for a job that shares no limit with others.
	Key() any

	// TooLate returns the error of a wait whose next read would come after its deadline.
	TooLate() error

	// Observe makes the job call o.Changed whenever the time of its next read may have changed, and
	// whenever the turn to read becomes free.
	Observe(o Observer)

	// Ignore undoes Observe. A call to Changed that is under way may still arrive.
	Ignore(o Observer)

	// Panicked logs that Read panicked with v or, if v is nil, called runtime.Goexit. It runs on
	// the stack of the panic.
	Panicked(ctx context.Context, v any)
}

// An Observer is notified when a job has changed. The caller of Changed must not hold a lock.
type Observer interface{ Changed() }

// Due says when to read a job.
type Due struct {
	At     time.Time     // when the next read is due, without a monotonic clock reading
	Fits   bool          // whether that is before the deadline
	Pause  time.Duration // the pause before the read; a part of it is the time over which the read may be spread
	Failed bool          // whether the last read failed
	Err    error         // if it is not nil, another caller's read has ended the wait with this error
}

// An Outcome is what one call of Job.Read did.
type Outcome struct {
	Ended bool  // the job, or the wait for it, has ended with Err
	Err   error // the error of the job; if Ended is false and the context has ended, the error that the wait yields for the job
	Busy  bool  // nothing was read, because another caller had the turn

	Known  int32 // how many reads had completed when the scheduler last looked; Read sets it at the end of its turn
	Reads  int   // how many reads this call completed, including failed ones
	Failed int   // how many of these reads failed

	// Throttled means that the last read was refused, or not even sent, because the service limits the
	// reads of jobs with this Key. The job keeps its turn.
	Throttled bool
}
