// Package scheduler reads many jobs on one schedule.
//
// It knows jobs, and when to read each of them. It does not know what a read is: nothing of HTTP,
// of records and results, or of who implements a [Job]. It imports only the standard library.
//
// A [Scheduler] has a member for each job that was added. [Scheduler.Wait] starts a run, which
// lasts as long as the loop over it. The goroutine of the run's schedule starts each read when its
// time comes, in a goroutine of its own. When a job ends, the loop gets it.
//
// Four rules decide when a read starts:
//
//   - The job says when its next read is due (Job.Due).
//   - Reads that fall due together are spread over a part of their pauses (pace).
//   - A read needs one of Options.InFlight places. A read that waits long for its response gives
//     its place up and continues without one, so that silent services do not delay the other jobs.
//   - Members wait in lanes. The fresh lane has the members that have not been read yet, and the
//     slow lane those whose last read gave up its place without a response. These two never use
//     all places. Members that are throttled together wait in a lane for their Job.Key: one read
//     probes the service, and each response lets one more read start. All others are in the open
//     lane.
//
// # The door
//
// [Job] is all that the package needs from a job, and [Observer] is all that a job needs from the
// package. Package poller implements Job with a Poller, and poller.Group is a typed shell around
// Scheduler; its documentation has the promises that this package keeps.
//
// # Lock order
//
// The lock of a Scheduler comes before the lock of a job. The scheduler holds its lock while it
// calls Due, Known, Busy, Key, TooLate, Observe and Ignore, so these must not block and must not call
// back. It holds no lock during Read and Panicked. A job must not hold its own lock while it calls
// Observer.Changed or the function more of Job.Read, because both take the lock of the scheduler.
package scheduler
