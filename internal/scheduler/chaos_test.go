package scheduler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// inconsistencies checks the scheduler's invariants, and returns a description of each violation.
func (s *Scheduler) inconsistencies() (bad []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.ctx.Err() != nil {
		return nil
	}
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	flying := map[*lane]int{}
	abandoned := 0
	for m, f := range r.flights {
		if f.m != m {
			say("flight of another member")
		}
		if f.element == nil {
			abandoned++
		}
		if !f.long {
			flying[f.lane]++
		}
	}
	if r.placed.Len()+r.long.Len()+abandoned != len(r.flights) {
		say("placed %d + long %d + abandoned %d != flights %d", r.placed.Len(), r.long.Len(), abandoned, len(r.flights))
	}
	inQueue := map[*lane]bool{}
	for i, l := range append(slices.Clone(r.throttledQueue), r.open, r.fresh, r.slow) {
		if l.asking != nil && r.flights[l.asking.m] != l.asking {
			say("lane %v waits for a read that has ended", l.key)
		}
		inQueue[l] = true
		if i >= len(r.throttledQueue) {
			i = -1
		}
		if l.flying != flying[l] {
			say("lane %v counts %d reads in flight, has %d", l.key, l.flying, flying[l])
		}
		if i > 0 && l.before(r.throttledQueue[(i-1)/2]) {
			say("lanes out of order at %d", i)
		}
		if i >= 0 && int(l.index) != i {
			say("lane %v has the wrong index", l.key)
		}
		if l.isThrottled() && r.throttled[l.key] != l {
			say("the lane of %v in the queue is not the one in the map (%d members)", l.key, len(l.members))
		}
		for j, m := range l.members {
			if m.lane != l || int(m.index) != j {
				say("member %d in the wrong lane or place", m.seq)
			}
			if m.state != queued {
				say("member %d is in state %d and in a lane", m.seq, m.state)
			}
			if j > 0 && m.before(l.members[(j-1)/2]) {
				say("members out of order")
			}
			if m.begin == never && !m.job.Busy() {
				say("member %d is parked although no caller has the turn", m.seq) // a false alarm is possible while a caller ends its turn
			}
		}
	}
	for k, l := range r.throttled {
		if !inQueue[l] {
			say("the lane of %v is in the map, but not in the queue", k)
		}
	}
	for _, m := range s.members {
		if m.state == queued && (m.lane == nil || !m.lane.members.has(m)) {
			say("member %d is in no lane", m.seq)
		}
	}
	untaken := 0
	for _, m := range s.members {
		if m.state == over {
			untaken++
		}
	}
	if untaken != s.untaken {
		say("untaken %d, counted %d", s.untaken, untaken)
	}
	return bad
}

// chaotic is a service that throttles some jobs, often does not respond to others, and fails at
// random. Once it recovers, all jobs end.
type chaotic struct {
	mu        sync.Mutex
	rnd       *rand.Rand
	recovered bool
	free      map[any]time.Time // by key, when the service accepts the next read
}

// reply answers the nth read of a job with the given key.
func (c *chaotic) reply(key string, n int) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recovered {
		return reply{ended: true}
	}
	r := reply{pause: time.Duration(c.rnd.IntN(60)) * time.Second}
	x := c.rnd.IntN(100)
	switch key[:3] {
	case "thr":
		if time.Now().Before(c.free[key]) {
			r.failed = true
			r.throttled = true
			r.unsent = n > 1 && c.rnd.IntN(2) == 0
			return r
		}
		c.free[key] = time.Now().Add(5 * time.Second)
		r.takes = time.Duration(c.rnd.IntN(20)) * time.Second
	case "sil":
		r.lasts = x < 60
	}
	r.failed = x < 25
	if x >= 25 && x < 30 {
		r.takes = time.Duration(c.rnd.IntN(30)) * time.Second
	}
	r.ended = x == 99
	r.more = x > 90 && x < 99
	return r
}

// The schedule stays consistent under random calls and a chaotic service. Every job ends once the
// service recovers.
func TestChaos(t *testing.T) {
	for seed := range uint64(16) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			c := &chaotic{rnd: rand.New(rand.NewPCG(seed, 2)), free: map[any]time.Time{}}
			opts := Options{
				InFlight: []int{0, 1, 2, 8, 64}[rnd.IntN(5)], Spread: []time.Duration{0, -1, time.Minute}[rnd.IntN(3)],
				Abandoned: errAbandoned,
			}
			both := []*Scheduler{New(opts), New(opts)}
			var jobs []*simulated
			for range 100 + rnd.IntN(200) {
				key := []string{"thr1", "thr2", "sil1", "sil2", "ok."}[rnd.IntN(5)]
				j := jobOf(key, func(_ context.Context, n int) reply { return c.reply(key, n) })
				j.key = key
				jobs = append(jobs, j)
				both[rnd.IntN(2)].Add(j, j)
				if rnd.IntN(3) == 0 {
					both[rnd.IntN(2)].Add(j, j)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			var loops sync.WaitGroup
			for i, s := range both {
				loops.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, uint64(10+i)))
					for ctx.Err() == nil {
						waitChaotically(ctx, s, rnd)
					}
				})
			}
			problems := map[string]int{}
			for range 600 {
				time.Sleep(time.Duration(rnd.IntN(20000)) * time.Millisecond)
				disturb(both[rnd.IntN(2)], jobs, rnd, &loops)
				synctest.Wait()
				for _, s := range both {
					for _, b := range s.inconsistencies() {
						problems[b]++
					}
				}
			}
			require.Empty(t, problems, "seed %d", seed)

			c.mu.Lock()
			c.recovered = true
			c.mu.Unlock()
			for _, j := range jobs {
				j.wake()
			}
			time.Sleep(40 * time.Hour)
			synctest.Wait()
			for _, s := range both {
				stats := s.Stats()
				require.Zero(t, stats.Waiting+stats.InFlight, "seed %d: %+v", seed, stats)
				require.Empty(t, s.inconsistencies(), "seed %d", seed)
			}
			cancel()
			loops.Wait()
		})
	}
}

// waitChaotically ranges over Wait for a random number of jobs or a random time. Its loop body is
// sometimes slow.
func waitChaotically(ctx context.Context, s *Scheduler, rnd *rand.Rand) {
	ctx, stop := context.WithTimeout(ctx, time.Duration(rnd.IntN(7200))*time.Second)
	defer stop()
	left := rnd.IntN(300)
	for _, err := range s.Wait(ctx) {
		_ = err
		if rnd.IntN(10) == 0 {
			time.Sleep(time.Duration(rnd.IntN(60)) * time.Second)
		}
		left--
		if left <= 0 && ctx.Err() == nil {
			return
		}
	}
}

// disturb takes one random action, such as removing a job or waking some jobs.
func disturb(s *Scheduler, jobs []*simulated, rnd *rand.Rand, calls *sync.WaitGroup) {
	j := jobs[rnd.IntN(len(jobs))]
	switch rnd.IntN(8) {
	case 0:
		s.Remove(j)
	case 1:
		s.Add(j, j)
	case 2, 3:
		for range 10 {
			jobs[rnd.IntN(len(jobs))].wake()
		}
	case 4, 5:
		takes := time.Duration(rnd.IntN(60)) * time.Second
		calls.Go(func() { j.readByOther(reply{takes: takes}) })
	case 6:
		_ = s.Stats()
	}
}
