package scheduler

import (
	"cmp"
	"slices"
	"time"
)

// openLanes creates the lanes of a new run.
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

// put moves a member to a lane or, if it is already there, to its new position. The caller holds
// the lock.
func (r *run) put(m *member, l *lane) {
	if m.lane != l {
		r.take(m)
	}
	m.lane = l
	l.members.put(m)
	r.moved(l)
}

// take removes a member from its lane, if it is in one. The caller holds the lock.
func (r *run) take(m *member) {
	l := m.lane
	if l == nil {
		return
	}
	l.members.take(m)
	m.lane = nil
	r.moved(l)
}

// moved updates the position of a throttled lane.
func (r *run) moved(l *lane) {
	if l.isThrottled() && r.throttled[l.key] == l { // another lane may have replaced it
		r.throttledQueue.put(l)
	}
}

// removeExpired removes the throttled lanes that are no longer needed, and returns the time at which to
// look again.
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

// lanes extends its argument with the lanes that may be ready, in the order in which they become
// ready.
func (r *run) lanes(list []*lane) []*lane {
	list = append(list, r.open, r.fresh, r.slow)
	if len(r.throttledQueue) > 0 {
		list = append(list, r.throttledQueue[0])
	}
	slices.SortStableFunc(list, func(a, b *lane) int { return cmp.Compare(a.ready(), b.ready()) })
	return list
}

// oldestDue returns when the first member of the lanes is due, or never.
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

// Hold says that no read of a job with this key may start before next. The jobs with this key then
// wait in a lane of their own. It is called when a read has started, was refused, or was not sent.
func (s *Scheduler) Hold(key any, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.ctx.Err() != nil {
		return // the call comes from a read that no longer matters
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

// admit reports whether a member may be read. If its key has a throttled lane, admit moves the
// member there instead. If its last read was throttled, it is ahead of all that started to wait after
// it did. The caller holds the lock.
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

// ask records that the lane of a read has to wait until it is known when the next read may start.
func (r *run) ask(f *flight) {
	if f.lane.isThrottled() && !f.lane.free {
		f.lane.asking = f
		r.moved(f.lane)
	}
}

// stopAsking lets the next read of a lane ask if f has not learned when it may start.
func (r *run) stopAsking(f *flight) {
	if f.lane.asking == f {
		f.lane.asking = nil
		r.moved(f.lane)
	}
}

// maxRefused limits how often in a row a member keeps its turn. The service might refuse only this job.
const maxRefused = 6

// keepTurn remembers since when a member has been waiting, if its read was throttled.
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
