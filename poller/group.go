package poller

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// An Operation is a [*Poller] of any result type, or a struct that embeds one, so that
// a caller can attach what it needs once the operation has ended. No other type can
// implement it.
type Operation interface {
	fmt.Stringer
	Done() bool
	Status() Status
	NextPoll() time.Time
	ResumeToken() (string, error)
	Cancel(ctx context.Context) error
	WakeUp()

	core() *core
	ending() (ended bool, err error)
}

// GroupOptions configure [NewGroup]. The zero GroupOptions, and nil, mean the defaults.
// They are copied.
type GroupOptions struct {
	// InFlight is how many reads may be in flight, plus operations that have ended and
	// wait for the loop over [Group.Wait] to take them. It is 65,536 at most. A read that
	// has waited ten seconds for its response no longer counts; up to 8×InFlight such reads
	// continue, and never more than 512.
	//
	// 0 or less means 64, for which package transport keeps enough idle connections. Then
	// a read that is two seconds late also takes the place of another one that has waited for a
	// second. If 512 reads have lost their places, the one that has waited longest,
	// for ten seconds or more, fails.
	//
	// No read gives up its place while ended operations wait for the loop. Those that did
	// so before may still end, so that InFlight operations and as many reads as continue without
	// a place may hold a result of up to MaxResultBytes each: 64 MiB by default. Lower
	// MaxResultBytes if the services are not trusted, or InFlight if the results are large.
	InFlight int

	// Spread is the longest time over which reads that fall due together are spread;
	// see [Group]. 0 means 10 s; a negative value turns spreading off.
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
// read in flight. An operation that waits costs an entry in the schedule.
//
// A Group reads each operation as [Poller.PollUntilDone] would, with the operation's
// own client and options, except for three differences:
//
//   - Reads that fall due together are spread over a tenth of their pause, but at most
//     over Spread. The gap between two reads is that time divided by the number of
//     operations in the group, at most a tenth of a second. No read starts early, and a
//     read that falls due alone starts on time. Reads after a failed one are spread separately, so that a
//     throttled subscription does not delay other operations.
//   - A read never sleeps within a transport of package transport. Where that transport
//     would retry within seconds, the read fails instead, and the next one follows on
//     the operation's own schedule. A Doer of another kind that sleeps occupies one of
//     the InFlight reads.
//   - InFlight limits the reads in flight plus the ended operations that the loop over
//     Wait has not taken. A slow loop body therefore delays the reads of
//     the whole group, and limits how many results are in memory.
//
// No operation or host starves another. If more reads are due than InFlight allows, those
// that have been due the longest start first. Services that do not answer, or that
// trickle, do not delay the others: see GroupOptions.InFlight. An eighth of the places is
// kept for operations whose last read was answered promptly. If the throttle gate of package
// transport holds back the requests of a subscription, its operations queue for their
// turns: one goes ahead as a probe, and as long as the service answers, more follow.
//
// The zero Group is ready to use, with the default options. Its methods may be called
// from several goroutines, including from the body of a loop over Wait. [Group.Wait]
// itself runs once at a time.
type Group[O Operation] struct{ group group }

// NewGroup returns a group without operations.
func NewGroup[O Operation](opts *GroupOptions) *Group[O] {
	g := &Group[O]{}
	if opts != nil {
		g.group.options = *opts
	}
	return g
}

// Add adds an operation, before Wait or while it runs. Add does nothing if the group
// already has the operation, even within another struct that embeds the same Poller. An
// operation that Wait has yielded may be added again, for example after a
// [*lroerrors.ResultError]. Adding one operation to two groups is allowed but
// pointless. Add panics if op holds no Poller that New, Begin or Resume returned.
//
// Store a ResumeToken when you add the operation: a process that is killed has no other
// chance to do so. The first token resumes the operation as well as a later one.
//
// Add also works after Close: the Wait in progress, or else the next one, waits for the
// operation.
func (g *Group[O]) Add(op O) { g.group.add(op) }

// Remove takes an operation out of the group, so that Wait does not yield it. It
// abandons a read that is in flight. The operation itself continues, at the service and
// for other callers that follow it; to stop it, see [Poller.Cancel].
func (g *Group[O]) Remove(op O) { g.group.remove(op) }

// Close lets Wait end once all operations have ended. Without Close, Wait continues
// until its context ends, even if no operation is left. Close may be called at any
// time, and more than once.
func (g *Group[O]) Close() { g.group.close() }

// Wait reads the operations on schedule and yields each operation once, when it ends, in the order in
// which they end. Its result has already been read, so Result returns at once. The
// operation is the one that was added, and has left the group. The error is what
// [Poller.PollUntilDone] would have returned: nil, a [*lroerrors.OperationError], a
// [*lroerrors.ResultError], or a [*lroerrors.WaitError] if the wait for this operation
// is over.
//
// The sequence ends when the group is closed and all its operations have been yielded,
// or when ctx ends. When ctx ends, Wait also yields each remaining operation once, with
// a *WaitError whose ResumeToken can be stored; break out of the loop to skip them.
// These operations stay in the group, and ranging again continues where the last loop
// stopped. The same applies to an operation whose next read, at the service's request,
// falls after the deadline of ctx; Wait yields it at once. Operations that the loop
// body adds after ctx has ended are left to the next Wait.
//
// The loop may be left at any point. Wait then abandons the reads in flight, leaves no
// goroutine behind, and keeps in the group whatever it has not yielded. Reading
// continues while the loop body runs, until InFlight operations have ended and wait for
// the loop; then a read starts whenever the loop takes one of them. If the body takes
// long, let it start a goroutine, so that the group keeps reading on time.
//
// A panic in code that the caller provided, such as a Doer, a Strategy or UnmarshalJSON,
// surfaces here. Wait abandons the other reads at once. When their goroutines have ended
// and the loop body has returned, even if it leaves the loop, Wait panics with the same
// value. If such code calls runtime.Goexit, for example through t.FailNow, Wait calls
// runtime.Goexit as well. What Wait has not yielded stays in the group, and ranging
// again continues. The Options.Logger of the operation receives the stack. If several
// reads panic, Wait uses the first value.
//
// One Wait runs at a time. A second one starts when the first has ended, or yields
// nothing if its own ctx ends before that. Within the loop body of the first, the
// second would wait for itself.
func (g *Group[O]) Wait(ctx context.Context) iter.Seq2[O, error] {
	return func(yield func(O, error) bool) {
		g.group.wait(ctx, func(op Operation, err error) bool { return yield(op.(O), err) })
	}
}

// Stats returns the progress of the group, with counts since its creation. It is cheap
// for any number of operations, and never waits for a read.
func (g *Group[O]) Stats() GroupStats { return g.group.progress() }

// String returns the number of operations that are waiting, being read, and ended.
func (g *Group[O]) String() string {
	s := g.Stats()
	return fmt.Sprintf("group: %d waiting, %d being read, %d ended", s.Waiting, s.InFlight, s.Ended)
}

// GroupStats reports the progress of a [Group].
type GroupStats struct {
	Waiting  int // operations waiting for their next read
	InFlight int // reads in flight, including those that no longer count against InFlight
	Ended    int // operations that have ended, including those that Wait has not yielded yet
	Polls    int // reads made, of a status or a result, without those that our own throttle gate held back
	Errors   int // how many of these reads failed

	// OldestDue is when the next read is due. A time in the past means that the
	// schedule lags behind, because reads are spread, InFlight is too low, or the loop
	// over Wait is slow. OldestDue is zero if no operation waits for a read, and while
	// no Wait is running.
	OldestDue time.Time
}

// A group is a [Group] without the type of its operations.
type group struct {
	options GroupOptions
	elastic bool // InFlight is the default

	mu      sync.Mutex
	members map[*core]*member
	added   uint32 // how many so far; numbers the members in order
	closed  bool
	ended   []ending // not yielded by Wait yet
	untaken int      // how many members have ended and are not yielded yet
	run     *run     // the Wait in progress; nil if there is none
	fault   func()   // of the first read of the last Wait that panicked; see outcome
	stats   GroupStats

	once sync.Once
	turn chan struct{} // held by the Wait in progress
}

func (g *group) init() {
	g.once.Do(func() {
		g.members, g.turn = map[*core]*member{}, make(chan struct{}, 1)
		if g.elastic = g.options.InFlight <= 0; g.elastic {
			g.options.InFlight = 64
		}
		g.options.InFlight = min(g.options.InFlight, 1<<16)
		g.options.Spread = cmp.Or(g.options.Spread, 10*time.Second)
	})
}

func (g *group) add(op Operation) {
	g.init()
	c := op.core()
	if c == nil {
		panic("lro: Group.Add of a Poller that was not made by New, Begin or Resume")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members[c] != nil {
		return
	}
	g.added++
	m := &member{op: op, group: g, seq: g.added, known: c.reads.Load()}
	g.members[c] = m
	if g.run != nil {
		g.run.join(m)
	}
}

func (g *group) remove(op Operation) {
	g.init()
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.members[op.core()]
	if m == nil {
		return
	}
	if m.place == over { // do not keep its result in memory
		g.ended = slices.DeleteFunc(g.ended, func(e ending) bool { return e.m == m })
	}
	g.drop(m)
}

// drop removes a member, takes it off the schedule, and cancels its read. The caller
// holds g.mu.
func (g *group) drop(m *member) {
	delete(g.members, m.op.core())
	was, r := m.place, g.run
	if m.place = removed; was == over {
		g.untaken--
	}
	if r == nil {
		return
	}
	m.op.core().neglect(m)
	r.take(m)
	if was == yielded {
		r.yielded--
	}
	if f := r.flights[m]; f != nil {
		f.cancel(nil)
	}
	signal(r.news)
	signal(r.wake)
}

func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.run != nil {
		signal(g.run.news)
	}
}

// progress is [Group.Stats].
func (g *group) progress() GroupStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Waiting = len(g.members) - g.untaken
	if g.run == nil {
		return s
	}
	s.InFlight = len(g.run.flights)
	for m := range g.run.flights {
		if m.place == running {
			s.Waiting--
		}
	}
	oldest := parked
	for _, l := range g.run.lanes(nil) {
		if len(l.members) > 0 && l.members[0].begin != parked {
			oldest = min(oldest, l.members[0].due)
		}
	}
	if oldest != parked {
		s.OldestDue = g.run.epoch.Add(oldest)
	}
	return s
}
