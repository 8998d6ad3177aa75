package poller

import (
	"container/heap"
	"context"
	"math"
	"slices"
	"time"
)

const (
	spreadShare = 10                     // reads are spread over pause/spreadShare
	spreadGap   = 100 * time.Millisecond // the longest gap between two spread reads

	idleFor = time.Second // idle goroutines end if no read is due within this time
)

// A member is an operation in a group. It is kept small, because a group may have 100,000 members.
type member struct {
	op    Operation
	group *group
	lane  *lane         // the lane in which it waits for its next read; nil if there is none
	due   time.Duration // when its next read is due, as the time since the run's epoch
	begin time.Duration // when that read starts, never before due; in a throttled lane, when the member started to wait
	seq   uint32        // 1 for the first member that was added, 2 for the second, and so on
	index int32         // position in its lane
	known int32         // how many reads the operation had completed when the group last looked

	place  place
	placed bool // whether pace.place has assigned begin
	pulse  pulse
}

// A pulse records whether the last read of a member got a prompt response.
type pulse uint8

const (
	unknown pulse = iota // not read yet
	prompt
	slow // the read gave up its place and got no response
)

// A place says where a member is in its group.
type place uint8

const (
	queued  place = iota // waits for its next read
	running              // is being read
	over                 // has ended, but has not been yielded
	yielded              // has not ended, but this Wait has yielded it or will do so
	removed              // no longer in the group
)

// parked is the start time of a member while another caller holds the turn to read the
// operation. That caller notifies the group when it releases the turn.
const parked time.Duration = math.MaxInt64

// schedule starts reads when their time comes, until the run ends.
func (r *run) schedule() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(nap(r.dispatch()))
		select {
		case <-timer.C:
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
	}
}

// dispatch starts the reads whose time has come, and returns the time until the next one. A read
// may become possible earlier, for example when another read ends, an operation is added, or
// another caller releases a turn.
func (r *run) dispatch() time.Duration {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	for r.ctx.Err() == nil {
		now := r.now()
		l, next := r.nextLane(now)
		if l == nil {
			r.dismiss(now)
			return next - now
		}
		m := l.members[0]
		o, ok := r.review(m)
		switch {
		case !ok || m.begin > now:
		case m.op.core().taken.Load():
			r.park(m)
		case r.place(m, o, now) && r.admit(m):
			r.start(m)
		}
	}
	return parked
}

// start reads m in an idle goroutine, or in a new one if none is idle. An idle goroutine
// has already grown its stack to the size that a read needs. The caller holds g.mu.
func (r *run) start(m *member) {
	m.place, m.placed = running, false
	ctx := r.takeOff(m)
	read := func() { r.fly(ctx, m) }
	select {
	case r.idle <- read:
	default:
		r.wg.Go(func() { r.work(read) })
	}
}

// work makes one read after another, until it is dismissed or the run ends.
func (r *run) work(read func()) {
	for read != nil {
		read()
		select {
		case read = <-r.idle:
		case <-r.ctx.Done():
			return
		}
	}
}

// dismiss ends the idle goroutines if no read is due soon, so that a group with only a few slow
// operations left does not keep a goroutine for every read that was once in flight. The caller
// holds g.mu.
func (r *run) dismiss(now time.Duration) {
	var list [4]*lane
	for r.lanes(list[:0])[0].ready() > now+idleFor {
		select {
		case r.idle <- nil:
		default:
			return
		}
	}
}

// join puts a member on the schedule. An operation refers to a group only while Wait is running, so
// that it does not keep an abandoned group in memory. The caller holds g.mu.
func (r *run) join(m *member) {
	m.op.core().attend(m)
	r.plan(m)
}

// plan queues a member and wakes the schedule if the member comes first. The caller
// holds g.mu.
func (r *run) plan(m *member) {
	if r.ctx.Err() != nil {
		return // the next Wait will plan it
	}
	if _, ok := r.review(m); ok && m.lane.members[0] == m {
		signal(r.wake)
	}
}

// review queues a member for the time when its read is due, or for the start time that place has
// assigned, whichever is later. It reports whether the member is still waiting for a read. The
// caller holds g.mu.
func (r *run) review(m *member) (o outlook, ok bool) {
	o = m.op.core().outlook(r.ctx, m.known)
	switch {
	case o.err != nil:
		r.finish(m, true, o.err)
		return o, false
	case !o.fits:
		r.yielded++
		r.finish(m, false, m.op.core().tooLate())
		return o, false
	}
	due := o.due.Sub(r.epoch)
	if m.lane.isThrottled() && due <= r.now() {
		return o, true // it keeps its position in the throttled lane
	}
	was, home := m.begin, r.home(m)
	if !m.placed || due > m.begin {
		m.due, m.begin, m.placed = due, due, false
	}
	if m.lane != home || m.begin != was {
		r.put(m, home)
	}
	return o, true
}

// place assigns a start time to a read that is due, and reports whether that time has
// come. The caller holds g.mu.
func (r *run) place(m *member, o outlook, now time.Duration) bool {
	if !m.placed && !m.lane.isThrottled() {
		m.begin, m.placed = r.paces[o.pace].place(now, max(min(o.window, r.group.options.Spread), 0), len(r.group.members)), true
		r.put(m, m.lane)
	}
	return m.begin <= now
}

// park makes a member wait until another caller releases the turn, and drops the member's
// start time. The caller holds g.mu.
func (r *run) park(m *member) {
	m.begin, m.placed = parked, false
	r.put(m, r.home(m))
}

// A pace spreads out reads that fall due together.
type pace struct {
	free    time.Duration // the earliest start of the next read
	crowded float64       // how many reads did not fit into their window
}

// place returns the start time of a read that is due, at most window from now. n is how many
// reads may fall due together.
func (p *pace) place(now, window time.Duration, n int) time.Duration {
	at := max(now, p.free)
	if at > now+window {
		// The window is full: more than n reads are due, or the earlier ones have longer pauses.
		// Choose a start time within the window. The fractional parts of the multiples of the
		// golden ratio cover an interval evenly, however many of them are used.
		p.crowded++
		_, part := math.Modf(p.crowded * math.Phi)
		return now + time.Duration(part*float64(window))
	}
	p.free = at + min(window/time.Duration(max(n, 1)), spreadGap)
	return at
}

// An outlook is what the schedule needs to know about an operation.
type outlook struct {
	due    time.Time
	fits   bool          // whether the read falls before the deadline
	window time.Duration // the time over which the read may be spread: a tenth of the pause, or less
	pace   int           // 1 after a failed read, otherwise 0
	err    error         // another caller's read has ended the wait with this error
}

// outlook returns when to read the operation or its result, according to the same rules as
// core.sleep.
func (c *core) outlook(ctx context.Context, known int32) (o outlook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads.Load() != known && c.trouble != nil && now().Before(c.nextLocked()) {
		if o.err = c.troubleLocked(); endsWait(o.err) {
			return o
		}
		o.err = nil
	}
	due := c.rec.due()
	pause := due.Sub(c.rec.LastRead)
	if pause <= 0 { // due at once: for example, the read of a result
		pause = c.Cadence.Min
	}
	o.window = pause / spreadShare
	if c.rec.Failures != nil {
		o.pace = 1
	}
	o.due, o.fits = c.fitLocked(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		o.window = min(o.window, deadline.Sub(o.due)/2, deadline.Sub(now())/2) // leave time for the response
	}
	return o
}

// attend makes c notify m whenever the time of the next read may have changed or the turn becomes
// free.
func (c *core) attend(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = append(slices.Clip(c.watch), m)
}

// neglect undoes attend.
func (c *core) neglect(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = slices.DeleteFunc(slices.Clone(c.watch), func(w *member) bool { return w == m })
}

// tellGroups makes the groups of the given members reschedule them. The caller must not hold the
// core's lock, because a group locks the core while it holds its own lock.
func tellGroups(watch []*member) {
	for _, m := range watch {
		g := m.group
		g.mu.Lock()
		if m.place == queued && g.run != nil { // a notification may still arrive just after neglect
			g.run.plan(m)
		}
		g.mu.Unlock()
	}
}

// A queue is a heap whose elements know their positions.
type queue[E entry[E]] []E

type entry[E any] interface {
	comparable
	before(E) bool
	position() *int32
}

// put adds e, or moves it to its new position.
func (q *queue[E]) put(e E) {
	if q.has(e) {
		heap.Fix(q, int(*e.position()))
		return
	}
	heap.Push(q, e)
}

// take removes e if it is in the queue.
func (q *queue[E]) take(e E) {
	if q.has(e) {
		heap.Remove(q, int(*e.position()))
	}
}

// has reports whether e is in the queue. It compares elements, because the position of e may belong
// to another queue.
func (q queue[E]) has(e E) bool { i := int(*e.position()); return i < len(q) && q[i] == e }

func (q queue[E]) Len() int           { return len(q) }
func (q queue[E]) Less(i, j int) bool { return q[i].before(q[j]) }

func (q queue[E]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	*q[i].position(), *q[j].position() = int32(i), int32(j)
}

// Push and Pop implement [heap.Interface]. Only package heap calls them.

func (q *queue[E]) Push(e any) {
	last := e.(E)
	*last.position() = int32(len(*q))
	*q = append(*q, last)
}

func (q *queue[E]) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	clear((*q)[n:])
	*q = (*q)[:n]
	return last
}

// before orders members by the start times of their reads, and then in the order in which they were
// added.
func (m *member) before(o *member) bool {
	return m.begin < o.begin || m.begin == o.begin && m.seq < o.seq
}

func (m *member) position() *int32 { return &m.index }
