package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// If InFlight is not 64 and no read takes longer than ten seconds, at most InFlight reads are in
// flight. Reads that are due at the same time start as soon as there are places, in the order in
// which their jobs were added.
func TestInFlight(t *testing.T) {
	for _, limit := range []int{1, 3, 63} {
		synctest.Test(t, func(t *testing.T) {
			const n = 100
			most := 0
			var order []string
			var jobs []*simulated
			for i := range n {
				jobs = append(jobs, job(fmt.Sprint(i), reply{takes: 10 * sec, ended: true}))
			}
			s := closed(Options{InFlight: limit, Spread: -1}, jobs...)
			for tag, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				order = append(order, tag.(*simulated).name)
				stats := s.Stats()
				most = max(most, stats.InFlight)
				require.Equal(t, n, stats.Waiting+stats.InFlight+stats.Ended)
			}
			require.LessOrEqual(t, most, limit)
			reads := readsOf(jobs...)
			for i, at := range reads {
				require.Equal(t, time.Duration(1+i/limit)*10*sec, at)
			}
			require.Equal(t, time.Duration(1+(n+limit-1)/limit)*10*sec, time.Since(started))
			if limit == 1 {
				for i, name := range order {
					require.Equal(t, fmt.Sprint(i), name)
				}
			}
		})
	}
}

// A read that has waited ten seconds for its response gives up its place to another read.
func TestLongReadGivesUpPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := silent("a"), job("b", hasEnded)
		a.reply = job("", reply{takes: 5 * time.Minute, failed: true}, hasEnded).reply
		s := closed(Options{InFlight: 1, Spread: -1}, a, b)
		require.Equal(t, []string{"b 20.000000001s", "a 5m20s"}, wait(t.Context(), s))
		require.Equal(t, Stats{Ended: 2, Polls: 3, Errors: 1}, s.Stats())
	})
}

// If InFlight is 64, the default, a late read takes the place of a read that is waiting for its
// response. With any other value, the late read waits until another read ends or gives up its
// place.
func TestLateReadTakesPlace(t *testing.T) {
	for limit, want := range map[int]time.Duration{0: 13 * sec, 64: 13 * sec, 63: 20*sec + 1} {
		synctest.Test(t, func(t *testing.T) {
			jobs := []*simulated{job("late", hasEnded).dueIn(11 * sec)}
			jobs[0].reads.Add(1)
			for i := range cmp.Or(limit, 64) {
				jobs = append(jobs, job(fmt.Sprint(i), reply{takes: time.Minute, ended: true}))
			}
			wait(t.Context(), closed(Options{InFlight: limit, Spread: -1}, jobs...))
			require.Equal(t, []time.Duration{want}, jobs[0].times())
		})
	}
}

// First reads occupy at most seven eighths of the places, so that new jobs of silent services do
// not delay others.
func TestPlacesAreReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		prompt := job("prompt", inProgress, inProgress, inProgress, hasEnded)
		jobs := []*simulated{prompt}
		for i := range 20 {
			jobs = append(jobs, silent(fmt.Sprint(i)).dueIn(25*sec))
		}
		for _, err := range closed(Options{InFlight: 8, Spread: -1}, jobs...).Wait(t.Context()) {
			require.NoError(t, err)
			break
		}
		require.Equal(t, every(10*sec, 10*sec, 4), prompt.times())
	})
}

// Every job is read, even if the scheduler cannot keep up with failing reads that are due again
// every second.
func TestNoStarvation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		var jobs []*simulated
		for i := range n {
			r := reply{takes: sec}
			if i%5 == 0 {
				r = reply{takes: sec, pause: sec, failed: true}
			}
			jobs = append(jobs, job(fmt.Sprint(i), r, r, r, r, r, reply{takes: sec, ended: true}))
		}
		wait(t.Context(), closed(Options{InFlight: 1}, jobs...))
		for _, j := range jobs {
			at := j.times()
			for i := 1; i < len(at); i++ {
				require.LessOrEqual(t, at[i]-at[i-1], (n+10)*sec, j.name) // one read of each job, plus the pause
			}
		}
		require.Equal(t, (10+6*n)*sec, time.Since(started), "the only place is always in use")
	})
}

// neighbor returns a job whose service never responds, or stops responding after three reads if
// fallsSilent is true.
func neighbor(i int, fallsSilent bool) *simulated {
	pause := 10 * sec
	return jobOf(fmt.Sprint("neighbor", i), func(_ context.Context, n int) reply {
		if fallsSilent && n <= 3 {
			return inProgress
		}
		r := reply{takes: 5 * time.Minute, pause: pause, failed: true}
		pause = min(2*pause, 10*time.Minute)
		return r
	})
}

// latenessOf returns the longest delay among the first reads and among the later reads. It assumes
// that all pauses are ten seconds.
func latenessOf(healthy []*simulated) (first, later time.Duration) {
	for _, j := range healthy {
		at := j.times()
		first = max(first, at[0]-10*sec)
		for i := 1; i < len(at); i++ {
			later = max(later, at[i]-at[i-1]-10*sec)
		}
	}
	return first, later
}

// Silent jobs do not starve healthy ones. After its first read, a healthy job is read at most 15 s
// late, or at most 40 s late with 2,000 silent jobs.
func TestSilentNeighbors(t *testing.T) {
	for _, fallsSilent := range []bool{false, true} {
		for neighbors, limit := range map[int]time.Duration{64: 15 * sec, 640: 15 * sec, 2000: 30 * sec} {
			synctest.Test(t, func(t *testing.T) {
				var healthy, jobs []*simulated
				for i := range 64 {
					healthy = append(healthy, jobOf(fmt.Sprint("healthy", i), func(_ context.Context, n int) reply { return reply{ended: n == 60} }))
				}
				for i := range neighbors {
					jobs = append(jobs, neighbor(i, fallsSilent))
				}
				jobs = append(jobs, healthy...)
				rand.New(rand.NewPCG(1, 1)).Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
				left, most := len(healthy), 0
				s := closed(Options{}, jobs...)
				for tag, err := range s.Wait(t.Context()) {
					require.NoError(t, err)
					require.Contains(t, healthy, tag)
					most = max(most, s.Stats().InFlight)
					left--
					if left == 0 {
						break
					}
				}
				first, later := latenessOf(healthy)
				t.Logf("%4d neighbors, falls silent: %-5t first read %6s late, others at most %6s", neighbors, fallsSilent, first.Round(sec/100), later.Round(sec/100))
				if fallsSilent && neighbors == 2000 { // the scheduler takes longer to notice so many silent jobs
					limit = 40 * sec
				}
				require.LessOrEqual(t, later, limit)
				require.LessOrEqual(t, most, maxConnections)
			})
		}
	}
}

// A healthy job is not treated as silent after a single response that takes eleven seconds.
func TestOneSlowResponseDoesNotDemote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var healthy, jobs []*simulated
		for i := range 640 {
			jobs = append(jobs, neighbor(i, false))
		}
		for i := range 20 {
			healthy = append(healthy, jobOf(fmt.Sprint(i), func(_ context.Context, n int) reply {
				if n == 30 {
					return reply{takes: 11 * sec}
				}
				return reply{ended: n == 60}
			}))
		}
		left := len(healthy)
		for _, err := range closed(Options{}, append(jobs, healthy...)...).Wait(t.Context()) {
			require.NoError(t, err)
			left--
			if left == 0 {
				break
			}
		}
		_, later := latenessOf(healthy)
		require.LessOrEqual(t, later, 26*sec)
	})
}

// A job that a caller wakes or adds is read at most 15 s late, even while the reads in the slow
// lane wait for places.
func TestWakeWhileSlowLaneIsBlocked(t *testing.T) {
	for _, joins := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{Abandoned: errAbandoned})
			for i := range 640 {
				j := neighbor(i, false)
				s.Add(j, j)
			}
			prompt := job("prompt", reply{pause: 600 * sec})
			s.Add(prompt, prompt)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); wait(ctx, s) }()
			for i := range 12 {
				time.Sleep(37 * sec)
				if i < 3 {
					continue // the silent jobs' schedule has not settled yet
				}
				j, due := prompt, time.Since(started)
				if joins {
					j = job(fmt.Sprint(i), reply{pause: 600 * sec})
					due += 10 * sec
					s.Add(j, j)
				} else {
					j.wake()
				}
				time.Sleep(33 * sec)
				at := j.times()
				n := slices.IndexFunc(at, func(at time.Duration) bool { return at >= due })
				require.GreaterOrEqual(t, n, 0, "the job was not read")
				require.LessOrEqual(t, at[n]-due, 15*sec)
			}
			cancel()
			<-done
		})
	}
}

// A healthy job added to 640 silent ones is read within a minute, with 64 places and with 16.
func TestJoinNeighbors(t *testing.T) {
	for _, limit := range []int{0, 16, 64} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{InFlight: limit, Abandoned: errAbandoned})
			for i := range 640 {
				j := neighbor(i, false)
				s.Add(j, j)
			}
			time.AfterFunc(time.Hour, func() {
				j := job("healthy", hasEnded)
				s.Add(j, j)
			})
			for tag, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				require.Equal(t, "healthy", tag.(*simulated).name)
				break
			}
			require.LessOrEqual(t, time.Since(started), time.Hour+time.Minute)
		})
	}
}

// Even if reads ignore the end of their contexts, at most 1,024 are in flight.
func TestReadsIgnoringContextAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		s := New(Options{Abandoned: errAbandoned})
		for i := range 4000 {
			j := jobOf(fmt.Sprint(i), func(context.Context, int) reply { <-free; return inProgress })
			s.Add(j, j)
		}
		time.AfterFunc(time.Hour, func() {
			require.Equal(t, maxConnections, s.Stats().InFlight)
			close(free)
		})
		for _, err := range s.Wait(withDeadline(t, time.Hour)) {
			require.Error(t, err)
			break
		}
	})
}

// If InFlight is larger than maxConnections, up to InFlight reads can be in flight.
func TestMorePlacesThanConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = maxConnections + 100
		var jobs []*simulated
		for range n {
			jobs = append(jobs, silent("job"))
		}
		s := closed(Options{InFlight: n, Spread: -1}, jobs...)
		ctx, cancel := context.WithTimeout(t.Context(), 15*sec)
		defer cancel()
		var inFlight int
		time.AfterFunc(11*sec, func() { inFlight = s.Stats().InFlight })
		wait(ctx, s)
		require.Equal(t, n, inFlight)
	})
}
