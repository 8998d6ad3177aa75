package scheduler

import "time"

// maxSleep limits how long the scheduler sleeps before it checks the wall clock again. The
// monotonic clock stops while the machine is suspended, so a longer timer could fire late.
const maxSleep = time.Minute

// sleepFor returns how long to sleep, given the wall-clock time until the next read.
func sleepFor(left time.Duration) time.Duration { return min(left, maxSleep) }

// schedule starts reads when their time comes, until the run ends.
func (r *run) schedule() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(sleepFor(r.dispatch()))
		select {
		case <-timer.C:
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
	}
}

// dispatch starts the reads whose time has come, and returns how long to wait before the next call.
func (r *run) dispatch() time.Duration {
	s := r.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	for r.ctx.Err() == nil {
		now := r.now()
		l, next := r.nextLane(now)
		if l == nil {
			r.stopIdle(now)
			return next - now
		}
		r.tryStart(l.members[0], now)
	}
	return never
}

// nextLane returns a lane whose first member may be read now, or else nil and the time to check
// again. The caller holds the lock.
func (r *run) nextLane(now time.Duration) (*lane, time.Duration) {
	next := min(r.giveUpLong(now), r.removeExpired(now))
	var list [4]*lane
	for _, l := range r.lanes(list[:0]) { // try each lane, because some places are reserved for certain lanes
		at := l.ready()
		if at <= now {
			at = r.makeRoom(l, now)
		}
		if at <= now {
			return l, now
		}
		next = min(next, at)
	}
	return nil, next
}

// tryStart starts the read of m, the first member of its lane, unless the read must wait. Either
// way, m leaves its lane or moves within it, so that dispatch does not try m again right away. The
// caller holds the lock.
func (r *run) tryStart(m *member, now time.Duration) {
	due, waiting := r.review(m)
	if !waiting || m.begin > now {
		return
	}
	if m.job.Busy() {
		r.park(m)
		return
	}

	if !r.admit(m) {
		return
	}
	r.spread(m, due, now)
	if m.begin <= now {
		r.start(m)
	}
}

// join schedules a member and has it observe its job until Wait ends. The caller holds the lock.
func (r *run) join(m *member) {
	m.job.Observe(m)
	r.plan(m)
}

// Changed implements [Observer]. It reschedules the member's next read.
func (m *member) Changed() {
	s := m.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.state == queued && s.run != nil { // Changed may be called once more after Ignore
		s.run.plan(m)
	}
}

// plan queues a member, and wakes the scheduling goroutine if the member is now first in its lane.
// The caller holds the lock.
func (r *run) plan(m *member) {
	if r.ctx.Err() != nil {
		return // the next Wait will plan m
	}
	if _, waiting := r.review(m); waiting && m.lane.members[0] == m {
		signal(r.wake)
	}
}

// review queues a member for the time when its job's next read is due, and reports whether the
// member still waits for a read. It keeps a later start time that a pace has chosen. The caller
// holds the lock.
func (r *run) review(m *member) (due Due, waiting bool) {
	due = m.job.Due(r.ctx, m.known)
	if due.Err != nil {
		r.finish(m, due.Err)
		return due, false
	}
	if !due.Fits {
		r.yieldUnfinished(m, m.job.TooLate())
		return due, false
	}

	at := due.At.Sub(r.epoch) + r.setBack()
	if m.lane.isThrottled() && at <= r.now() {
		return due, true // the member keeps its position in the throttled lane
	}
	begin := m.begin
	if !m.spread || at > begin {
		m.due = at
		m.begin = at
		m.spread = false
	}
	l := r.laneFor(m)
	if m.lane != l || m.begin != begin {
		r.put(m, l)
	}
	return due, true
}

// spread chooses the start time of a read that is due, except in a throttled lane, where the
// service sets the pace. The caller holds the lock.
func (r *run) spread(m *member, due Due, now time.Duration) {
	if m.spread || m.lane.isThrottled() {
		return
	}
	isOverdue := now-m.due > due.Pause && m.pulse != slow // the usual window is enough for slow members, because few of them are read at the same time
	p := &r.paces[0]
	if isOverdue {
		p = &r.paces[2]
	} else if due.Failed {
		p = &r.paces[1] // failing jobs have a separate pace, so that they do not delay the others
	}
	window := windowOf(r.ctx, due, r.scheduler.options.Spread, isOverdue)
	m.begin = p.next(now, window, len(r.scheduler.members))
	m.spread = true
	r.put(m, m.lane)
}

// park holds a member back until another caller has finished reading its job. The caller holds the
// lock.
func (r *run) park(m *member) {
	m.begin = never
	m.spread = false
	r.put(m, r.laneFor(m))
}

// finish takes a job off the schedule after the job or the wait for it has ended, and queues the
// job for Wait to yield with err. The caller holds the lock.
func (r *run) finish(m *member, err error) {
	m.state = over
	r.scheduler.totals.Ended++
	r.scheduler.untaken++
	r.yield(m, err)
}

// yieldUnfinished makes Wait yield a job that has not ended. The scheduler keeps the job, but this
// run no longer reads it. The caller holds the lock.
func (r *run) yieldUnfinished(m *member, err error) {
	m.state = yielded
	r.yielded++
	r.yield(m, err)
}

func (r *run) yield(m *member, err error) {
	r.take(m)
	r.scheduler.ended = append(r.scheduler.ended, ending{m, err})
	signal(r.news)
}
