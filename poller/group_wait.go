package poller

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lro-go/lro/transport"
)

// A run is one Wait, while it lasts.
type run struct {
	group *Group
	ctx   context.Context // ends with the caller's, or when the loop is left
	stop  context.CancelFunc
	wg    sync.WaitGroup

	// epoch is what times in the queue are counted from. As one number they have
	// an order, which times with and without a monotonic clock lack when the clock
	// is set.
	epoch time.Time

	wake chan struct{} // the schedule has changed
	news chan struct{} // an operation has ended, or the group has become smaller

	// The group's lock guards the rest.
	queue   queue
	lanes   [2]pace
	jobs    chan job                       // closed by the schedule when it ends
	workers int                            // that take them
	cancels map[*member]context.CancelFunc // of the reads under way
	told    int                            // members that stay in the group but have been yielded, or will be
}

// An ending is what Wait yields of an operation.
type ending struct {
	m   *member
	err error
}

// follow reads on schedule and yields what ends. It reports whether it was ctx
// that ended the wait.
func (g *Group) follow(ctx context.Context, yield func(Operation, error) bool) bool {
	r := g.begin(ctx)
	defer g.end(r)
	for {
		e, done := g.next()
		switch {
		case e.m != nil:
			if !yield(e.m.op, e.err) {
				return false
			}
			continue
		case done:
			return false
		case ctx.Err() != nil:
			return true
		}
		select {
		case <-r.news:
		case <-ctx.Done():
		}
	}
}

// begin starts the schedule with what is in the group.
func (g *Group) begin(ctx context.Context) *run {
	r := &run{
		group: g, epoch: time.Now(), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		jobs: make(chan job, g.options.InFlight), cancels: map[*member]context.CancelFunc{},
	}
	r.ctx, r.stop = context.WithCancel(transport.WithoutPauses(ctx))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run = r
	g.ended = slices.DeleteFunc(g.ended, func(e ending) bool { return e.m.phase == told })
	for _, m := range g.inOrder() {
		if m.phase != over {
			m.phase, m.placed = waiting, false
			r.join(m)
		}
	}
	r.wg.Go(r.schedule)
	return r
}

// end stops the schedule. Nothing of it is left when it returns.
func (g *Group) end(r *run) {
	r.stop()
	r.wg.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run = nil
	for c, m := range g.members {
		c.neglect(m)
	}
}

// next takes the next ending, and reports whether there is none to come.
func (g *Group) next() (e ending, done bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e = g.take()
	return e, e.m == nil && g.closed && len(g.members) == g.run.told
}

// take takes the next ending that is still wanted; the zero one if there is
// none. g is locked.
func (g *Group) take() ending {
	for len(g.ended) > 0 {
		e := g.ended[0]
		g.ended[0] = ending{}
		if g.ended = g.ended[1:]; len(g.ended) == 0 {
			g.ended = nil // the memory behind it
		}
		if e.m.phase == over {
			g.drop(e.m)
			return e
		}
		if e.m.phase == told {
			return e
		}
	}
	return ending{}
}

// handBack yields what is left when ctx has ended: what ended after all, and the
// rest with its *WaitError.
func (g *Group) handBack(ctx context.Context, yield func(Operation, error) bool) {
	left := g.left() // what the body of the loop adds is for the next Wait
	for e := g.late(); e.m != nil; e = g.late() {
		if !yield(e.m.op, e.err) {
			return
		}
	}
	for _, m := range left {
		var o outcome
		m.attempt(ctx, &o) // sends nothing any more
		if g.settle(m, &o) && !yield(m.op, o.err) {
			return
		}
	}
}

// late is next when the schedule has stopped.
func (g *Group) late() ending {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.take()
}

// left are the operations that this Wait is not done with.
func (g *Group) left() []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(g.inOrder(), func(m *member) bool { return m.phase != waiting })
}

// settle takes what has ended out of the group, and reports whether m is to be yielded.
func (g *Group) settle(m *member, o *outcome) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.phase == gone {
		return false
	}
	if o.ended {
		g.stats.Ended++
		g.drop(m)
	}
	return true
}

// inOrder are the members as they were added.
func (g *Group) inOrder() []*member {
	return slices.SortedFunc(maps.Values(g.members), func(a, b *member) int { return cmp.Compare(a.seq, b.seq) })
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // there is one on its way
	}
}
