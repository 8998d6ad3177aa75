package poller

import "time"

// GroupStats says how a [Group] is getting on.
type GroupStats struct {
	Waiting  int // operations that wait for their next read
	InFlight int // reads under way
	Ended    int // operations that have ended, those that Wait has yet to yield included
	Polls    int // reads made, of a status or a result
	Errors   int // of these, how many failed

	// OldestDue is when the next read is due, or was due: then the schedule lags
	// behind, because reads are spread or InFlight is too low. It is zero where
	// nothing waits, and between one Wait and the next.
	OldestDue time.Time
}

// Stats returns how the group is getting on, counted from its making. It is cheap
// however many operations there are, and never waits for a read.
func (g *Group) Stats() GroupStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Waiting = len(g.members)
	for _, e := range g.ended {
		if e.m.phase == over {
			s.Waiting--
		}
	}
	if g.run == nil {
		return s
	}
	for m := range g.run.cancels {
		if m.phase == reading {
			s.Waiting--
		}
	}
	if q := g.run.queue; len(q) > 0 && q[0].begin != parked {
		s.OldestDue = g.run.epoch.Add(q[0].due)
	}
	return s
}
