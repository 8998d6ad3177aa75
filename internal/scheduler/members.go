package scheduler

import "slices"

// Add adds a job, before Wait or while it is running. Wait yields the tag when the job ends. Add
// does nothing if the scheduler already has the job.
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

// Remove takes a job out of the scheduler, so that Wait does not yield it. It abandons a read that
// is in flight.
func (s *Scheduler) Remove(job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[job]
	if m == nil {
		return
	}

	if m.state == over { // so that its result is not kept in memory
		s.ended = slices.DeleteFunc(s.ended, func(e ending) bool { return e.m == m })
	}
	s.drop(m)
}

// drop removes a member from the scheduler and the schedule, and cancels its read. The caller holds
// s.mu.
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

// Close lets Wait end once all jobs have ended.
func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.run != nil {
		signal(s.run.news)
	}
}

// Stats returns the progress of the scheduler. It is cheap for any number of jobs.
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
