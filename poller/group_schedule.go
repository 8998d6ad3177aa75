package poller

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"
	"time"
)

const (
	spreadShare = 10                     // a read may be late by this part of its pause, so that not all come at once
	spreadGap   = 100 * time.Millisecond // the longest gap between two reads that are spread
)

// A member is an operation in a group. It is small, because a group may have very many.
type member struct {
	op    Operation
	group *group
	due   time.Duration // when its next read is due, counted from the epoch of the run
	begin time.Duration // when that read starts, never before it is due
	seq   uint32        // numbers the members in the order in which they were added
	index int32         // in the queue
	known int32         // how many reads of the operation the group has seen

	place  place
	placed bool // begin was assigned by spreading
}

// A place says where a member is in its group.
type place uint8

const (
	queued  place = iota // waits for its next read
	running              // a read is under way
	over                 // ended, not yielded yet
	yielded              // not ended, but this Wait has finished with it
	removed              // no longer in the group
)

// parked is the start time of a member while another caller has the operation's turn.
// That caller notifies the group when it releases the turn.
const parked time.Duration = math.MaxInt64

// schedule starts reads when their time comes, until the run ends.
func (r *run) schedule() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if next, ok := r.dispatch(); ok {
			timer.Reset(min(next, maxSleep))
		} else {
			timer.Stop()
		}
		select {
		case <-timer.C:
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
	}
}

// dispatch starts the reads whose time has come, and returns how long it is until the
// next one. ok is false if only an event can bring the next one: the queue is empty,
// InFlight allows no read, or every member is parked.
func (r *run) dispatch() (next time.Duration, ok bool) {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(r.queue) > 0 && g.stats.InFlight+g.untaken < g.options.InFlight && r.ctx.Err() == nil {
		m, now := r.queue[0], r.now()
		if m.begin > now {
			return m.begin - now, m.begin != parked
		}
		o, ok := r.review(m)
		switch {
		case !ok || m.begin > now:
		case m.op.core().taken.Load():
			r.park(m)
		case r.place(m, o, now):
			r.start(m)
		}
	}
	return 0, false
}

// join puts a member on the schedule. An operation refers to a group only while that
// group waits, so that it does not keep an abandoned group in memory. The caller holds
// g.mu.
func (r *run) join(m *member) {
	m.op.core().attend(m)
	r.plan(m)
}

// plan queues a member and wakes the schedule if the member comes first. The caller
// holds g.mu.
func (r *run) plan(m *member) {
	if r.ctx.Err() != nil {
		return // the next Wait continues
	}
	if _, ok := r.review(m); ok && r.queue[0] == m {
		signal(r.wake)
	}
}

// review queues a member for the time when it is due, or for the start time that it was
// assigned if that is not earlier. It reports whether the member still waits for a
// read. The caller holds g.mu.
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
	if due := o.due.Sub(r.epoch); !m.placed || due > m.begin {
		m.due, m.begin, m.placed = due, due, false
	}
	r.queue.put(m)
	return o, true
}

// place assigns a start time to a read that is due, and reports whether that time has
// come. The caller holds g.mu.
func (r *run) place(m *member, o outlook, now time.Duration) bool {
	if !m.placed {
		m.begin, m.placed = r.lanes[o.lane].place(now, max(min(o.window, r.group.options.Spread), 0), len(r.group.members)), true
		r.queue.put(m)
	}
	return m.begin <= now
}

// park makes a member wait until another caller releases the operation's turn, and
// gives up the member's start time. The caller holds g.mu.
func (r *run) park(m *member) {
	m.begin, m.placed = parked, false
	r.queue.put(m)
}

// A pace spreads reads that are due.
type pace struct {
	free    time.Duration // the earliest start of the next read
	crowded float64       // how many reads did not fit at that pace
}

// place returns when a read that is due starts: at most window from now, given that up
// to n reads may fall due together.
func (p *pace) place(now, window time.Duration, n int) time.Duration {
	at := max(now, p.free)
	if at > now+window {
		// There are more reads than n, or earlier ones have longer pauses. Multiples of
		// the golden ratio cover an interval evenly, however many there are.
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
	fits   bool          // before the deadline
	window time.Duration // a tenth of the pause
	lane   int           // 1 after a failed read, otherwise 0
	err    error         // another caller's read has ended the wait with this error
}

// outlook returns when to read the operation, or its result, by the same rules as
// sleep.
func (c *core) outlook(ctx context.Context, known int32) (o outlook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := now()
	if c.reads.Load() != known && c.trouble != nil && at.Before(c.nextLocked()) {
		if o.err = c.troubleLocked(); endsWait(o.err) {
			return o
		}
		o.err = nil
	}
	due := c.rec.due()
	pause := due.Sub(c.rec.LastRead)
	if pause <= 0 { // due at once, such as a result
		pause = c.Cadence.Min
	}
	o.window = pause / spreadShare
	if c.rec.failures().Count > 0 {
		o.lane = 1
	}
	// The read is due when the notification came. "Now" would move with every call.
	if c.isWokenLocked() {
		o.due, o.fits = *earliest(&due, c.woken), true
	} else {
		o.due, o.fits = c.fit(ctx, &c.rec)
	}
	if deadline, ok := ctx.Deadline(); ok {
		o.window = min(o.window, deadline.Sub(o.due)/2, deadline.Sub(at)/2) // leave time for the answer
	}
	return o
}

// attend registers m to be notified whenever the next read may have moved.
func (c *core) attend(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = append(slices.Clip(c.watch), m)
}

// neglect ends the notifications to m.
func (c *core) neglect(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = slices.DeleteFunc(slices.Clone(c.watch), func(w *member) bool { return w == m })
}

// tellGroups reschedules members, because their next read may have moved or the turn is
// free. The caller must not hold the core's lock, because a group calls the core under
// its own lock.
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

// A queue is a heap of members, ordered by the time at which their reads start. Members
// with equal times are in the order in which they were added.
type queue []*member

// put adds m, or moves it to its new position.
func (q *queue) put(m *member) {
	if q.has(m) {
		heap.Fix(q, int(m.index))
		return
	}
	heap.Push(q, m)
}

// take removes m if it is in the queue.
func (q *queue) take(m *member) {
	if q.has(m) {
		heap.Remove(q, int(m.index))
	}
}

// has reports whether m is in the queue. It compares members because the index may
// belong to the queue of an earlier Wait.
func (q queue) has(m *member) bool { return int(m.index) < len(q) && q[m.index] == m }

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].begin, q[j].begin), cmp.Compare(q[i].seq, q[j].seq)) < 0
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = int32(i), int32(j)
}

// Push and Pop implement [heap.Interface]. Only package heap calls them.

func (q *queue) Push(m any) {
	last := m.(*member)
	last.index = int32(len(*q))
	*q = append(*q, last)
}

func (q *queue) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	return last
}
