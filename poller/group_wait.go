package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/transport"
)

// A run is the state of one Wait while it lasts.
type run struct {
	group *group
	ctx   context.Context // ends with the caller's, or when the loop is left
	stop  context.CancelFunc
	wg    sync.WaitGroup

	// epoch is the reference point for the times in the queue. Durations from one epoch
	// can be ordered. Times cannot, if the clock is set and only some have a monotonic
	// reading.
	epoch time.Time

	wake chan struct{} // the schedule has changed
	news chan struct{} // an operation has ended, or one was removed, or the group was closed

	// The group's lock guards the rest.
	queue   queue
	lanes   [2]pace
	cancels map[*member]context.CancelFunc // for the reads in flight
	yielded int                            // members that stay in the group but have been yielded, or will be
}

// now returns the wall-clock time since the run's epoch.
func (r *run) now() time.Duration { return now().Sub(r.epoch) }

// An ending is an operation that Wait yields, with its error.
type ending struct {
	m   *member
	err error
}

// follow reads on schedule and yields operations as they end. It reports whether ctx
// ended the wait.
func (g *group) follow(ctx context.Context, yield func(Operation, error) bool) bool {
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

// begin starts a run with the operations in the group.
func (g *group) begin(ctx context.Context) *run {
	r := &run{
		group: g, epoch: now(), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		cancels: map[*member]context.CancelFunc{},
	}
	r.ctx, r.stop = context.WithCancel(transport.WithLongestPause(ctx, 0))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run = r
	g.ended = slices.DeleteFunc(g.ended, func(e ending) bool { return e.m.place == yielded })
	for _, m := range g.inOrder() {
		if m.place != over {
			m.place, m.placed = queued, false
			r.join(m)
		}
	}
	r.wg.Go(r.schedule)
	return r
}

// end stops a run, and returns once all its goroutines have ended.
func (g *group) end(r *run) {
	r.stop()
	r.wg.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run = nil
	for c, m := range g.members {
		c.neglect(m)
	}
}

// next takes the next ending, and reports whether none will follow.
func (g *group) next() (e ending, done bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e = g.take()
	return e, e.m == nil && g.closed && len(g.members) == g.run.yielded
}

// take removes and returns the next ending that is still wanted, or the zero ending if
// there is none. The caller holds g.mu.
func (g *group) take() ending {
	for len(g.ended) > 0 {
		e := g.ended[0]
		g.ended[0] = ending{}
		if g.ended = g.ended[1:]; len(g.ended) == 0 {
			g.ended = nil // free the array behind it
		}
		if e.m.place == over {
			g.drop(e.m)
			return e
		}
		if e.m.place == yielded {
			return e
		}
	}
	return ending{}
}

// handBack yields what is left when ctx has ended: first the operations that have
// ended, then the others, each with its *WaitError.
func (g *group) handBack(ctx context.Context, yield func(Operation, error) bool) {
	g.mu.Lock()
	left := slices.DeleteFunc(g.inOrder(), func(m *member) bool { return m.place != queued }) // later additions are left to the next Wait
	e := g.take()
	g.mu.Unlock()
	for e.m != nil {
		if !yield(e.m.op, e.err) {
			return
		}
		g.mu.Lock()
		e = g.take()
		g.mu.Unlock()
	}
	for _, m := range left {
		var o outcome
		m.attempt(ctx, &o) // sends nothing, because ctx has ended
		if g.settle(m, &o) && !yield(m.op, o.err) {
			return
		}
	}
}

// settle drops m from the group if it has ended, and reports whether to yield it.
func (g *group) settle(m *member, o *outcome) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.place == removed {
		return false
	}
	if o.ended {
		g.stats.Ended++
		g.drop(m)
	}
	return true
}

// inOrder returns the members in the order in which they were added.
func (g *group) inOrder() []*member {
	return slices.SortedFunc(maps.Values(g.members), func(a, b *member) int { return cmp.Compare(a.seq, b.seq) })
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is already pending
	}
}

// The methods below are the unexported part of [Operation].

func (p *Poller[T]) core() *core {
	if p == nil {
		return nil
	}
	return p.c
}

// ending reports whether the operation has ended with nothing left to read, and returns
// its error.
func (p *Poller[T]) ending() (ended bool, err error) {
	_, ended, err = p.outcome()
	return ended, err
}

// An outcome is the result of one attempt to read an operation.
type outcome struct {
	ended bool // the operation, or the wait for it, has ended with err
	err   error
	busy  bool // another caller has the turn
	reads int  // completed, failed ones included
	fails int  // how many of these reads failed
}

// start reads m in a new goroutine. The caller holds g.mu.
func (r *run) start(m *member) {
	r.queue.take(m)
	m.place, m.placed = running, false
	ctx, cancel := context.WithCancel(r.ctx)
	r.cancels[m] = cancel
	r.group.stats.InFlight++
	r.wg.Go(func() {
		var o outcome
		defer r.done(m, &o) // even if a Doer ends the goroutine
		m.attempt(ctx, &o)
	})
}

// done records the outcome of a read, and lets the next one start.
func (r *run) done(m *member, o *outcome) {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	r.cancels[m]()
	delete(r.cancels, m)
	g.stats.InFlight--
	g.stats.Polls += o.reads
	g.stats.Errors += o.fails
	signal(r.wake)
	if m.place == removed {
		return
	}
	m.place = queued
	switch {
	case o.ended:
		r.finish(m, over, o.err)
	case o.busy && m.op.core().taken.Load():
		r.park(m)
	default:
		m.placed = o.busy // if the turn was busy and is free again, the start time has not been used
		r.plan(m)
	}
}

// finish queues m to be yielded with err. The caller holds g.mu.
func (r *run) finish(m *member, p place, err error) {
	r.queue.take(m)
	m.place = p
	if p == over {
		r.group.stats.Ended++
	}
	r.group.ended = append(r.group.ended, ending{m, err})
	signal(r.news)
}

// forget takes a dropped member off the schedule and cancels its read. The caller holds
// g.mu.
func (r *run) forget(m *member, was place) {
	m.op.core().neglect(m)
	r.queue.take(m)
	if was == yielded {
		r.yielded--
	}
	if cancel := r.cancels[m]; cancel != nil {
		cancel()
	}
	signal(r.news)
}

// attempt makes a read. If the caller's code panics or ends the goroutine, the wait for
// this operation ends.
func (m *member) attempt(ctx context.Context, o *outcome) {
	returned := false
	defer func() {
		if !returned {
			o.ended, o.err = true, m.op.core().panicked(ctx, recover())
		}
	}()
	m.read(ctx, o)
	returned = true
}

// panicked returns the error for an operation that cannot be followed because the
// caller's code panicked with v. The stack goes to the log.
func (c *core) panicked(ctx context.Context, v any) (err error) {
	why := errors.New("the goroutine that read it was ended from within")
	if v != nil {
		why = fmt.Errorf("panic: %s", redact.Text(fmt.Sprint(v)))
	}
	e := c.waitError(lroerrors.ReasonUnfollowable, why, nil)
	defer func() {
		_ = recover() // the Logger may panic, too
		err = e
	}()
	c.Logger.LogAttrs(ctx, slog.LevelError, "lro: panic",
		slog.String("url", e.URL), slog.Any("error", why), slog.String("stack", string(debug.Stack())))
	return e
}

// read makes the next read if the turn is free. If that shows that the operation has
// ended, it also reads the result.
func (m *member) read(ctx context.Context, o *outcome) {
	c := m.op.core()
	if m.hasEnded(o) {
		return
	}
	if ctx.Err() != nil {
		o.err = c.stopped(ctx)
		return
	}
	if !c.taken.CompareAndSwap(false, true) {
		o.busy = true
		return
	}
	defer c.release()
	wasDone := c.isDone()
	m.readOnce(ctx, o)
	if m.hasEnded(o) || o.err != nil || wasDone || !c.isDone() {
		return
	}
	m.readOnce(ctx, o) // the result
	m.hasEnded(o)
}

// hasEnded records how the operation ended, if that is known without a read. It does
// not call Done, which a struct around our Poller may redefine.
func (m *member) hasEnded(o *outcome) bool {
	if !o.ended {
		o.ended, o.err = m.op.ending()
	}
	return o.ended
}

// readOnce makes one read, unless another caller has just made it.
func (m *member) readOnce(ctx context.Context, o *outcome) {
	c := m.op.core()
	_, newer, err := c.newer(m.known, c.hasEnded)
	if !newer {
		if _, err = c.readOnce(ctx); !givenUp(err) {
			o.reads++
		}
		if err != nil && !givenUp(err) {
			o.fails++
		}
	}
	m.known = c.reads.Load() // exact, because we have the turn
	if endsWait(err) {
		o.ended, o.err = !givenUp(err), err
	}
}

// givenUp reports whether a read failed because its context ended.
func givenUp(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see endsWait
	return ok && (wait.Reason == lroerrors.ReasonDeadline || wait.Reason == lroerrors.ReasonCanceled)
}
