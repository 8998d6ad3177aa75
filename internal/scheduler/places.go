package scheduler

import "time"

const (
	// longRead is how long a read waits for its response before it gives up its place. This keeps a
	// silent service from delaying other jobs.
	longRead = 10 * time.Second

	// With the default InFlight, a read whose start is late by this much can take the place of a
	// read that has waited for its response for at least shortRead.
	late      = 2 * time.Second
	shortRead = time.Second

	// maxLong limits the reads that continue without a place. maxConnections limits the reads in
	// flight, including abandoned ones. A large Options.InFlight raises the second limit; see
	// hasRoom.
	maxLong        = 512
	maxConnections = 1024
)

// makeRoom tries to make room for the next read of lane l. If there is room, it returns its second
// argument, the current time. Otherwise, it returns the time to try again.
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

// hasRoom reports whether there is a place for a read from lane l. While the open lane or a
// throttled lane is in use, an eighth of the places is reserved for those lanes.
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

// roomAt returns when the first member of l can take the place of the oldest read, or the constant
// never if it cannot.
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

// giveUpLong takes away the places of reads that have waited longer than longRead, and returns when
// to do so again. It takes none away while longLimit is reached or an ended job has not been
// yielded.
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

// giveUp takes away a read's place. The read continues without one.
func (r *run) giveUp(f *flight) {
	r.placed.Remove(f.element)
	f.element = r.long.PushBack(f)
	f.long = true
	f.lane.flying--
	r.stopAsking(f)
}

// abandonLongest cancels the oldest read that has given up its place.
func (r *run) abandonLongest() {
	f := r.long.Remove(r.long.Front()).(*flight)
	f.element = nil
	f.cancel(r.scheduler.options.Abandoned)
}
