// Package scheduler reads many jobs on one schedule.
//
// The scheduler decides when to read each job. It knows nothing about HTTP, records, results or the
// types that implement [Job], and imports only the standard library, so tests can simulate jobs.
//
// A [Scheduler] has a member for each job that was added. [Scheduler.Wait] starts a run, which
// lasts as long as the caller's loop over Wait. One goroutine runs the schedule: it starts each
// read when its time comes, in a separate goroutine. When a job ends, the caller's loop receives
// it.
//
// Four rules decide when a read starts:
//   - The job determines when its next read is due (Job.Due).
//   - The scheduler spreads reads that fall due together over part of their pauses (pace).
//   - A read needs one of Options.InFlight places. A read that waits too long for its response
//     gives up its place and continues without one, so that silent services do not delay the other
//     jobs.
//   - Members wait for their reads in queues called lanes.
//
// Each lane has its own rule:
//   - The fresh lane holds the members that have not been read yet, and the slow lane holds the
//     members whose last read took a long time and did not succeed. While other lanes are in use,
//     the fresh lane and the slow lane together leave an eighth of the places free for them.
//   - While a service throttles the members with the same Job.Key, these members share a separate
//     lane, in the order in which they fell due. The scheduler reads only the first member of such
//     a lane, at the time passed to Scheduler.Hold.
//   - All other members are in the open lane.
//
// # Interfaces
//
// The scheduler calls a job only through [Job], and a job notifies the scheduler only through
// [Observer]. Package poller implements Job with a Poller. poller.Group is a typed wrapper around
// Scheduler, and its documentation describes the guarantees that this package implements.
//
// # Lock order
//
// A Scheduler's lock comes before a job's lock. The scheduler holds its lock while it calls Due,
// Known, Busy, Key, TooLate, Observe and Ignore, so these methods must not block and must not call
// the scheduler. It holds no lock during Read and Panicked. Observer.Changed and the function
// passed to Job.Read both take the scheduler's lock, so a job must not hold its own lock while it
// calls either of them.
package scheduler
