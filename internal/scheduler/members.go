package scheduler

import "slices"

// Add adds a job. When the job ends, Wait yields the tag. Add may be called before Wait and while
// Wait is running. It does nothing if the scheduler already has the job.
func (s *Scheduler) Add(job Job, tag any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members[job] != nil {
		return
	}

	s.added++
	m := &member{job: job, tag: tag, scheduler: s, seq: s.added, known: job.Known()}
	s.members[job] = m
	if s.run != nil {
		s.run.join(m)
	}
}

// Remove removes a job from the scheduler, so that Wait does not yield it. It abandons the job's
// read if one is in flight.
func (s *Scheduler) Remove(job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[job]
	if m == nil {
		return
	}

	if m.state == over { // release the result
		s.ended = slices.DeleteFunc(s.ended, func(e ending) bool { return e.m == m })
	}
	s.drop(m)
}

// drop removes a member from the scheduler and the schedule, and cancels the member's read, if any.
// The caller holds the lock.
func (s *Scheduler) drop(m *member) {
	delete(s.members, m.job)
	was := m.state
	m.state = removed
	if was == over {
		s.untaken--
	}

	r := s.run
	if r == nil {
		return
	}
	m.job.Ignore(m)
	r.take(m)
	delete(r.turns, m)
	if was == yielded {
		r.yielded--
	}
	if f := r.flights[m]; f != nil {
		f.cancel(nil)
	}
	signal(r.news)
	signal(r.wake)
}

// Close makes Wait end once it has yielded all jobs.
func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.run != nil {
		signal(s.run.news)
	}
}

// Stats returns the scheduler's progress. Its cost does not depend on the number of jobs.
func (s *Scheduler) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.totals
	stats.Waiting = len(s.members) - s.untaken
	r := s.run
	if r == nil {
		return stats
	}

	stats.InFlight = len(r.flights)
	for m := range r.flights {
		if m.state == reading {
			stats.Waiting--
		}
	}
	if oldest := r.oldestDue(); oldest != never {
		stats.OldestDue = r.epoch.Add(oldest - r.setBack())
	}
	return stats
}
