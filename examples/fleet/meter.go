package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"github.com/lro-go/lro/poller"
)

// stats are what the view shows.
type stats struct {
	counts
	N       int // operations that there are to be
	Group   poller.GroupStats
	Lag     time.Duration // of the schedule: since when the oldest read is due
	Rates   []float64     // polls a second, in the course of time
	Average float64       // of all the time
	Elapsed time.Duration

	Memory     memory
	Peak       memory // the most that was seen
	Goroutines int
	Service    report
}

// ended are the operations that have ended.
func (s stats) ended() int { return s.Done + s.Failed + s.Canceled }

// waiting are the operations that wait for their next read.
func (s stats) waiting() int { return max(s.Group.Waiting-s.Resumable, 0) }

// unbegun are the operations that nothing came of yet.
func (s stats) unbegun() int { return s.N - s.Begun - s.Refused }

// rate is how many polls a second there are now.
func (s stats) rate() float64 {
	if len(s.Rates) == 0 {
		return 0
	}
	return s.Rates[len(s.Rates)-1]
}

// A meter measures a fleet.
type meter struct {
	fleet   *fleet
	service func() report

	mu    sync.Mutex
	polls []reading // of the last second
	rates []float64
	peak  memory
}

type reading struct {
	at    time.Time
	polls int
}

// history is how many rates are kept, more than any terminal is wide.
const history = 400

func newMeter(f *fleet, service func() report) *meter {
	return &meter{fleet: f, service: service, polls: []reading{{f.start, 0}}}
}

// sample measures now.
func (m *meter) sample() stats {
	now, group := time.Now(), m.fleet.group.Stats()
	s := stats{
		counts: m.fleet.counted(), N: m.fleet.cfg.n, Group: group,
		Elapsed: now.Sub(m.fleet.start),
		Memory:  readMemory(), Goroutines: runtime.NumGoroutine(), Service: m.service(),
	}
	s.Average = float64(group.Polls) / s.Elapsed.Seconds()
	if due := group.OldestDue; !due.IsZero() {
		s.Lag = max(now.Sub(due), 0)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Rates = m.rate(reading{now, group.Polls})
	m.peak = memory{max(m.peak.Heap, s.Memory.Heap), max(m.peak.RSS, s.Memory.RSS)}
	s.Peak = m.peak
	return s
}

// rate adds the rate of the last second, or of the time since the last reading
// where that is longer.
func (m *meter) rate(r reading) []float64 {
	for len(m.polls) > 1 && r.at.Sub(m.polls[1].at) >= time.Second {
		m.polls = m.polls[1:]
	}
	first := m.polls[0]
	m.polls = append(m.polls, r)
	if since := r.at.Sub(first.at); since > 0 {
		m.rates = append(m.rates, float64(r.polls-first.polls)/since.Seconds())
	}
	m.rates = m.rates[max(len(m.rates)-history, 0):]
	return append([]float64(nil), m.rates...)
}

// memory is that of a process, in bytes.
type memory struct {
	Heap uint64 // objects of the program, those that await collection included
	RSS  uint64 // what the system has given to it; 0 where that is not easily known
}

func readMemory() memory {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return memory{Heap: sample[0].Value.Uint64(), RSS: rss()}
}

// rss reads the resident set as Linux tells it; elsewhere it is 0.
func rss() uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}
