package poller

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/scheduler"
)

// An Operation is a [*Poller] with any result type, or a struct that embeds one, for example to
// attach data. No other type can implement it.
type Operation interface {
	fmt.Stringer
	Done() bool
	Status() Status
	NextPoll() time.Time
	ResumeToken() (string, error)
	Cancel(ctx context.Context) error
	WakeUp()

	job() scheduler.Job // nil for a nil or zero Poller
}

// GroupOptions configure [NewGroup], which copies them; nil means the defaults.
type GroupOptions struct {
	// InFlight limits the reads in flight plus the ended operations that the loop over [Group.Wait]
	// has not received yet. 64 by default, at most 65,536. A read that has waited ten seconds for
	// its response no longer counts. At most 8×InFlight reads, and never more than 512, can be in
	// this state (see "Many operations" in docs/README.md). Each read and each ended operation may
	// hold up to MaxResultBytes. Lower MaxResultBytes if you do not trust the services, or InFlight
	// if the results are large.
	InFlight int

	Spread time.Duration // the longest time over which the group spreads reads due together (see [Group]); 10 s by default, negative for no spreading
}

// A Group waits for any number of operations on one schedule, and yields each operation when it
// ends. O is the type of the operations: a [*Poller], a struct that embeds one, or [Operation] for
// operations of several types.
//
//	g := poller.NewGroup[*poller.Poller[Widget]](nil)
//	g.Add(p) // any number of them, at any time
//	g.Close()
//	for p, err := range g.Wait(ctx) {
//		…
//	}
//
// The zero Group is ready to use, with the default options. Its methods may be called from several
// goroutines, and from the body of a loop over Wait. A Group needs one goroutine for the schedule
// and one for each read in flight.
//
// A Group reads each operation the way [Poller.PollUntilDone] would, with the operation's own
// client and options, except for two differences:
//   - Reads that fall due together are spread over a tenth of their pause, but over at most Spread.
//     Reads overdue by more than a pause are spread over a whole pause. No read starts early, and a
//     read that falls due alone starts on time.
//   - Package transport does not pause and retry within a read. Instead, the read fails, and the
//     next one follows on the operation's schedule. With any other Doer, a pause within a read
//     counts against InFlight.
//
// No operation or host delays the others, even if a service is silent or slow, or throttles
// requests: see "Many operations" in docs/README.md.
type Group[O Operation] struct {
	options GroupOptions

	once sync.Once
	jobs *scheduler.Scheduler
}

// NewGroup returns an empty group.
func NewGroup[O Operation](opts *GroupOptions) *Group[O] {
	g := &Group[O]{}
	if opts != nil {
		g.options = *opts
	}
	return g
}

// scheduler returns the group's scheduler, which it creates on first use.
func (g *Group[O]) scheduler() *scheduler.Scheduler {
	g.once.Do(func() { g.jobs = newScheduler(g.options) })
	return g.jobs
}

// Add adds an operation, even while Wait is running or after Close. The Wait in progress, or else
// the next one, waits for the operation. Add does nothing if the group already has the operation,
// even in another struct that embeds the same Poller. Once Wait has yielded an operation, it may be
// added again. Add panics if op is a nil or zero Poller, or embeds one. Store a ResumeToken first,
// in case the process is killed.
func (g *Group[O]) Add(op O) {
	job := op.job()
	if job == nil {
		panic("lro: Group.Add of a nil or zero Poller")
	}
	g.scheduler().Add(job, op)
}

// Remove removes an operation from the group, without yielding it, and abandons its read in flight.
// To stop the operation, see [Poller.Cancel].
func (g *Group[O]) Remove(op O) { g.scheduler().Remove(op.job()) }

// Close lets Wait end once all operations have ended. Without Close, Wait ends only with its
// context. Close may be called at any time, and more than once.
func (g *Group[O]) Close() { g.scheduler().Close() }

// Wait reads the operations on schedule. It yields each operation, as passed to Add, after it has
// ended, its result has been read, and it has left the group. The error is the one that
// [Poller.PollUntilDone] would return.
//
// The sequence ends when the group is closed and all its operations have been yielded, or when ctx
// ends. If ctx ends, Wait first yields each remaining operation once, with a [*lroerrors.WaitError]
// whose ResumeToken can be stored. Break out of the loop to skip them. They stay in the group, and
// the next Wait continues with them. Wait also yields operations that the loop body has added since
// ctx ended. If a service asks for a pause beyond ctx's deadline, Wait yields that operation at
// once with a WaitError, and keeps it.
//
// The loop may end at any point. Wait then abandons the reads in flight, leaves no goroutine
// behind, and keeps the remaining operations in the group. A panic in your code has the same
// effect, and surfaces in the loop. Reading continues while the loop body runs, until InFlight
// operations have ended and wait for the loop. A slow body should start a goroutine.
//
// Only one Wait runs at a time. A second one waits for the first to end, so do not start it in the
// loop over the first. It yields nothing if its own ctx ends before the first Wait does.
func (g *Group[O]) Wait(ctx context.Context) iter.Seq2[O, error] {
	return func(yield func(O, error) bool) {
		for op, err := range g.scheduler().Wait(g.settings(ctx)) {
			if !yield(op.(O), err) {
				return
			}
		}
	}
}

// settings returns a context through which package transport's throttle gate reports to the group's
// scheduler the earliest time at which the next request may start.
func (g *Group[O]) settings(ctx context.Context) context.Context {
	s := *exchange.SettingsOf(ctx)
	s.Turn = func(key exchange.ThrottleKey, next time.Time) { g.scheduler().Hold(key, next) }
	return exchange.WithSettings(ctx, s)
}

// Stats returns the group's progress, with totals since the group was created. It is cheap for any
// number of operations, and never waits for a read.
func (g *Group[O]) Stats() GroupStats { return GroupStats(g.scheduler().Stats()) }

// String returns how many operations wait, are being read, or have ended.
func (g *Group[O]) String() string {
	s := g.Stats()
	return fmt.Sprintf("group: %d waiting, %d being read, %d ended", s.Waiting, s.InFlight, s.Ended)
}

// GroupStats reports the progress of a [Group]. Reads are late if the group spreads them, if
// GroupOptions.InFlight is too low, or if the loop is slow.
type GroupStats struct {
	Waiting   int       // operations waiting for their next read
	InFlight  int       // reads in flight, including those that no longer count against GroupOptions.InFlight
	Ended     int       // operations that have ended, including those that Wait has not yielded yet
	Polls     int       // completed reads of a status or a result, except those that the throttle gate held back
	Errors    int       // how many of the reads in Polls failed
	OldestDue time.Time // when the next read is due, in the past if that read is late; zero if no operation is waiting or no Wait is running
}
