package poller

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/scheduler"
	"github.com/lro-go/lro/transport"
)

// An Operation is a [*Poller] of any result type, or a struct that embeds one. Embed a Poller to
// attach data that you need once the operation has ended. No other type can implement it.
type Operation interface {
	fmt.Stringer
	Done() bool
	Status() Status
	NextPoll() time.Time
	ResumeToken() (string, error)
	Cancel(ctx context.Context) error
	WakeUp()

	job() scheduler.Job // nil if there is no operation
}

// GroupOptions configure [NewGroup]. The zero GroupOptions, and nil, mean the defaults. NewGroup
// copies them.
type GroupOptions struct {
	// InFlight limits the number of reads in flight plus the number of ended operations
	// that the loop over [Group.Wait] has not taken yet. It is at most 65,536. A read that
	// has waited ten seconds for its response gives up its place and is no longer counted; at most
	// 8×InFlight such reads may continue, and never more than 512.
	//
	// It is 64 by default, for which package transport keeps enough idle connections. With this
	// value, a read that is two seconds late also takes the place of a read that has waited for
	// its response for a second. Once 512 reads have given up their places, the oldest of them
	// fails if another read needs its connection, but not within its first ten seconds.
	//
	// No read gives up its place while ended operations wait for the loop. Reads that gave up
	// their places earlier may still complete, so InFlight operations and all reads without a
	// place may each hold a result of up to MaxResultBytes, 64 MiB by default. Lower
	// MaxResultBytes if you do not trust the services, or InFlight if the results are large.
	InFlight int

	// Spread is the longest time over which reads that fall due together are spread;
	// see [Group]. 10 s by default.
	Spread time.Duration
}

// A Group waits for any number of operations on one schedule, and yields each one when
// it ends. O is the type of the operations: a [*Poller], a struct that embeds one, or
// [Operation] for operations of several types.
//
//	g := poller.NewGroup[*poller.Poller[Widget]](nil)
//	g.Add(p) // any number of them, at any time
//	g.Close()
//	for p, err := range g.Wait(ctx) {
//		…
//	}
//
// A Group needs one timer, one goroutine for the schedule, and one goroutine for each
// read in flight. A waiting operation costs only an entry in the schedule.
//
// A Group reads each operation the way [Poller.PollUntilDone] would, with the operation's own
// client and options, except for three differences:
//
//   - Reads that fall due together are spread over a tenth of their pause, but over at most
//     Spread. The gap between two reads is that time divided by the number of operations in the
//     group, at most a tenth of a second. No read starts early, and a read that falls due alone
//     starts on time. Reads that follow a failed read are spread separately, so that a throttled
//     subscription does not delay other operations.
//   - Package transport does not pause and retry within a read. Such a read fails
//     instead, and the next one follows on the operation's own schedule. Any other Doer
//     that sleeps occupies one of the InFlight reads.
//   - InFlight limits the reads in flight plus the ended operations that the loop over
//     Wait has not taken. A slow loop body therefore delays the reads of the whole group,
//     and the number of results in memory stays limited.
//
// No operation or host starves another. If more reads are due than InFlight allows, those
// that have been due the longest start first. Services that stay silent, or that send their
// response slowly, do not delay the others: see GroupOptions.InFlight. An eighth of the
// places is reserved for operations whose last read got a prompt response. If the throttle
// gate of package transport holds back the requests of a subscription, its operations form a
// queue: one of them probes the service, and as long as the service responds, more follow.
//
// The zero Group is ready to use, with the default options. Its methods may be called
// from several goroutines, including from the body of a loop over Wait. Only one [Group.Wait] runs
// at a time.
type Group[O Operation] struct {
	options GroupOptions

	once sync.Once
	jobs *scheduler.Scheduler
}

// NewGroup returns a group without operations.
func NewGroup[O Operation](opts *GroupOptions) *Group[O] {
	g := &Group[O]{}
	if opts != nil {
		g.options = *opts
	}
	return g
}

// scheduler returns the scheduler of the group, and creates it on first use.
func (g *Group[O]) scheduler() *scheduler.Scheduler {
	g.once.Do(func() { g.jobs = newScheduler(g.options) })
	return g.jobs
}

// Add adds an operation, before Wait or while it is running. Add does nothing if the group already
// has the operation, even within another struct that embeds the same Poller. An operation that Wait
// has yielded may be added again, for example after a [*lroerrors.ResultError]. Adding one
// operation to two groups is allowed but pointless. Add panics if op is a nil or zero Poller, or
// embeds one.
//
// Store a ResumeToken when you add the operation: a process that is killed has no other chance to
// store one. An early token resumes the operation just as well as a later one.
//
// Add also works after Close: the Wait in progress, or else the next one, waits for the
// operation.
func (g *Group[O]) Add(op O) {
	job := op.job()
	if job == nil {
		panic("lro: Group.Add of a nil or zero Poller")
	}
	g.scheduler().Add(job, op)
}

// Remove takes an operation out of the group, so that Wait does not yield it. It
// abandons a read that is in flight. The operation continues at the service, and other
// callers may still follow it; to stop it, see [Poller.Cancel].
func (g *Group[O]) Remove(op O) { g.scheduler().Remove(op.job()) }

// Close lets Wait end once all operations have ended. Without Close, Wait continues
// until its context ends, even if no operation is left. Close may be called at any
// time, and more than once.
func (g *Group[O]) Close() { g.scheduler().Close() }

// Wait reads the operations on schedule and yields each of them, as passed to Add, when it ends. By
// then, the operation has left the group, and its result has been read, so Result returns at once.
// The error is the one that [Poller.PollUntilDone] would return: nil, a
// [*lroerrors.OperationError], a [*lroerrors.ResultError], or a [*lroerrors.WaitError] if the wait
// for this operation is over.
//
// The sequence ends when the group is closed and all its operations have been yielded,
// or when ctx ends. When ctx ends, Wait also yields each remaining operation once, with
// a *WaitError whose ResumeToken can be stored; break out of the loop to skip them.
// These operations stay in the group, and ranging again continues where the last loop
// stopped. Wait treats an operation in the same way, and yields it at once, if the service
// asked for a pause that ends after the deadline of ctx. Operations that the loop body adds
// after ctx has ended are left to the next Wait.
//
// The loop may end at any point. Wait then abandons the reads in flight and leaves no goroutine
// behind. Operations that it has not yielded stay in the group. Reading continues while the loop
// body runs, until InFlight operations have ended and are waiting for the loop; from then on, each
// operation that the loop takes makes room for one read. If the body is slow, let it start a
// goroutine, so that the group keeps reading on time.
//
// If code that the caller provided, such as a Doer, a Strategy or UnmarshalJSON, panics during a
// read, Wait panics too. It abandons the other reads at once. Once their goroutines have ended and
// the loop body has either finished or left the loop, Wait panics with the same value. If such code
// calls runtime.Goexit, for example through t.FailNow, Wait calls runtime.Goexit as well.
// Operations that Wait has not yielded stay in the group, and ranging again continues with them.
// The Options.Logger of the operation receives the stack. If several reads panic, Wait uses the
// first value.
//
// Only one Wait runs at a time. A second one waits for the first to end, and yields nothing if its
// own ctx ends before that. Do not call Wait in the body of a loop over Wait of the same group:
// each would wait for the other.
func (g *Group[O]) Wait(ctx context.Context) iter.Seq2[O, error] {
	return func(yield func(O, error) bool) {
		// Package transport must not retry within a read: the schedule does that.
		for op, err := range g.scheduler().Wait(transport.WithLongestPause(ctx, 0)) {
			if !yield(op.(O), err) {
				return
			}
		}
	}
}

// Stats returns the progress of the group, with totals since the creation of the group. It is cheap
// for any number of operations, and never waits for a read.
func (g *Group[O]) Stats() GroupStats { return GroupStats(g.scheduler().Stats()) }

// String returns how many operations are waiting, are being read, and have ended.
func (g *Group[O]) String() string {
	s := g.Stats()
	return fmt.Sprintf("group: %d waiting, %d being read, %d ended", s.Waiting, s.InFlight, s.Ended)
}

// GroupStats reports the progress of a [Group].
type GroupStats struct {
	Waiting  int // operations waiting for their next read
	InFlight int // reads in flight, including those that no longer count against GroupOptions.InFlight
	Ended    int // operations that have ended, including those that Wait has not yielded yet
	Polls    int // reads of a status or a result, except reads that the throttle gate of package transport held back
	Errors   int // how many of these reads failed

	// OldestDue is when the next read is due. A time in the past means that reads are late, because
	// they are spread, InFlight is too low, or the loop over Wait is slow. OldestDue is zero if no
	// operation is waiting for a read or no Wait is running.
	OldestDue time.Time
}
