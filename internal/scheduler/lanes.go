package scheduler

import (
	"cmp"
	"slices"
	"time"
)

// openLanes creates a new run's open, fresh and slow lanes, and its empty map of throttled lanes.
func (r *run) openLanes() {
	r.throttled = map[any]*lane{}
	for _, l := range []**lane{&r.open, &r.fresh, &r.slow} {
		*l = &lane{}
	}
}

// laneFor returns the lane in which m waits unless m is throttled.
func (r *run) laneFor(m *member) *lane {
	switch m.pulse {
	case unknown:
		return r.fresh
	case slow:
		return r.slow
	default:
		return r.open
	}
}

// put moves a member to a lane, or to its new position if it is already in that lane. The caller
// holds the lock.
func (r *run) put(m *member, l *lane) {
	if m.lane != l {
		r.take(m)
	}
	m.lane = l
	l.members.put(m)
	r.moved(l)
}

// take removes a member from its lane, if any. The caller holds the lock.
func (r *run) take(m *member) {
	l := m.lane
	if l == nil {
		return
	}
	l.members.take(m)
	m.lane = nil
	r.moved(l)
}

// moved updates the position of l in r.throttledQueue if l is throttled.
func (r *run) moved(l *lane) {
	if l.isThrottled() && r.throttled[l.key] == l { // a newer lane for the same key may have replaced l
		r.throttledQueue.put(l)
	}
}

// removeExpired removes the throttled lanes that have expired, and returns when the next one may
// expire.
func (r *run) removeExpired(now time.Duration) time.Duration {
	for len(r.throttledQueue) > 0 {
		l := r.throttledQueue[0]
		if l.expires() > now {
			return l.expires()
		}
		r.throttledQueue.take(l)
		delete(r.throttled, l.key)
	}
	return never
}

// lanes appends to list the lanes that may be ready, in the order they become ready. Of the
// throttled lanes, it appends only the first.
func (r *run) lanes(list []*lane) []*lane {
	list = append(list, r.open, r.fresh, r.slow)
	if len(r.throttledQueue) > 0 {
		list = append(list, r.throttledQueue[0])
	}
	slices.SortStableFunc(list, func(a, b *lane) int { return cmp.Compare(a.ready(), b.ready()) })
	return list
}

// oldestDue returns when the next read is due, or the constant never if no member waits for a read.
func (r *run) oldestDue() time.Duration {
	oldest := never
	var list [4]*lane
	for _, l := range r.lanes(list[:0]) {
		if len(l.members) > 0 && l.members[0].begin != never {
			oldest = min(oldest, l.members[0].due)
		}
	}
	return oldest
}

// Hold keeps the scheduler from starting a read of a job with this key before the time next. After
// the call, these jobs wait in a lane of their own. A job calls Hold after a read has been sent,
// throttled by the service, or prevented by a known limit.
func (s *Scheduler) Hold(key any, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.ctx.Err() != nil {
		return // the read that called Hold belongs to a Wait that has ended
	}

	left := max(time.Until(next), 0)
	l := r.throttled[key]
	if l == nil {
		if left == 0 {
			return
		}
		l = &lane{key: key}
		r.throttled[key] = l
	}
	l.until = r.now() + left
	l.asking = nil
	l.free = false
	r.throttledQueue.put(l)
	signal(r.wake)
}

// admit reports whether a member may be read now. If its job's key has a throttled lane, admit
// moves the member there. The caller holds the lock.
func (r *run) admit(m *member) bool {
	if len(r.throttled) == 0 || m.lane.isThrottled() {
		return true
	}
	l := r.throttled[m.job.Key()]
	if l == nil {
		return true
	}

	m.begin = m.due
	m.spread = false
	if since, waits := r.turns[m]; waits {
		m.begin = since
	}
	r.put(m, l)
	return false
}

// ask blocks a starting read's throttled lane until a call to Hold sets the time of the next read,
// or until this read ends or gives up its place.
func (r *run) ask(f *flight) {
	if f.lane.isThrottled() && !f.lane.free {
		f.lane.asking = f
		r.moved(f.lane)
	}
}

// stopAsking unblocks a read's lane, unless Hold has already unblocked it.
func (r *run) stopAsking(f *flight) {
	if f.lane.asking == f {
		f.lane.asking = nil
		r.moved(f.lane)
	}
}

// maxRefused limits how often in a row a throttled member goes ahead of others. Otherwise, a job
// that the service always refuses would block its lane.
const maxRefused = 6

// keepTurn records when a throttled member started to wait, so that admit can put it ahead of
// members that started to wait later. It deletes the record if the read was not throttled, or if
// the member has gone ahead maxRefused times.
func (r *run) keepTurn(m *member, throttled bool) {
	if !throttled || m.refused == maxRefused {
		m.refused = 0
		delete(r.turns, m)
		return
	}
	m.refused++
	if _, waits := r.turns[m]; !waits {
		r.turns[m] = m.begin
	}
}
