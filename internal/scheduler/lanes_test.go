package scheduler

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A limiter is a service that responds to one read every five seconds, and holds back the others.
type limiter struct {
	mu   sync.Mutex
	free time.Time
	jobs []*simulated
}

// job returns a job that ends at its first response. All its jobs have the same key.
func (l *limiter) job(name string) *simulated {
	j := jobOf(name, func(context.Context, int) reply {
		l.mu.Lock()
		defer l.mu.Unlock()
		if time.Now().Before(l.free) {
			return reply{pause: 5 * sec, failed: true, throttled: true, held: true}
		}
		l.free = time.Now().Add(5 * sec)
		return hasEnded
	})
	j.key = "k"
	l.jobs = append(l.jobs, j)
	return j
}

// Jobs that are throttled together wait in a lane. One of them probes the service. If it gets a
// response, more reads follow at once, until the service refuses one.
func TestThrottledLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limiter{}
		a, b, c, d := l.job("a"), l.job("b"), l.job("c"), l.job("d").dueIn(12*sec)
		other := job("other", reply{pause: 2 * sec}, hasEnded)
		s := closed(Options{InFlight: 1, Spread: -1}, a, b, c, d, other)
		require.Equal(t, []string{"a 10s", "other 12s", "b 15s", "c 20s", "d 25s"}, wait(t.Context(), s))
		require.Equal(t, []time.Duration{10 * sec, 15 * sec}, b.times())
		require.Equal(t, []time.Duration{15 * sec, 20 * sec}, c.times(), "the response to b let it try")
		require.Equal(t, []time.Duration{20 * sec, 25 * sec}, d.times(), "it joined the lane without a read")
		require.Equal(t, Stats{Ended: 5, Polls: 6}, s.Stats(), "a read that was held back does not count")
	})
}

// Only a read that was held back opens a lane. Any other refusal concerns only one job.
func TestRefusalOpensNoLane(t *testing.T) {
	for held, want := range map[bool]time.Duration{false: 20 * sec, true: 40 * sec} {
		synctest.Test(t, func(t *testing.T) {
			a := job("a", reply{pause: 30 * sec, failed: true, throttled: true, held: held}, hasEnded)
			b := job("b", hasEnded).dueIn(20 * sec)
			a.key, b.key = "k", "k"
			wait(t.Context(), closed(Options{}, a, b))
			require.Equal(t, []time.Duration{10 * sec, 40 * sec}, a.times())
			require.Equal(t, want, b.times()[0])
		})
	}
}

// A lane stays closed for at most LongestClosed. If the service asks for a longer pause, that
// concerns only the job that it refused.
func TestLongestClosed(t *testing.T) {
	for pause, want := range map[time.Duration]time.Duration{60 * sec: 70 * sec, 61 * sec: 20 * sec} {
		synctest.Test(t, func(t *testing.T) {
			a := job("a", reply{pause: pause, failed: true, throttled: true, held: true}, hasEnded)
			b := job("b", hasEnded).dueIn(20 * sec)
			a.key, b.key = "k", "k"
			wait(t.Context(), closed(Options{}, a, b))
			require.Equal(t, []time.Duration{10 * sec, 10*sec + pause}, a.times())
			require.Equal(t, []time.Duration{want}, b.times())
		})
	}
}

// A refusal that asks for a shorter pause than an earlier one does not open the lane earlier.
func TestLaneStaysClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{pause: 30 * sec, failed: true, throttled: true, held: true}, hasEnded)
		b := job("b", reply{takes: sec, pause: 5 * sec, failed: true, throttled: true, held: true}, hasEnded)
		a.key, b.key = "k", "k"
		wait(t.Context(), closed(Options{Spread: -1}, a, b))
		require.Equal(t, []time.Duration{10 * sec, 40 * sec}, b.times())
	})
}

// A read that has given up its place may end after its lane was replaced. The new lane stays.
func TestReplacedLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{pause: 5 * sec, failed: true, throttled: true, held: true}, reply{takes: 30 * sec, pause: time.Hour}, hasEnded)
		b := job("b", reply{pause: 20 * sec, failed: true, throttled: true, held: true}, hasEnded).dueIn(30 * sec) // a gave up its place at 25 s
		c := job("c", hasEnded).dueIn(47 * sec)                                                                    // the read of a ended at 45 s
		a.key, b.key, c.key = "k", "k", "k"
		wait(t.Context(), closed(Options{Spread: -1}, a, b, c))
		require.Equal(t, []time.Duration{30 * sec, 50 * sec}, b.times())
		require.Equal(t, []time.Duration{50 * sec}, c.times(), "it waits behind b")
	})
}

// Jobs without a key share no lane.
func TestNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := []reply{{pause: 30 * sec, failed: true, throttled: true, held: true}, {takes: 5 * sec, ended: true}}
		a, b := job("a", replies...), job("b", replies...)
		c := job("c", hasEnded).dueIn(20 * sec)
		require.ElementsMatch(t, []string{"c 20s", "a 45s", "b 45s"}, wait(t.Context(), closed(Options{Spread: -1}, a, b, c)))
	})
}

// Each response lets one more read start. A refusal lets only one read start again.
func TestThrottledLaneWidens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		at := map[time.Duration]int{} // how many reads started at that time
		var jobs []*simulated
		for i := range 8 {
			j := jobOf(fmt.Sprint(i), func(_ context.Context, n int) reply {
				if time.Since(started) == 10*sec {
					return reply{pause: 5 * sec, failed: true, throttled: true, held: true}
				}
				mu.Lock()
				defer mu.Unlock()
				at[time.Since(started)]++
				return reply{takes: sec, ended: true}
			})
			j.key = "k"
			jobs = append(jobs, j)
		}
		wait(t.Context(), closed(Options{Spread: -1}, jobs...))
		require.Equal(t, map[time.Duration]int{15 * sec: 1, 16 * sec: 2, 17 * sec: 4, 18 * sec: 1}, at)
	})
}

// With 10,000 jobs that share a limit of one request every five seconds, each gets its turn, and
// few reads are refused.
func TestThrottledJobsGetTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = manyThrottled
		l := &limiter{}
		for i := range n {
			l.job(fmt.Sprint(i))
		}
		healthy := jobOf("healthy", func(_ context.Context, n int) reply { return reply{ended: n == manyThrottled/4} })
		s := closed(Options{}, append(l.jobs, healthy)...)
		require.Len(t, wait(t.Context(), s), n+1)
		require.Equal(t, 10*sec+(n-1)*5*sec, time.Since(started).Truncate(sec), "no time is lost")
		require.LessOrEqual(t, len(readsOf(l.jobs...)), 3*n)
		for _, j := range l.jobs {
			require.LessOrEqual(t, len(j.times()), 5, "a throttled read keeps its turn")
		}
		_, later := latenessOf([]*simulated{healthy})
		require.LessOrEqual(t, later, sec)
	})
}

// Jobs that are throttled make progress while the slow lane is blocked.
func TestThrottledLaneWhileSlowLaneIsBlocked(t *testing.T) {
	for neighbors, limit := range map[int]int{0: 0, 640: 16, 641: 0, 2000: 0} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{InFlight: limit, Abandoned: errAbandoned, LongestClosed: time.Minute})
			for i := range neighbors {
				j := neighbor(i, false)
				s.Add(j, j)
			}
			l := &limiter{}
			time.AfterFunc(2*time.Hour, func() {
				for i := range 100 {
					j := l.job(fmt.Sprint(i))
					s.Add(j, j)
				}
			})
			left := 100
			for _, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				left--
				if left == 0 {
					break
				}
			}
			require.LessOrEqual(t, time.Since(started), 2*time.Hour+40*time.Minute, "%d neighbors", neighbors)
		})
	}
}
