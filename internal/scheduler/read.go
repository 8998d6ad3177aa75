package scheduler

import (
	"context"
	"runtime"
	"time"
)

// idleFor limits how long goroutines stay idle. If the next read is further away than that, the
// scheduler ends them.
const idleFor = time.Second

// start starts a read of m in an idle goroutine, whose stack has already grown, or in a new
// goroutine if none is idle. The caller holds the lock.
func (r *run) start(m *member) {
	m.state = reading
	m.spread = false
	f := r.addFlight(m)
	select {
	case r.idle <- f:
	default:
		r.wg.Go(func() { r.work(f) })
	}
}

// work makes one read after another, until stopIdle ends its goroutine or the run ends.
func (r *run) work(f *flight) {
	for f != nil {
		r.read(f)
		select {
		case f = <-r.idle:
		case <-r.ctx.Done():
			return
		}
	}
}

// stopIdle ends the idle goroutines if no read is due within idleFor. The caller holds the lock.
func (r *run) stopIdle(now time.Duration) {
	var list [4]*lane
	for r.lanes(list[:0])[0].ready() > now+idleFor {
		select {
		case r.idle <- nil:
		default:
			return
		}
	}
}

// addFlight records that a read of m is starting.
func (r *run) addFlight(m *member) *flight {
	f := &flight{m: m, lane: m.lane, began: r.now(), outcome: Outcome{Known: m.known}}
	f.ctx, f.cancel = context.WithCancelCause(r.ctx)
	f.lane.flying++
	f.element = r.placed.PushBack(f)
	r.flights[m] = f
	r.take(m)
	r.ask(f)
	return f
}

// read makes a read and records its outcome, even if the job's code panics or calls runtime.Goexit.
func (r *run) read(f *flight) {
	f.fault = runtime.Goexit // remains set if the job's code calls runtime.Goexit
	defer r.done(f)
	defer func() { _ = recover() }() // in case Panicked panics
	defer func() {
		v := recover()
		if v != nil {
			f.fault = func() { panic(v) }
		}
		if f.fault != nil {
			f.m.job.Panicked(f.ctx, v)
		}
	}()

	f.m.job.Read(f.ctx, &f.outcome, f.hasPlace)
	f.fault = nil
}

// hasPlace reports whether the read still has its place. A read without a place must not read the
// job's result, because the places limit how many results are in memory.
func (f *flight) hasPlace() bool {
	s := f.m.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	return !f.long
}

// done records a read's outcome and wakes the schedule.
func (r *run) done(f *flight) {
	s := r.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	m := f.m
	o := &f.outcome
	r.removeFlight(f)
	s.totals.Polls += o.Reads
	s.totals.Errors += o.Failed
	signal(r.wake)

	if f.fault != nil {
		if s.fault == nil {
			s.fault = f.fault
		}
		r.stop()
		signal(r.news)
	}
	if m.state == removed {
		return
	}

	m.state = queued
	m.known = o.Known
	if o.Ended {
		r.finish(m, o.Err)
		return
	}
	if o.Busy && m.job.Busy() {
		r.park(m)
		return
	}
	m.spread = o.Busy // if it was another caller's turn, the member keeps its start time
	if !o.Busy {
		r.keepTurn(m, o.Throttled)
	}
	r.plan(m)
}

// removeFlight records that a read has ended.
func (r *run) removeFlight(f *flight) {
	f.cancel(nil)
	delete(r.flights, f.m)
	answered := f.outcome.Reads > f.outcome.Failed
	isAbandoned := f.element == nil

	f.m.pulse = prompt
	if !answered && (isAbandoned || r.now()-f.began > longRead) {
		f.m.pulse = slow
	}

	if !f.long {
		r.placed.Remove(f.element)
		f.lane.flying--
	} else if !isAbandoned {
		r.long.Remove(f.element)
	}
	if f.lane.asking == f {
		f.lane.free = f.outcome.Reads > 0
	}
	r.stopAsking(f)
}
