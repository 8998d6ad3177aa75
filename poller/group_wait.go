package poller

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/transport"
)

// A run is the state of a Wait in progress.
type run struct {
	group *group
	ctx   context.Context // ends when the caller's context or the loop ends
	stop  context.CancelFunc
	wg    sync.WaitGroup

	// epoch is the reference point for the queues. They hold durations, which can always be
	// ordered. Times cannot be ordered if only some of them have a monotonic clock reading and the
	// clock is adjusted.
	epoch time.Time

	idle chan func()   // hands a read to an idle goroutine; nil ends the goroutine
	wake chan struct{} // signals that the schedule has changed
	news chan struct{} // signals that an operation has ended or was removed, or that the group was closed

	// The group's lock guards the rest.
	open, fresh, slow *lane
	throttled         map[exchange.ThrottleKey]*lane
	closed            queue[*lane] // the throttled lanes
	paces             [2]pace
	flights           map[*member]*flight
	placed            list.List // *flight values, oldest first
	long              list.List // *flight values that have given up their places, oldest first
	yielded           int       // how many members have place == yielded
	unused            []*flight // ended flights whose contexts can be used again
}

// now returns the wall-clock time since the run's epoch.
func (r *run) now() time.Duration { return now().Sub(r.epoch) }

// An ending is an operation that Wait still has to yield, with its error.
type ending struct {
	m   *member
	err error
}

// wait implements [Group.Wait].
func (g *group) wait(ctx context.Context, yield func(Operation, error) bool) {
	g.init()
	select {
	case g.turn <- struct{}{}: // tried first, so that Wait runs even if ctx has ended
	default:
		select {
		case g.turn <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
	defer func() { <-g.turn }()
	r := g.begin(ctx)
	switch stopped := r.follow(ctx, yield); {
	case g.fault != nil:
		g.fault()
	case stopped:
		r.handBack(ctx, yield)
	}
}

// follow reads on schedule and yields operations as they end. It reports whether ctx
// ended the wait.
func (r *run) follow(ctx context.Context, yield func(Operation, error) bool) bool {
	defer r.end()
	for r.group.drain(yield) {
		switch {
		case r.isOver():
			return false
		case ctx.Err() != nil:
			return true
		}
		select {
		case <-r.news:
		case <-ctx.Done():
		}
	}
	return false
}

// begin starts a run with the operations in the group.
func (g *group) begin(ctx context.Context) *run {
	r := &run{
		group: g, epoch: now(), idle: make(chan func()), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		flights: map[*member]*flight{},
	}
	r.openLanes()
	r.ctx, r.stop = context.WithCancel(transport.WithLongestPause(ctx, 0))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run, g.fault = r, nil
	g.ended = slices.DeleteFunc(g.ended, func(e ending) bool { return e.m.place == yielded })
	for _, m := range g.inOrder() {
		if m.place != over {
			m.place, m.placed, m.lane = queued, false, nil
			r.join(m)
		}
	}
	r.wg.Go(r.schedule)
	return r
}

// end stops the run, and returns once all its goroutines have ended.
func (r *run) end() {
	r.stop()
	r.wg.Wait()
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	g.run = nil
	for c, m := range g.members {
		c.neglect(m)
	}
}

// isOver reports whether nothing is left to yield, or a read has panicked.
func (r *run) isOver() bool {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault != nil || g.closed && len(g.ended) == 0 && len(g.members) == r.yielded
}

// drain yields the operations that have ended. It reports whether the loop continues.
func (g *group) drain(yield func(Operation, error) bool) bool {
	for e := g.take(); e.m != nil; e = g.take() {
		if !yield(e.m.op, e.err) {
			return false
		}
	}
	return true
}

// take removes the next ending from the queue and returns it. It skips operations that have been
// removed from the group. It returns the zero ending if the queue is empty or a read has panicked.
func (g *group) take() ending {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.fault == nil && len(g.ended) > 0 {
		e := g.ended[0]
		g.ended[0] = ending{}
		if g.ended = g.ended[1:]; len(g.ended) == 0 {
			g.ended = nil // so that the array can be freed
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

// handBack yields the remaining operations after ctx has ended: first those that have ended,
// then the others, each with its *WaitError.
func (r *run) handBack(ctx context.Context, yield func(Operation, error) bool) {
	g := r.group
	g.mu.Lock()
	left := slices.DeleteFunc(g.inOrder(), func(m *member) bool { return m.place != queued }) // operations that are added from now on are left to the next Wait
	g.mu.Unlock()
	for i := 0; g.drain(yield) && i < len(left); i++ {
		var o outcome
		left[i].read(ctx, &o) // sends nothing, because ctx has ended
		g.mu.Lock()
		if left[i].place != removed {
			r.finish(left[i], o.ended, o.err)
		}
		g.mu.Unlock()
	}
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
	if p.c.isRead() {
		_, ended, err = p.outcome()
	}
	return ended, err
}

// An outcome is the result of one attempt to read an operation.
type outcome struct {
	ended bool // the operation, or the wait for it, has ended with err
	err   error
	busy  bool // another caller has the turn
	reads int  // how many reads completed, including those that failed
	fails int  // how many of these reads failed

	throttled bool   // the last read got a 429
	byGate    bool   // that 429 came from the throttle gate of package transport
	fault     func() // repeats the panic or runtime.Goexit of the caller's code; nil if that code returned
}

// fly reads m and records the outcome, even if the caller's code panics or ends the
// goroutine.
func (r *run) fly(ctx context.Context, m *member) {
	o := outcome{fault: runtime.Goexit} // remains set if the caller's code calls runtime.Goexit
	defer r.done(m, &o)
	defer func() { _ = recover() }() // in case the Logger panics
	defer func() {
		v := recover()
		if v != nil {
			o.fault = func() { panic(v) }
		}
		if o.fault != nil {
			m.op.core().logPanic(ctx, v)
		}
	}()
	m.read(ctx, &o)
	o.fault = nil
}

// logPanic logs that the caller's code panicked with v or, if v is nil, called
// runtime.Goexit.
func (c *core) logPanic(ctx context.Context, v any) {
	if v == nil {
		v = "runtime.Goexit was called"
	}
	r := c.snapshot()
	c.Logger.LogAttrs(ctx, slog.LevelError, "lro: panic", slog.String(c.subjectAttr(&r).Key, c.subject(&r)),
		slog.String("error", redact.Text(fmt.Sprint(v))), slog.String("stack", string(debug.Stack())))
}

// done records the outcome of a read and wakes the schedule.
func (r *run) done(m *member, o *outcome) {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	r.land(m, o.reads > o.fails)
	g.stats.Polls += o.reads
	g.stats.Errors += o.fails
	signal(r.wake)
	if o.fault != nil {
		if g.fault == nil {
			g.fault = o.fault
		}
		r.stop()
		signal(r.news)
	}
	if m.place == removed {
		return
	}
	m.place = queued
	switch {
	case o.ended:
		r.finish(m, true, o.err)
	case o.busy && m.op.core().taken.Load():
		r.park(m)
	default:
		since := m.begin
		m.placed = o.busy // keep the start time if another caller held the turn and has just released it
		if r.plan(m); o.throttled {
			r.hold(m, since, o.byGate)
		}
	}
}

// finish queues m for Wait to yield with err. If ended is true, m leaves the group when it is
// yielded. The caller holds g.mu.
func (r *run) finish(m *member, ended bool, err error) {
	r.take(m)
	if m.place = yielded; ended {
		m.place = over
		r.group.stats.Ended++
		r.group.untaken++
	}
	r.group.ended = append(r.group.ended, ending{m, err})
	signal(r.news)
}

// read makes the next read if the turn is free. If the operation has ended, it also reads
// the result.
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
	if !m.hasEnded(o) && !wasDone && c.isDone() && m.hasPlace() {
		m.readOnce(ctx, o) // reads the result
		m.hasEnded(o)
	}
}

// hasPlace reports whether the read in flight still has its place. If not, the result is read
// later, once a place is free, because the number of places limits how many results are in memory.
func (m *member) hasPlace() bool {
	g := m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.run.flights[m]
	return f != nil && !f.long
}

// hasEnded records how the operation ended, if that is known without a read, and reports whether
// the operation has ended. It does not call Done, because a struct that embeds a Poller may
// redefine that method.
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
		if _, err = c.readOnce(ctx); !givenUp(err) && !c.wasHeld() {
			if o.reads++; err != nil {
				o.fails++
			}
		}
	}
	m.known = c.reads.Load()               // cannot change now, because we hold the turn
	se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // see endsWait
	o.throttled = ok && se.StatusCode == http.StatusTooManyRequests
	o.byGate = o.throttled && c.wasHeld()
	if endsWait(err) {
		o.ended, o.err = !givenUp(err), err
	}
}

// givenUp reports whether a read failed because its context ended.
func givenUp(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see endsWait
	return ok && (wait.Reason == lroerrors.ReasonDeadline || wait.Reason == lroerrors.ReasonCanceled)
}
