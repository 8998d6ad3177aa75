package poller

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

// An Operation is a [*Poller] of any result type, or a struct that embeds one:
// so a caller can add what he wants to find again when the operation has ended.
// Nothing else can be one.
type Operation interface {
	fmt.Stringer
	Done() bool
	Status() Status
	NextPoll() time.Time
	ResumeToken() (string, error)
	Cancel(ctx context.Context) error
	WakeUp()

	core() *core
	outcome() (ended bool, err error)
	keepResult(body []byte, url string) error
}

// GroupOptions are those of [NewGroup]. The zero GroupOptions, and nil, are the
// defaults. They are copied.
type GroupOptions struct {
	// InFlight is how many reads may be under way at once, 65,536 at most; 0 or
	// less: 64, for which package transport keeps enough idle connections.
	InFlight int

	// Spread is the longest time over which reads that fall due together are
	// spread; see [Group]. 0: 10 s; negative: they are not spread.
	Spread time.Duration
}

// A Group waits for any number of operations, of different result types, on one
// schedule: one timer, one goroutine, and as many more as reads have been under
// way at once. An operation that waits costs an entry in that schedule.
//
//	g := poller.NewGroup(nil)
//	g.Add(p) // any number of them, at any time
//	g.Close()
//	for op, err := range g.Wait(ctx) {
//		…
//	}
//
// Each operation is read as [Poller.PollUntilDone] would read it, with its own
// client and options. Two things differ:
//
//   - Reads that fall due together are spread over a tenth of their pause, Spread at
//     most. Each is begun after the one before it by that time divided by the number
//     of operations in the group, and by a tenth of a second at most. None comes
//     before it is due, none is put off for longer than that time, and a lone one is
//     on time. Reads after a failed one are spread among themselves: those of a
//     throttled subscription put off nobody else.
//   - A read never sleeps within a transport of package transport. What that
//     would have tried again within seconds is a failed read here, and the next
//     one comes on the operation's own schedule. Another Doer that sleeps takes up
//     one of the reads in flight, and so does the request that Options.Repeat sends
//     again, which is tried as [Begin] tries it.
//
// Where more reads are due than may be under way, those that are due the longest
// come first.
//
// The zero Group is ready to use, with the default options. Its methods may be
// called by several goroutines, also in the body of a loop over Wait; [Group.Wait]
// itself runs once at a time.
type Group struct {
	options GroupOptions

	mu      sync.Mutex
	members map[*core]*member
	added   uint32 // how many, to tell the order
	closed  bool
	ended   []ending // that Wait has not yielded yet
	run     *run     // the Wait under way, nil if there is none
	stats   GroupStats

	once sync.Once
	turn chan struct{} // held by the Wait under way
}

// NewGroup makes a group without operations.
func NewGroup(opts *GroupOptions) *Group {
	g := &Group{}
	if opts != nil {
		g.options = *opts
	}
	return g
}

func (g *Group) init() {
	g.once.Do(func() {
		g.members, g.turn = map[*core]*member{}, make(chan struct{}, 1)
		if g.options.InFlight <= 0 {
			g.options.InFlight = 64
		}
		g.options.InFlight = min(g.options.InFlight, 1<<16)
		g.options.Spread = cmp.Or(g.options.Spread, 10*time.Second)
	})
}

// Add adds an operation, before Wait or while it runs. One that is in the group
// already, or a second struct that embeds the same Poller, changes nothing. One
// that has been yielded may be added again, such as after a
// [*lroerrors.ResultError]; and so may be one that is in another group, to no use.
//
// Store a ResumeToken when the operation is added: a process that is killed has no
// other chance. A token from the beginning resumes it as well as a later one.
//
// After Close too the operation is added: the Wait that is running waits for it,
// or else the next one does.
func (g *Group) Add(op Operation) {
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
	m := &member{op: op, group: g, seq: g.added, known: int32(c.readCount())}
	g.members[c] = m
	if g.run != nil {
		g.run.join(m)
	}
}

// Remove takes an operation out of the group: it is not yielded any more. A read
// of it that is under way is abandoned. The operation itself goes on, at the
// service and for others who follow it; see [Poller.Cancel].
func (g *Group) Remove(op Operation) {
	g.init()
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.members[op.core()]; m != nil {
		g.drop(m)
	}
}

// drop forgets a member. g is locked.
func (g *Group) drop(m *member) {
	delete(g.members, m.op.core())
	was := m.phase
	m.phase = gone
	if g.run != nil {
		g.run.forget(m, was)
	}
}

// Close says that nothing more will be added, so that Wait ends when all
// operations have ended. Without it Wait goes on until its context ends, also when
// nothing is left. It may be called at any time, and more than once.
func (g *Group) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.run != nil {
		signal(g.run.news)
	}
}

// Wait reads on schedule and yields each operation when it has ended, in the
// order of their ends and once. Its result has been read: Result returns at once.
// The operation is the one that was added, no longer in the group, and the error
// is what [Poller.PollUntilDone] would have returned:
//
//   - nil, a [*lroerrors.OperationError] or a [*lroerrors.ResultError];
//   - a [*lroerrors.WaitError] where the wait for this operation is over. A panic of its
//     Strategy, of its Doer or in the decoding of its result is one, with the
//     reason Unfollowable and the panic's text.
//
// The sequence ends when the group is closed and all its operations have been
// yielded, or with ctx. When ctx ends, the operations that are left are yielded
// too, each once with its *WaitError, whose ResumeToken can be stored; who does not
// want them breaks out of the loop. They stay in the group, and ranging again goes
// on where the last left off. So does one whose next read falls after the deadline
// of ctx because the service asked for that; it is yielded at once. What
// the body of the loop adds then is left to the next Wait.
//
// The loop may be left at any point. Then the reads under way are abandoned, no
// goroutine is left, and all that was not yielded is in the group. While the body
// of the loop is at work, reading goes on; results that have been read are held in
// memory until the caller lets go of their operations.
//
// One Wait runs at a time. Another one begins when that has ended, or ends without
// having yielded anything when its ctx does; within the body of the first it
// would wait for itself.
func (g *Group) Wait(ctx context.Context) iter.Seq2[Operation, error] {
	return func(yield func(Operation, error) bool) {
		if !g.enter(ctx) {
			return
		}
		defer func() { <-g.turn }()
		if g.follow(ctx, yield) {
			g.handBack(ctx, yield)
		}
	}
}

// enter takes the turn to wait. A ctx that has ended may take one that is free.
func (g *Group) enter(ctx context.Context) bool {
	g.init()
	select {
	case g.turn <- struct{}{}:
		return true
	default:
	}
	select {
	case g.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
