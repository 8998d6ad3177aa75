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

// A limiter simulates a service that requires a gap between reads, and a client whose throttle gate
// learns the limit from the first refused read.
type limiter struct {
	takes time.Duration // how long a read takes
	gap   time.Duration // the minimum time between two reads

	mu    sync.Mutex
	s     *Scheduler
	free  time.Time // when the next read may start
	known bool      // whether the gate knows the limit
	sent  int       // how many reads were sent, including refused ones
	jobs  []*simulated
}

func newLimiter() *limiter { return &limiter{gap: 5 * sec} }

// job adds a job that ends with the first read that the service allows. A limiter's jobs all have
// the same key.
func (l *limiter) job(name string) *simulated {
	j := jobOf(name, func(context.Context, int) reply { return l.reply() })
	j.key = "k"
	l.jobs = append(l.jobs, j)
	return j
}

func (l *limiter) reply() reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := time.Until(l.free)
	if left > 0 && l.known {
		l.s.Hold("k", l.free)
		return reply{unsent: true, pause: left}
	}
	l.sent++
	if left > 0 {
		l.known = true
		l.s.Hold("k", l.free)
		return reply{failed: true, throttled: true, pause: left}
	}
	l.free = time.Now().Add(l.gap)
	if l.known {
		l.s.Hold("k", l.free)
	}
	return reply{takes: l.takes, ended: true}
}

// serve returns a closed scheduler that has the limiter's jobs and the others.
func (l *limiter) serve(opts Options, others ...*simulated) *Scheduler {
	l.s = closed(opts, append(l.jobs, others...)...)
	return l.s
}

// Throttled jobs with the same key wait in the order in which they fell due. The first one is read
// as soon as the limit allows.
func TestThrottledLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		a, b, c, d := l.job("a"), l.job("b"), l.job("c").dueIn(11*sec), l.job("d").dueIn(12*sec)
		other := job("other", reply{pause: 2 * sec}, hasEnded)
		s := l.serve(Options{InFlight: 1, Spread: -1}, other)
		require.Equal(t, []string{"a 10s", "other 12s", "b 15s", "c 20s", "d 25s"}, wait(t.Context(), s))
		require.Equal(t, []time.Duration{10 * sec, 15 * sec}, b.times(), "the read of b is refused at 10s, and b goes first at 15s")
		require.Equal(t, []time.Duration{10 * sec, 15 * sec, 20 * sec, 25 * sec}, readsOf(a, b, c, d)[1:])
		require.Equal(t, Stats{Ended: 5, Polls: 7, Errors: 1}, s.Stats())
	})
}

// The next read in a throttled lane starts without waiting for the response to the previous one.
func TestThrottledReadsOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.gap = sec
		l.takes = 7 * sec
		for i := range 8 {
			l.job(fmt.Sprint(i)).dueIn(10*sec + time.Duration(i)) // so that the reads start in this order
		}
		wait(t.Context(), l.serve(Options{Spread: -1}))
		require.Equal(t, append([]time.Duration{10 * sec}, every(11*sec, sec, 7)...), answeredAt(l), "each read starts as soon as the limit allows it")
	})
}

// answeredAt returns when each job's last read started. The service refused all earlier ones, or
// they were not sent.
func answeredAt(l *limiter) (at []time.Duration) {
	for _, j := range l.jobs {
		all := j.times()
		at = append(at, all[len(all)-1])
	}
	return at
}

// A job keeps its position in the lane if the throttle gate holds back its read. Stats does not
// count the unsent read.
func TestUnsentReadKeepsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		a, b, c := l.job("a"), l.job("b").dueIn(11*sec), l.job("c").dueIn(12*sec)
		s := l.serve(Options{Spread: -1})
		time.AfterFunc(12*sec, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.free = l.free.Add(20 * sec)
		})
		require.Equal(t, []string{"a 10s", "b 35s", "c 40s"}, wait(t.Context(), s))
		require.Equal(t, []time.Duration{11 * sec, 15 * sec, 35 * sec}, b.times())
		require.Equal(t, 4, s.Stats().Polls, "three responses and the refused read")
		require.Len(t, a.times(), 1)
		require.Equal(t, []time.Duration{40 * sec}, c.times())
	})
}

// A job that the service always refuses does not block other jobs with the same key.
func TestRefusedJobDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *Scheduler
		refused := jobOf("refused", func(context.Context, int) reply {
			s.Hold("k", time.Now().Add(5*sec))
			return reply{failed: true, throttled: true, pause: 5 * sec}
		})
		b := job("b", hasEnded).dueIn(12 * sec)
		refused.key, b.key = "k", "k"
		s = New(Options{Spread: -1})
		s.Add(refused, refused)
		s.Add(b, b)
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			break
		}
		require.Equal(t, []time.Duration{45 * sec}, b.times(), "after the refused job has gone first %d times", maxRefused+1)
	})
}

// If a job's own pause is longer than the limit requires, the other jobs with the same key do not
// wait for that job.
func TestLongerPauseDelaysOnlyItsJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		b := l.job("b").dueIn(20 * sec)
		a := jobOf("a", func(_ context.Context, n int) reply {
			l.s.Hold("k", time.Now().Add(60*sec))
			if n == 1 {
				return reply{failed: true, throttled: true, pause: 300 * sec}
			}
			return hasEnded
		})
		a.key = "k"
		wait(t.Context(), l.serve(Options{}, a))
		require.Equal(t, []time.Duration{10 * sec, 310 * sec}, a.times())
		require.Equal(t, []time.Duration{70 * sec}, b.times())
	})
}

// A read that ends without a call to Hold shows that the throttle gate no longer knows the limit.
// The scheduler then reads the other jobs in the throttled lane right away.
func TestGateForgotLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		for i := range 10 {
			l.job(fmt.Sprint(i)).dueIn(10*sec + time.Duration(i))
		}
		time.AfterFunc(12*sec, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.known = false
			l.gap = 0
			l.free = time.Time{}
			l.takes = sec
		})
		wait(t.Context(), l.serve(Options{Spread: -1}))
		require.Equal(t, append([]time.Duration{10 * sec, 15 * sec}, every(16*sec, 0, 8)...), answeredAt(l))
	})
}

// The scheduler removes throttled lanes that are no longer needed.
func TestLanesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		a := job("a", reply{pause: time.Hour}, hasEnded)
		s.Add(a, a)
		s.Hold("before any Wait", time.Now().Add(sec))
		time.AfterFunc(sec, func() {
			for i := range 1000 {
				s.Hold(i, time.Now().Add(5*sec))
			}
			s.Hold("past", time.Now())
		})
		lanes := func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.run.throttled)
		}
		time.AfterFunc(2*sec, func() { require.Equal(t, 1000, lanes()) })
		time.AfterFunc(8*sec, func() { require.Zero(t, lanes()) })
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			break
		}
		s.Hold("after Wait", time.Now().Add(sec))
	})
}

// Throttling a job without a key does not delay other jobs without a key.
func TestJobsWithoutKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := []reply{{pause: 30 * sec, failed: true, throttled: true}, {takes: 5 * sec, ended: true}}
		a, b := job("a", replies...), job("b", replies...)
		c := job("c", hasEnded).dueIn(20 * sec)
		require.ElementsMatch(t, []string{"c 20s", "a 45s", "b 45s"}, wait(t.Context(), closed(Options{Spread: -1}, a, b, c)))
	})
}

// When many jobs share a limit of one request every five seconds, each gets its turn, and few reads
// are refused.
func TestThrottledJobsGetTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = manyThrottled
		l := newLimiter()
		for i := range n {
			l.job(fmt.Sprint(i))
		}
		healthy := jobOf("healthy", func(_ context.Context, n int) reply { return reply{ended: n == manyThrottled/4} })
		s := l.serve(Options{}, healthy)
		require.Len(t, wait(t.Context(), s), n+1)
		require.Equal(t, 10*sec+(n-1)*5*sec, time.Since(started).Truncate(sec), "one read every five seconds")
		require.LessOrEqual(t, len(readsOf(l.jobs...)), n+n/100+100, "the service refuses few reads")
		for _, j := range l.jobs {
			require.LessOrEqual(t, len(j.times()), 5, "a job needs at most five reads")
		}
		_, later := latenessOf([]*simulated{healthy})
		require.LessOrEqual(t, later, sec)
	})
}

// Throttled jobs make progress even while the reads in the slow lane wait for places.
func TestThrottledLaneWhileSlowLaneIsBlocked(t *testing.T) {
	for neighbors, limit := range map[int]int{0: 0, 640: 16, 641: 0, 2000: 0} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{InFlight: limit, Abandoned: errAbandoned})
			for i := range neighbors {
				j := neighbor(i, false)
				s.Add(j, j)
			}
			l := newLimiter()
			l.s = s
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
