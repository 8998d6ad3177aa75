package scheduler

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// openLanes creates the lanes of a new run.
func (r *run) openLanes() {
	r.throttled = map[any]*lane{}
	for _, l := range []**lane{&r.open, &r.fresh, &r.slow} {
		*l = &lane{width: math.MaxInt}
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

// moved updates the position of a throttled lane, and removes it if it is no longer needed.
func (r *run) moved(l *lane) {
	if !l.isThrottled() || r.throttled[l.key] != l { // another lane may have replaced it
		return
	}
	if len(l.members) == 0 && l.flying == 0 {
		r.throttledQueue.take(l)
		delete(r.throttled, l.key)
		return
	}
	r.throttledQueue.put(l)
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

// hold puts a member whose read was throttled in the throttled lane of its key. There, it is ahead
// of the members that started to wait after since. If there is no such lane, hold creates one only
// if the read was held back before it was sent; any other refusal concerns only one job. The caller
// holds the lock.
func (r *run) hold(m *member, since time.Duration, held bool) {
	if m.state != queued || m.lane == nil {
		return // the wait for m is over, or the run is
	}
	key := m.job.Key()
	if key == nil {
		return
	}
	l := r.throttled[key]
	if l == nil && !held {
		return
	}
	if l == nil {
		l = &lane{key: key}
	}

	l.width = 1
	l.until = max(l.until, min(m.due, r.now()+r.scheduler.options.LongestClosed))
	if m.due <= l.until {
		m.begin = since
		m.spread = false
		r.throttled[key] = l
		r.put(m, l)
	}
	r.moved(l)
}

// admit reports whether a member may be read. If its key has a throttled lane, admit moves the
// member there instead. The caller holds the lock.
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
	r.put(m, l)
	return false
}
