// Package scheduler reads many jobs on one schedule.
//
// It knows about jobs, and when to read each one. It knows nothing about HTTP, records or results,
// or about the types that implement [Job]. It is a package of its own, which imports only the standard
// library, so that tests can run it with many simulated jobs.
//
// A [Scheduler] has a member for each job that was added. [Scheduler.Wait] starts a run, which
// lasts as long as the loop over it. One goroutine runs the schedule. It starts each read when its
// time comes, in a separate goroutine. When a job ends, the loop receives it.
//
// Four rules decide when a read starts:
//
//   - The job says when its next read is due (Job.Due).
//   - Reads that fall due together are spread over a part of their pauses (pace).
//   - A read needs one of Options.InFlight places. A read that waits long for its response gives
//     up its place and continues without one, so that silent services do not delay the other jobs.
//   - Members wait in lanes. The fresh lane has the members that have not been read yet, and the
//     slow lane those whose last read gave up its place without a response. While other members
//     wait, these two never use all places. Members that are throttled together wait in a lane for
//     their Job.Key, in the order in which they fell due: only the first one is read, at the time
//     that Scheduler.Hold was given. All others are in the open lane.
//
// # Interfaces
//
// The package calls a job only through [Job], and a job calls the package only through [Observer].
// Package poller implements Job with a Poller. poller.Group is a typed wrapper around Scheduler,
// and its documentation makes the promises that this package keeps.
//
// # Lock order
//
// The lock of a Scheduler comes before the lock of a job. The scheduler holds its lock while it
// calls Due, Known, Busy, Key, TooLate, Observe and Ignore, so these must not block and must not
// call back. It holds no lock during Read and Panicked. A job must not hold its own lock while it
// calls Observer.Changed or the argument more of Job.Read, because both take the lock of the
// scheduler.
package scheduler
