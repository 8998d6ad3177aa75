package scheduler

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A pace spreads reads evenly over the window. Each read starts within the window, even if more
// reads are due than expected.
func TestPace(t *testing.T) {
	const now, window time.Duration = time.Hour, 6 * time.Second
	for n, gap := range map[int]time.Duration{
		0: spreadGap, 1: spreadGap, 2: spreadGap, 60: spreadGap, 120: spreadGap / 2, 100_000: 60 * time.Microsecond,
	} {
		var p pace
		for i := range max(n, 1) {
			require.Equal(t, now+time.Duration(i)*gap, p.next(now, window, n))
		}
		last, perSecond := p.free-gap, [6]int{}
		require.LessOrEqual(t, last, now+window)
		if n < 100_000 {
			continue
		}
		require.Equal(t, now+window, p.next(now, window, n))
		for range n {
			at := p.next(now, window, n) - now
			require.True(t, at >= 0 && at < window)
			perSecond[at/time.Second]++
		}
		for _, k := range perSecond {
			require.InDelta(t, n/6, k, 10)
		}
	}
	var p pace
	for range 100_000 {
		require.Equal(t, now, p.next(now, 0, 100_000), "with no window, no read is late")
	}
}

// If several reads are due at the same time, each starts at most a tenth of a second after the one
// before. All start within Options.Spread and within a tenth of their pause.
func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		n     int
		pause time.Duration
		opts  Options
		gap   time.Duration
	}{
		{1, 60 * sec, Options{}, 0},
		{2, 60 * sec, Options{}, sec / 10},
		{60, 60 * sec, Options{}, sec / 10},
		{120, 60 * sec, Options{}, sec / 20},
		{100, 10 * sec, Options{}, sec / 100},
		{1000, 600 * sec, Options{}, sec / 100},
		{1000, 600 * sec, Options{Spread: time.Hour}, 60 * sec / 1000},
		{100, 60 * sec, Options{Spread: sec}, sec / 100},
		{100, 60 * sec, Options{Spread: -1}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			jobs := manyJobs(tt.n)
			for _, j := range jobs {
				j.dueIn(tt.pause)
			}
			require.Len(t, wait(t.Context(), closed(tt.opts, jobs...)), tt.n)
			require.Equal(t, every(tt.pause, tt.gap, tt.n), readsOf(jobs...), "%d of %s", tt.n, tt.pause)
		})
	}
}

// The scheduler also spreads reads that fell due while no Wait was running.
func TestSpreadOfOverdueReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(100)
		time.Sleep(24 * time.Hour)
		wait(t.Context(), closed(Options{}, jobs...))
		require.Equal(t, every(24*time.Hour, spreadGap, 100), readsOf(jobs...))
	})
}

// After a restart, many overdue reads are spread over a whole pause and stay spread. Other reads
// are on time.
func TestManyOverdueReadsDoNotComeBackAsBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*simulated
		for i := range 1000 {
			jobs = append(jobs, job(fmt.Sprint(i), reply{pause: time.Minute}, reply{pause: time.Minute}, hasEnded).dueIn(time.Minute))
		}
		time.Sleep(time.Hour)
		other := job("other", inProgress, inProgress, hasEnded)
		wait(t.Context(), closed(Options{}, append(jobs, other)...))
		require.Equal(t, every(time.Hour, time.Minute/1001, 3000)[:1000], readsOf(jobs...)[:1000])
		perSecond := map[time.Duration]int{}
		for _, at := range readsOf(jobs...) {
			perSecond[at.Truncate(sec)]++
		}
		for at, n := range perSecond {
			require.LessOrEqual(t, n, 18, "at %s", at)
		}
		require.Equal(t, every(time.Hour+10*sec, 10*sec, 3), other.times())
	})
}

// Reads that are overdue by at most one pause are spread over a tenth of that pause, like reads
// that are on time.
func TestSlightlyOverdueReads(t *testing.T) {
	for late, gap := range map[time.Duration]time.Duration{time.Minute: 6 * sec / 1000, time.Minute + 1: 60 * sec / 1000} {
		synctest.Test(t, func(t *testing.T) {
			jobs := manyJobs(1000)
			time.Sleep(time.Minute + late)
			wait(t.Context(), closed(Options{}, jobs...))
			require.Equal(t, every(time.Minute+late, gap, 1000), readsOf(jobs...))
		})
	}
}

// Near a deadline, reads are spread over less time, so that their responses arrive before the
// deadline.
func TestSpreadEndsBeforeDeadline(t *testing.T) {
	for _, at := range []time.Duration{time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			jobs := manyJobs(100)
			time.Sleep(at)
			ctx, cancel := context.WithTimeout(t.Context(), 2*sec)
			defer cancel()
			wait(ctx, closed(Options{}, jobs...))
			require.Equal(t, every(at, 10*time.Millisecond, 100), readsOf(jobs...))
		})
	}
}

// Reads that fall due a tenth of a second apart are already spread, so the scheduler does not delay
// them.
func TestSpreadJobsStayOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		var jobs []*simulated
		for i := range 10 {
			j := job(fmt.Sprint(i), inProgress, inProgress, inProgress, hasEnded)
			s.Add(j, j)
			jobs = append(jobs, j)
			time.Sleep(sec / 10)
		}
		s.Close()
		wait(t.Context(), s)
		var want []time.Duration
		for i := range 4 {
			want = append(want, every(time.Duration(10+10*i)*sec, sec/10, 10)...)
		}
		require.Equal(t, want, readsOf(jobs...))
	})
}

// A read is delayed by at most a tenth of its own job's pause, even if it is spread together with
// the reads of jobs with longer pauses.
func TestSpreadIsBoundedByOwnPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(1000)
		time.Sleep(50 * sec)
		short := job("short", inProgress, inProgress, hasEnded)
		wait(t.Context(), closed(Options{}, append(jobs, short)...))
		// The first read of the job with short pauses is at most 1 s late, although other reads are
		// up to 6 s late.
		at := short.times()
		require.Equal(t, "1m0.618s", at[0].Round(time.Millisecond).String())
		require.Equal(t, every(at[0], 10*sec, 3), at)
	})
}

// Reads that follow failed reads are spread separately, so that they do not delay other reads.
func TestFailedReadsAreSpreadSeparately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(1000)
		for _, j := range jobs {
			j.last.failed = true
		}
		others := manyJobs(2)
		wait(t.Context(), closed(Options{}, append(jobs, others...)...))
		require.Equal(t, every(60*sec, 6*sec/1002, 1000), readsOf(jobs...))
		require.Equal(t, every(60*sec, 6*sec/1002, 2), readsOf(others...))
	})
}

// If another caller's read postpones the next read of a job, the scheduler keeps the start time
// that it has already chosen, unless the new due time is later.
func TestLaterStartTimeIsKept(t *testing.T) {
	for pause, want := range map[time.Duration]time.Duration{2 * sec: 65940 * time.Millisecond, 20 * sec: 81 * sec} {
		synctest.Test(t, func(t *testing.T) {
			jobs := manyJobs(100)
			time.AfterFunc(61*sec, func() { jobs[99].readByOther(reply{failed: true, pause: pause}) })
			wait(t.Context(), closed(Options{}, jobs...))
			require.Equal(t, []time.Duration{want}, jobs[99].times())
		})
	}
}

// If a caller wakes all jobs at once, the scheduler still spreads their reads.
func TestSpreadOfWokenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*simulated
		for i := range 100 { // each job ends with its second read, so that none ends before all have been woken
			jobs = append(jobs, job(fmt.Sprint(i), reply{pause: time.Hour}, hasEnded).dueIn(time.Minute))
		}
		time.AfterFunc(sec, func() {
			for _, j := range jobs {
				j.wake()
			}
		})
		wait(t.Context(), closed(Options{}, jobs...))
		require.Equal(t, every(sec, 60*time.Millisecond, 100), readsOf(jobs...)[:100])
	})
}

// Reads of overdue jobs added one by one are spread, although the scheduler does not know how many
// jobs will follow.
func TestSpreadOfJoiningJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(1000)
		time.Sleep(time.Hour)
		s := New(Options{})
		go func() {
			for _, j := range jobs {
				s.Add(j, j)
				synctest.Wait() // lets the schedule choose a start time for j before the next job is added
			}
			s.Close()
		}()
		wait(t.Context(), s)
		perSecond := make([]int, 61)
		for _, at := range readsOf(jobs...) {
			perSecond[(at-time.Hour)/sec]++
		}
		require.GreaterOrEqual(t, slices.Min(perSecond[:60]), 10, perSecond)
		require.LessOrEqual(t, slices.Max(perSecond), 18, perSecond)
	})
}

// The reads of 100,000 jobs are on time: they are spread over ten seconds, and none starts early.
func TestManyJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, pause = many, 10 * time.Minute
		var jobs []*simulated
		for range n {
			jobs = append(jobs, job("", reply{pause: pause}, hasEnded).dueIn(pause))
		}
		s := closed(Options{}, jobs...)
		ended := 0
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			ended++
		}
		require.Equal(t, n, ended)
		require.Equal(t, Stats{Ended: n, Polls: 2 * n}, s.Stats())
		require.True(t, slices.Equal(every(pause, min(10*sec/n, spreadGap), n), readsOf(jobs...)[:n]))
		for _, j := range jobs {
			at := j.times()
			require.GreaterOrEqual(t, at[1]-at[0], pause)
			require.LessOrEqual(t, at[1]-at[0], pause+10*sec)
		}
	})
}
