package scheduler

import "time"

const (
	// After longRead without a response, a read gives up its place, so that a silent service
	// does not delay the jobs of other services.
	longRead = 10 * time.Second

	// A read that is overdue by at least late takes the place of a read that has waited for its
	// response for at least shortRead.
	late      = 2 * time.Second
	shortRead = time.Second

	// maxLong limits the reads that continue without a place. It is half of maxConnections.
	maxLong        = 512
	maxConnections = 1024
)

// makeRoom makes room for the next read of a lane, and returns the argument now. If no room can be
// made yet, it returns the time at which to try again.
func (r *run) makeRoom(l *lane, now time.Duration) time.Duration {
	for !r.hasRoom(l) {
		at := r.roomAt(l)
		if at > now {
			return at
		}
		if r.isLongFull() {
			r.abandonLongest()
		}
		r.giveUp(r.placed.Front().Value.(*flight))
	}
	return now
}

// hasRoom reports whether a read of a lane may start. While there are members whose reads get
// prompt responses, an eighth of the places is reserved for them.
func (r *run) hasRoom(l *lane) bool {
	n := r.scheduler.options.InFlight
	if r.placed.Len()+r.scheduler.untaken >= n {
		return false
	}
	if len(r.flights) >= max(n+r.longLimit(), maxConnections) {
		return false
	}
	if l != r.fresh && l != r.slow {
		return true
	}

	isReserved := len(r.open.members)+r.open.flying+len(r.throttled) > 0
	return !isReserved || r.fresh.flying+r.slow.flying < n-n/8
}

// roomAt returns when the first member of l, which has no room, may take the place of the oldest
// read. It is never if l has to wait until a read ends.
func (r *run) roomAt(l *lane) time.Duration {
	oldest := r.placed.Front()
	if oldest == nil || l == r.slow || !r.scheduler.elastic || r.scheduler.untaken > 0 {
		return never
	}
	at := max(l.members[0].begin+late, oldest.Value.(*flight).began+shortRead)
	if r.isLongFull() {
		at = max(at, r.long.Front().Value.(*flight).began+longRead)
	}
	return at
}

// longLimit returns how many reads may continue without a place.
func (r *run) longLimit() int { return min(8*r.scheduler.options.InFlight, maxLong) }

func (r *run) isLongFull() bool { return r.long.Len() >= r.longLimit() }

// giveUpLong makes the reads that have waited for longRead give up their places. It returns the
// time at which the next read will have waited that long.
func (r *run) giveUpLong(now time.Duration) time.Duration {
	for r.placed.Len() > 0 && !r.isLongFull() && r.scheduler.untaken == 0 {
		f := r.placed.Front().Value.(*flight)
		at := f.began + longRead + 1
		if at > now {
			return at
		}
		r.giveUp(f)
	}
	return never
}

// giveUp takes away a read's place; the read continues without one.
func (r *run) giveUp(f *flight) {
	r.placed.Remove(f.element)
	f.element = r.long.PushBack(f)
	f.long = true
	f.lane.flying--
	r.stopAsking(f)
}

// abandonLongest cancels the oldest of the reads that have given up their places.
func (r *run) abandonLongest() {
	f := r.long.Remove(r.long.Front()).(*flight)
	f.element = nil
	f.cancel(r.scheduler.options.Abandoned)
}
