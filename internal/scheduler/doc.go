// Package scheduler reads many jobs on one schedule.
//
// The scheduler decides when to read each job. It knows nothing about HTTP, records, results or the
// types that implement [Job], and imports only the standard library, so tests can simulate jobs.
//
// A [Scheduler] has a member for each job that was added. [Scheduler.Wait] starts a run, which
// lasts as long as the caller's loop over Wait. One goroutine runs the schedule: when the time for
// a read comes, it starts the read in a separate goroutine. The caller's loop receives each job
// that ends.
//
// These rules decide when a read starts:
//   - The job determines when its next read is due (Job.Due).
//   - The scheduler spreads reads that fall due together over part of their pauses (pace).
//   - A read needs one of Options.InFlight places. A read that waits too long for its response
//     gives up its place and continues without one, so that silent services do not delay the other
//     jobs.
//   - A member waits for its read in a queue called a lane, and must follow the rule of that lane.
//
// The lanes and their rules are:
//   - The fresh lane holds the members that have not been read yet, and the slow lane holds the
//     members whose last read took a long time and did not succeed. While any other lane is in use,
//     an eighth of the places is reserved for the other lanes.
//   - While a service throttles jobs with the same Job.Key, their members share a throttled lane,
//     in the order in which they fell due. Only the first member of the lane is read, and not
//     before the time passed to Scheduler.Hold.
//   - All other members are in the open lane.
//
// # Interfaces
//
// The scheduler calls a job only through [Job]. A job calls the scheduler only through [Observer],
// [Scheduler.Hold] and the function passed to Job.Read. Package poller implements Job with a
// Poller. poller.Group wraps Scheduler and documents its guarantees.
//
// # Lock order
//
// A Scheduler's lock comes before a job's lock. The scheduler holds its lock while it calls Due,
// Known, Busy, Key, TooLate, Observe and Ignore, so these methods must not block and must not call
// the scheduler. It holds no lock during Read and Panicked. Observer.Changed, Scheduler.Hold and
// the function passed to Job.Read take the scheduler's lock, so a job must not hold its own lock
// while it calls any of them.
package scheduler
