package scheduler

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
)

// The tests in this file cover jobs that have ended but have not been yielded, because the loop
// body is slow.

// With a slow loop body, no read starts while the number of results waiting for the loop equals
// Options.InFlight. When the body finishes, the loop gets the next result right away.
func TestSlowLoopHoldsBackReads(t *testing.T) {
	for _, limit := range []int{1, 4, 64} {
		synctest.Test(t, func(t *testing.T) {
			const n = 20
			var jobs []*simulated
			for i := range n {
				jobs = append(jobs, job(fmt.Sprint(i), reply{takes: 10 * sec, ended: true}))
			}
			s := closed(Options{InFlight: limit, Spread: -1}, jobs...)
			taken := 0
			for _, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				taken++
				time.Sleep(30 * sec)
				synctest.Wait()
				read := min(taken+limit, n)
				require.Len(t, readsOf(jobs...), read)
				stats := s.Stats()
				require.Equal(t, Stats{Waiting: n - read, Ended: read, Polls: read, OldestDue: stats.OldestDue}, stats)
			}
			require.Equal(t, n, taken)
			require.Equal(t, 20*sec+n*30*sec, time.Since(started), "the loop never waits for a read")
		})
	}
}

// Options.InFlight limits the total number of reads in flight and results waiting for the loop.
func TestReadsAndResultsShareLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*simulated
		for i := range 5 {
			jobs = append(jobs, job(fmt.Sprint(i), hasEnded).dueIn(time.Duration(10+i)*sec))
		}
		jobs[2].reply = job("", inProgress, inProgress, hasEnded).reply
		s := closed(Options{InFlight: 2, Spread: -1}, jobs...)
		n := 0
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			n++
			if n == 1 {
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.Equal(t, []time.Duration{10 * sec, 11 * sec, 12 * sec, 13 * sec}, readsOf(jobs...), "the results of jobs 1 and 3 use both places")
				require.Equal(t, 2, s.Stats().Waiting)
			}
		}
		require.Equal(t, 5, n)
	})
}

// While results wait for the loop, a read keeps its place, however long its response takes.
func TestUntakenResultsKeepPlaces(t *testing.T) {
	for limit, untaken := range map[int]int{2: 1, 0: 63} {
		synctest.Test(t, func(t *testing.T) {
			jobs := []*simulated{job("first", hasEnded)}
			for i := range untaken {
				jobs = append(jobs, job(fmt.Sprint(i), hasEnded).dueIn(11*sec))
			}
			last := job("last", hasEnded).dueIn(12 * sec)
			s := closed(Options{InFlight: limit, Spread: -1}, append(jobs, silent("silent").dueIn(11*sec), last)...)
			for _, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				time.Sleep(time.Hour)
				break
			}
			require.Equal(t, []time.Duration{5*time.Minute + 11*sec}, last.times(), "the last job is read when the silent read has failed")
		})
	}
}

// At most 9 × InFlight results wait for the loop: 1 × InFlight from reads with a place, and 8 ×
// InFlight from reads that have given up theirs.
func TestUntakenResultsAreBounded(t *testing.T) {
	for limit, takes := range map[int]time.Duration{4: 11 * sec, 0: 4 * sec} {
		synctest.Test(t, func(t *testing.T) {
			var jobs []*simulated
			for i := range 1000 {
				jobs = append(jobs, job(fmt.Sprint(i), reply{takes: takes, ended: true}))
			}
			s := closed(Options{InFlight: limit, Spread: -1}, jobs...)
			yielded, most := 0, 0
			for _, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				yielded++
				if yielded == 1 {
					time.Sleep(10 * time.Minute)
				}
				most = max(most, s.Stats().Ended-yielded)
			}
			require.Equal(t, 1000, yielded)
			if limit == 0 {
				require.LessOrEqual(t, most, 9*64)
				return
			}
			require.LessOrEqual(t, most, 9*limit)
		})
	}
}

// Removing a job whose result is waiting for the loop drops the result and lets another read start
// right away.
func TestRemovedResultMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{InFlight: 1, Spread: -1})
		c := job("c", hasEnded)
		kept := func() weak.Pointer[simulated] {
			a, b := job("a", hasEnded), job("b", hasEnded)
			s.Add(a, a)
			s.Add(b, b)
			s.Add(c, c)
			return weak.Make(b)
		}()
		s.Close()
		n := 0
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			n++
			if n == 1 {
				time.Sleep(time.Hour)
				require.Empty(t, c.times())
				s.Remove(kept.Value())
				synctest.Wait()
				require.Len(t, c.times(), 1, "c is read at once, while the loop body is still running")
				for range 2 {
					runtime.GC()
				}
				require.Nil(t, kept.Value())
			}
		}
		require.Equal(t, 2, n)
	})
}

// If the context ends or the body leaves the loop, Wait ends even though the slow body has held
// back reads. The next Wait yields the remaining jobs.
func TestEndOfSlowLoop(t *testing.T) {
	jobs := func() []*simulated { return []*simulated{job("a", hasEnded), job("b", hasEnded), job("c", hasEnded)} }
	synctest.Test(t, func(t *testing.T) { // the context ends while the body runs
		s := closed(Options{InFlight: 1}, jobs()...)
		var ends []string
		for tag, err := range s.Wait(endsAt(t, 2*time.Minute)) {
			ends = append(ends, endOf(tag, err))
			time.Sleep(time.Hour)
		}
		require.Equal(t, []string{"a 10s", "b 1h0m10s", "c 2h0m10s stopped"}, ends)
		require.Equal(t, []string{"c 3h0m10s"}, wait(t.Context(), s))
	})
	synctest.Test(t, func(t *testing.T) { // the body leaves the loop
		s := closed(Options{InFlight: 1}, jobs()...)
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Hour)
			break
		}
		require.Equal(t, []string{"b 1h0m10s", "c 1h0m10s"}, wait(t.Context(), s))
	})
}

// If another caller's read ends a job with an error, the job needs no place, because there is no
// result to read.
func TestErrorOfOtherNeedsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := job("a", hasEnded), job("b", hasEnded), job("c", hasEnded)
		s := closed(Options{InFlight: 1}, a, b, c)
		var ends []string
		for tag, err := range s.Wait(t.Context()) {
			ends = append(ends, endOf(tag, err))
			if len(ends) == 1 {
				time.Sleep(time.Hour)
				c.readByOther(reply{failed: true, err: errors.New("refused")})
				require.Equal(t, 3, s.Stats().Ended)
			}
		}
		require.Equal(t, []string{"a 10s", "b 1h0m10s", "c 1h0m10s refused"}, ends)
		require.Empty(t, c.times())
	})
}
