package scheduler

import (
	"cmp"
	"slices"
	"time"
)

// openLanes creates the lanes of a new run, which has no throttled lanes yet.
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

// removeExpired removes expired lanes from the front of r.throttledQueue, and returns when the lane
// that is then at the front expires.
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

// lanes appends the open, fresh and slow lanes and the first throttled lane to the list, and sorts
// them by when they become ready.
func (r *run) lanes(list []*lane) []*lane {
	list = append(list, r.open, r.fresh, r.slow)
	if len(r.throttledQueue) > 0 {
		list = append(list, r.throttledQueue[0])
	}
	slices.SortStableFunc(list, func(a, b *lane) int { return cmp.Compare(a.ready(), b.ready()) })
	return list
}

// oldestDue returns when the next scheduled read is due, or the constant never if no read is
// scheduled.
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

// Hold makes the jobs with this key wait in a lane of their own, in which no read starts before the
// given time. A job calls Hold after a read has been sent, throttled by the service, or held back
// because of a known limit.
func (s *Scheduler) Hold(key any, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.ctx.Err() != nil {
		return // no Wait is in progress that could start another read
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

// admit reports whether a member may be read now. If its job's key has a throttled lane in which
// the member is not waiting yet, admit moves it there and returns false. The caller holds the lock.
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

// ask is called when a read starts. If the read's lane is throttled and lane.free is not set, ask
// blocks the lane until Hold sets the time of its next read, or until this read ends or gives up
// its place.
func (r *run) ask(f *flight) {
	if f.lane.isThrottled() && !f.lane.free {
		f.lane.asking = f
		r.moved(f.lane)
	}
}

// stopAsking unblocks the lane of a read if that read still blocks it.
func (r *run) stopAsking(f *flight) {
	if f.lane.asking == f {
		f.lane.asking = nil
		r.moved(f.lane)
	}
}

// maxRefused is how many times in a row a throttled member keeps its position in the lane. Without
// this limit, a job that the service always refuses would block its lane.
const maxRefused = 6

// If the last read of m was throttled, keepTurn records when m started to wait, so that admit can
// put m ahead of the members that started to wait later. If the read was not throttled, or m has
// already kept its turn maxRefused times, keepTurn deletes the record.
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
