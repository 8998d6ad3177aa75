package scheduler

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"
)

// Wait reads the jobs on schedule. When a job ends, Wait removes it from the scheduler and yields
// its tag and its error.
//
// The sequence ends when ctx ends, or when the scheduler is closed and all of the scheduler's jobs
// have been yielded. When ctx ends, Wait yields each remaining job once, with the error that
// Job.Read reports. A job whose next read is due after the deadline of ctx is yielded right away,
// with the error from Job.TooLate. All these jobs stay in the scheduler.
//
// If a read panics or calls runtime.Goexit, Wait abandons the other reads, then panics or calls
// runtime.Goexit in the loop's goroutine. A second Wait starts only after the first has ended. When
// Wait returns, all its goroutines have ended.
func (s *Scheduler) Wait(ctx context.Context) iter.Seq2[any, error] {
	return func(yield func(tag any, err error) bool) {
		if !s.takeTurn(ctx) {
			return
		}
		defer func() { <-s.turn }()

		r := s.begin(ctx)
		stopped := r.follow(ctx, yield)
		if s.fault != nil {
			s.fault()
			return
		}
		if stopped {
			r.yieldRest(ctx, yield)
		}
	}
}

// takeTurn waits until no other Wait is running, and returns false if ctx ends first. If none is
// running, it returns true even if ctx has ended.
func (s *Scheduler) takeTurn(ctx context.Context) bool {
	select {
	case s.turn <- struct{}{}:
		return true
	default:
	}

	select {
	case s.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// begin starts a run with the scheduler's jobs.
func (s *Scheduler) begin(ctx context.Context) *run {
	r := s.newRun(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = r
	s.fault = nil
	s.ended = slices.DeleteFunc(s.ended, func(e ending) bool { return e.m.state == yielded })
	for _, m := range s.inOrder() {
		if m.state == over {
			continue
		}
		m.state = queued
		m.spread = false
		m.lane = nil
		r.join(m)
	}
	r.wg.Go(r.schedule)
	return r
}

// newRun returns a run that has not started.
func (s *Scheduler) newRun(ctx context.Context) *run {
	r := &run{
		scheduler: s,
		epoch:     wallClock(),
		begin:     time.Now(),
		idle:      make(chan *flight),
		wake:      make(chan struct{}, 1),
		news:      make(chan struct{}, 1),
		flights:   map[*member]*flight{},
		turns:     map[*member]time.Duration{},
	}
	r.openLanes()
	r.ctx, r.stop = context.WithCancel(ctx)
	return r
}

// follow yields jobs as they end. It reports whether ctx ended the wait.
func (r *run) follow(ctx context.Context, yield func(any, error) bool) bool {
	defer r.end()
	for r.scheduler.drain(yield) {
		if r.isOver() {
			return false
		}
		if ctx.Err() != nil {
			return true
		}
		select {
		case <-r.news:
		case <-ctx.Done():
		}
	}
	return false
}

// end stops the run, waits for its goroutines, and stops observing the jobs.
func (r *run) end() {
	r.stop()
	r.wg.Wait()

	s := r.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = nil
	for job, m := range s.members {
		job.Ignore(m)
	}
}

// isOver reports whether the run is over, because a read has panicked or called runtime.Goexit, or
// because the scheduler is closed and has nothing left to yield.
func (r *run) isOver() bool {
	s := r.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return true
	}
	return s.closed && len(s.ended) == 0 && len(s.members) == r.yielded
}

// drain yields the queued endings. It reports whether the loop over Wait continues.
func (s *Scheduler) drain(yield func(any, error) bool) bool {
	for {
		e, ok := s.nextEnding()
		if !ok {
			return true
		}
		if !yield(e.m.tag, e.err) {
			return false
		}
	}
}

// nextEnding removes and returns the next ending in the queue, skipping removed jobs. It returns
// false if the queue is empty, or if a read has panicked or called runtime.Goexit.
func (s *Scheduler) nextEnding() (ending, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.fault == nil && len(s.ended) > 0 {
		e := s.ended[0]
		s.ended[0] = ending{}
		s.ended = s.ended[1:]
		if len(s.ended) == 0 {
			s.ended = nil // so that the array can be freed
		}

		if e.m.state == over {
			s.drop(e.m)
			return e, true
		}
		if e.m.state == yielded {
			return e, true
		}
	}
	return ending{}, false
}

// yieldRest yields the remaining jobs after ctx has ended: first the ones that have ended, then the
// others, each with the error from Job.Read.
func (r *run) yieldRest(ctx context.Context, yield func(any, error) bool) {
	left := r.scheduler.queued() // jobs added from now on are left to the next Wait
	for _, m := range left {
		if !r.scheduler.drain(yield) {
			return
		}
		r.readOutcome(ctx, m)
	}
	r.scheduler.drain(yield)
}

// queued returns the members waiting for a read, in the order they were added.
func (s *Scheduler) queued() []*member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(s.inOrder(), func(m *member) bool { return m.state != queued })
}

// readOutcome queues a member for Wait to yield. It runs after ctx has ended, so Job.Read sends no
// request and only reports the outcome.
func (r *run) readOutcome(ctx context.Context, m *member) {
	o := Outcome{Known: m.known}
	m.job.Read(ctx, &o, func() bool { return false })

	r.scheduler.mu.Lock()
	defer r.scheduler.mu.Unlock()
	if m.state == removed {
		return
	}
	if o.Ended {
		r.finish(m, o.Err)
		return
	}
	r.yieldUnfinished(m, o.Err)
}

// inOrder returns the members in the order they were added. The caller holds the lock.
func (s *Scheduler) inOrder() []*member {
	return slices.SortedFunc(maps.Values(s.members), func(a, b *member) int { return cmp.Compare(a.seq, b.seq) })
}
