package scheduler

import (
	"context"
	"time"
)

// A Job is something that a scheduler reads repeatedly, such as an operation of a service, until
// the job ends. Its methods must be safe for concurrent use. The scheduler compares Jobs with ==.
type Job interface {
	// Due returns when to read the job next. The argument known is the number of completed reads
	// that the scheduler knows about. The argument ctx is the wait's context. Due may move the read
	// to a time before the deadline of ctx.
	Due(ctx context.Context, known int32) Due

	// Read reads the job once, unless it is another caller's turn. In either case, Read stores the
	// outcome in o. If the read shows that the job has ended but its result must still be read,
	// Read calls the given function, and reads the result only if that function returns true. If
	// Read panics, the scheduler uses the fields of o that are already set.
	//
	// If ctx has ended, Read sends no request. It reports the job's end if that is already known,
	// and otherwise sets o.Err to the error that Wait yields.
	Read(ctx context.Context, o *Outcome, more func() bool)

	// Known returns how many reads of the job have completed, including other callers' reads.
	Known() int32

	// Busy reports whether it is another caller's turn to read the job. When the turn ends, the job
	// calls Changed on its observers.
	Busy() bool

	// Key returns a comparable value that is equal for jobs that a service throttles together. It
	// is nil for a job that shares no limit with others.
	Key() any

	// TooLate returns the error that Wait yields if the next read is due after the wait's deadline.
	TooLate() error

	// Observe makes the job call o.Changed whenever the time of its next read may have changed or a
	// caller's turn to read the job ends.
	Observe(o Observer)

	// Ignore undoes Observe. If the job is already notifying its observers, it may still call
	// o.Changed once.
	Ignore(o Observer)

	// Panicked logs that Read panicked with v or, if v is nil, that it called runtime.Goexit. The
	// scheduler calls Panicked before the stack is unwound, so that a stack trace still shows where
	// that happened.
	Panicked(ctx context.Context, v any)
}

// An Observer is notified when a job has changed. A job must not hold a lock while it calls
// Changed.
type Observer interface{ Changed() }

// Due describes when to read a job.
type Due struct {
	At     time.Time     // when the next read is due, without a monotonic clock reading
	Fits   bool          // whether At is before the wait's deadline
	Pause  time.Duration // the pause before the read; limits how far the scheduler may delay the read to spread reads
	Failed bool          // whether the last read failed
	Err    error         // if not nil, another caller's read has ended the wait with this error
}

// An Outcome describes what one call to Job.Read did.
type Outcome struct {
	Ended bool  // whether the job or the wait has ended, with the error in Err
	Err   error // the error that Wait yields if Ended is set or the context has ended
	Busy  bool  // Read sent no request, because it was another caller's turn

	Known  int32 // how many completed reads the scheduler knows about; Read updates it at the end of its turn
	Reads  int   // how many reads this call completed, including failed ones
	Failed int   // how many of these reads failed

	// Throttled means that the last read was refused or not sent, because the service limits the
	// reads of all jobs with the same Key. The job keeps its position among the waiting jobs with
	// that Key, up to maxRefused times in a row.
	Throttled bool
}
