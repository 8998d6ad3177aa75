package poller

import (
	"context"
	"math"
	"slices"
	"time"
)

const (
	spreadShare = 10                     // of its pause a read may come late, so that not all come at once
	spreadGap   = 100 * time.Millisecond // between two reads that are spread, at most
)

// A member is an operation in a group. There may be very many.
type member struct {
	op    Operation
	group *Group
	due   time.Duration // after the epoch of the run: when its next read is due
	begin time.Duration // and when that is to be begun, not before it is due
	seq   uint32        // in the order in which they were added
	index int32         // in the queue
	known int32         // reads of the operation that the group knows of

	phase  phase
	placed bool // begin is the place it got when it was spread
}

// A phase is where a member is.
type phase uint8

const (
	waiting phase = iota // in the queue
	reading
	over // ended, to be yielded
	told // not ended, but this Wait has done with it
	gone // no longer in the group
)

// parked is the place of a member whose turn somebody else has: he tells when he
// gives it back.
const parked time.Duration = math.MaxInt64

// schedule begins reads when their time has come, as long as the run lasts.
func (r *run) schedule() {
	defer close(r.jobs)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if next, ok := r.dispatch(); ok {
			timer.Reset(next)
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

// dispatch begins the reads whose time has come, and says how long it is until
// the next one, if time alone will bring that.
func (r *run) dispatch() (next time.Duration, ok bool) {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(r.queue) > 0 && g.stats.InFlight < g.options.InFlight && r.ctx.Err() == nil {
		m, now := r.queue[0], time.Since(r.epoch)
		if m.begin > now {
			return m.begin - now, m.begin != parked
		}
		o, ok := r.review(m)
		switch {
		case !ok || m.begin > now:
		case m.op.core().isTaken():
			r.park(m)
		case r.place(m, o, now):
			r.start(m)
		}
	}
	return 0, false
}

// join has a member follow the schedule. An operation knows of a group only as
// long as that waits, so that it keeps none that was given up. g is locked.
func (r *run) join(m *member) {
	m.op.core().attend(m)
	r.plan(m)
}

// plan puts a member where it belongs in the queue. g is locked.
func (r *run) plan(m *member) {
	if r.ctx.Err() != nil {
		return // the next Wait goes on
	}
	if _, ok := r.review(m); ok && r.queue[0] == m {
		signal(r.wake)
	}
}

// review puts a member into the queue: where it is due, or where it was placed if
// that is no earlier. It reports whether there is anything to wait for. g is locked.
func (r *run) review(m *member) (o outlook, ok bool) {
	o = m.op.core().outlook(r.ctx, int(m.known))
	switch {
	case o.err != nil:
		r.finish(m, over, o.err)
		return o, false
	case !o.fits:
		r.told++
		r.finish(m, told, m.op.core().tooLate())
		return o, false
	}
	if due := o.due.Sub(r.epoch); !m.placed || due > m.begin {
		m.due, m.begin, m.placed = due, due, false
	}
	r.queue.put(m)
	return o, true
}

// place decides when a read that is due is begun, and reports whether that is
// now. g is locked.
func (r *run) place(m *member, o outlook, now time.Duration) bool {
	if !m.placed {
		m.begin, m.placed = r.lanes[o.lane].place(now, r.group.window(o), len(r.group.members)), true
		r.queue.put(m)
	}
	return m.begin <= now
}

// park has a member whose turn somebody else has wait until that is given back, and
// leaves the place among the others free. g is locked.
func (r *run) park(m *member) {
	m.begin, m.placed = parked, false
	r.queue.put(m)
}

// window is how late a read may be begun so as not to come with others.
func (g *Group) window(o outlook) time.Duration {
	return max(min(o.window, g.options.Spread), 0)
}

// A pace spreads reads that are due.
type pace struct {
	free    time.Duration // when the next one may be begun
	crowded float64       // how many found no place at that pace
}

// place says when a read that is due is begun, at most window from now, where
// there may be n like it.
func (p *pace) place(now, window time.Duration, n int) time.Duration {
	at := max(now, p.free)
	if at > now+window {
		// More came than there were, or those before have longer pauses. Multiples
		// of the golden ratio are even over an interval however many they are.
		p.crowded++
		_, part := math.Modf(p.crowded * math.Phi)
		return now + time.Duration(part*float64(window))
	}
	p.free = at + min(window/time.Duration(max(n, 1)), spreadGap)
	return at
}

// An outlook is what the schedule must know of an operation.
type outlook struct {
	due    time.Time
	fits   bool          // before the deadline
	window time.Duration // a tenth of the pause
	lane   int           // 1 after a failed read
	err    error         // somebody else's read has ended the wait
}

// outlook tells when the operation is to be read, or its result, by the rules of sleep.
func (c *core) outlook(ctx context.Context, known int) (o outlook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if int(c.reads) != known && c.trouble != nil && c.trouble.ended != "" && now.Before(c.nextLocked()) {
		o.err = c.toldLocked()
		return o
	}
	due := c.s.due()
	pause := due.Sub(c.s.LastRead)
	if pause <= 0 { // it is due at once, such as a result
		pause = c.Cadence.Min
	}
	o.window = pause / spreadShare
	if c.s.failures().Count > 0 {
		o.lane = 1
	}
	// A notification is due when it came, not now: that would move on for ever.
	if c.isWokenLocked() {
		o.due, o.fits = earlier(due, *c.woken), true
	} else {
		o.due, o.fits = c.fit(ctx, due, c.s.firm(), c.s.LastRead)
	}
	if deadline, ok := ctx.Deadline(); ok {
		o.window = min(o.window, deadline.Sub(later(o.due, now))/2) // it is for the answer as well
	}
	return o
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// attend has m told whenever the next read may have moved.
func (c *core) attend(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = append(slices.Clip(c.watch), m)
}

// neglect ends attend.
func (c *core) neglect(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = slices.DeleteFunc(slices.Clone(c.watch), func(w *member) bool { return w == m })
}

// tellGroups tells the groups that the next read may have moved, or that the turn
// is free. No lock of the core is held: a group asks the core under its own.
func tellGroups(watch []*member) {
	for _, m := range watch {
		m.move()
	}
}

// move looks anew when the operation is to be read.
func (m *member) move() {
	g := m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.phase == waiting && g.run != nil { // it may tell for a moment longer than we attend
		g.run.plan(m)
	}
}
