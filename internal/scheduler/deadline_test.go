package scheduler

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The tests in this file cover jobs that have not ended when the context ends, or whose next read
// would come after the deadline.

var errStopped = errors.New("stopped")

// endsAt returns a context that is canceled d after the start of the test.
func endsAt(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(d-time.Since(started), func() { cancel(errStopped) })
	return ctx
}

// withDeadline returns a context whose deadline is d after the start of the test.
func withDeadline(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithDeadlineCause(t.Context(), started.Add(d), errStopped)
	t.Cleanup(cancel)
	return ctx
}

// When the context ends, Wait yields the remaining jobs in the order they were added. The next Wait
// continues with them.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{takes: sec, ended: true})
		b := job("b", reply{takes: sec}, reply{takes: sec, ended: true})
		c := job("c", reply{takes: sec, pause: 100 * sec}, hasEnded)
		s := closed(Options{Spread: -1}, c, b, a)
		require.Equal(t, []string{"a 11s", "c 21.5s stopped", "b 21.5s stopped"}, wait(endsAt(t, 21*sec+sec/2), s)) // the context ends during b's second read
		require.Equal(t, Stats{Waiting: 2, Ended: 1, Polls: 3}, s.Stats())
		require.False(t, b.Busy())
		require.Equal(t, []string{"b 22.5s", "c 1m51s"}, wait(t.Context(), s))
		require.Equal(t, []time.Duration{10 * sec, 21 * sec, 21*sec + sec/2}, b.times())
	})
}

// If the context has already ended, Wait yields all jobs without reading them. It yields a job
// without an error if another caller's read has found that the job ended.
func TestContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(3)
		s := closed(Options{}, jobs...)
		jobs[1].readByOther(hasEnded)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStopped)
		require.Equal(t, []string{"job0 0s stopped", "job1 0s", "job2 0s stopped"}, wait(ctx, s))
		require.Equal(t, []string{"job0 0s stopped", "job2 0s stopped"}, wait(ctx, s))
		require.Empty(t, readsOf(jobs...))
		require.Equal(t, Stats{Waiting: 2, Ended: 1}, s.Stats())
	})
}

// A job that the loop adds after the deadline is yielded once, like any other job that has not
// ended.
func TestAddAfterDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := job("a", hasEnded), job("b", hasEnded)
		s := closed(Options{}, a)
		var ends []string
		for tag, err := range s.Wait(withDeadline(t, 20*sec)) {
			ends = append(ends, endOf(tag, err))
			if len(ends) == 1 {
				time.Sleep(time.Minute)
				s.Add(b, b)
			}
		}
		require.Equal(t, []string{"a 10s", "b 1m10s stopped"}, ends)
	})
}

// Jobs that the loop adds while Wait yields the remaining ones are yielded only by the next Wait.
func TestAddWhileYieldingRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := job("a", hasEnded), job("b", hasEnded)
		s := closed(Options{}, a)
		var ends []string
		for tag, err := range s.Wait(endsAt(t, 5*sec)) {
			ends = append(ends, endOf(tag, err))
			s.Add(b, b)
		}
		require.Equal(t, []string{"a 5s stopped"}, ends)
		require.Equal(t, []string{"a 10s", "b 10.1s"}, wait(t.Context(), s))
	})
}

// While Wait yields the remaining jobs, it skips any job that the loop removes.
func TestRemoveWhileYieldingRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(3)
		s := closed(Options{}, jobs...)
		n := 0
		for _, err := range s.Wait(endsAt(t, sec)) {
			n++
			require.ErrorIs(t, err, errStopped)
			s.Remove(jobs[1])
			s.Remove(jobs[2])
		}
		require.Equal(t, 1, n)
		require.Equal(t, Stats{Waiting: 1}, s.Stats())
	})
}

// If a job ends while Wait yields the remaining jobs, Wait yields it without an error.
func TestEndWhileYieldingRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(2)
		var ends []string
		for tag, err := range closed(Options{}, jobs...).Wait(endsAt(t, sec)) {
			ends = append(ends, endOf(tag, err))
			jobs[1].readByOther(hasEnded)
		}
		require.Equal(t, []string{"job0 1s stopped", "job1 1s"}, ends)
	})
}

// If the caller leaves the loop while Wait yields the remaining jobs, the next Wait still waits for
// all of them.
func TestLeaveWhileYieldingRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{Spread: -1}, manyJobs(3)...)
		for _, err := range s.Wait(endsAt(t, sec)) {
			require.ErrorIs(t, err, errStopped)
			break
		}
		require.ElementsMatch(t, []string{"job0 1m0s", "job1 1m0s", "job2 1m0s"}, wait(t.Context(), s))
	})
}

// If a read outlives the context and finds that its job has ended, Wait yields the job without an
// error.
func TestEndAfterContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := jobOf("a", func(context.Context, int) reply {
			time.Sleep(time.Minute)
			return hasEnded
		})
		require.Equal(t, []string{"a 1m10s"}, wait(endsAt(t, 30*sec), closed(Options{}, a)))
	})
}

// A new Wait reschedules all reads. It yields again the jobs that the previous Wait yielded only
// because the context had ended.
func TestNextWaitStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(100)
		s := closed(Options{}, jobs...)
		require.Len(t, wait(endsAt(t, 61*sec-time.Millisecond), s), 100)
		require.Equal(t, 83, s.Stats().Waiting)
		time.Sleep(time.Millisecond)
		require.Len(t, wait(t.Context(), s), 83)
		require.Equal(t, append(every(60*sec, 60*time.Millisecond, 17), every(61*sec, 6*sec/83, 83)...), readsOf(jobs...))
	})
}

// A job whose next read would come after the deadline is yielded right away, and Wait continues
// with the others.
func TestTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", hasEnded).dueIn(300 * sec)
		b := job("b", reply{pause: 200 * sec}, hasEnded)
		c := job("c", inProgress, hasEnded)
		s := closed(Options{Spread: -1}, a, b, c)
		require.Equal(t, []string{"a 0s too late", "b 10s too late", "c 20s"}, wait(withDeadline(t, 200*sec), s))
		require.Equal(t, 20*sec, time.Since(started), "Wait does not wait for the deadline")
		require.Equal(t, 2, s.Stats().Waiting)
		require.Equal(t, []string{"b 3m30s", "a 5m0s"}, wait(t.Context(), s))
	})
}

// A job whose next read would come after the deadline is yielded only once, even if the context
// then ends early.
func TestTooLateIsYieldedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(endsAt(t, 30*sec), 200*sec)
		defer cancel()
		s := closed(Options{}, job("a", hasEnded).dueIn(300*sec), job("b", inProgress).dueIn(60*sec))
		require.Equal(t, []string{"a 0s too late", "b 30s stopped"}, wait(ctx, s))
	})
}

// If the loop ends after the first of two jobs that would be read too late, the next Wait yields
// both.
func TestTooLateIsYieldedByNextWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{}, job("a", hasEnded).dueIn(300*sec), job("b", hasEnded).dueIn(300*sec))
		ctx := withDeadline(t, sec)
		for _, err := range s.Wait(ctx) {
			require.Error(t, err)
			break
		}
		require.Equal(t, []string{"a 0s too late", "b 0s too late"}, wait(ctx, s))
		require.Equal(t, []string{"a 5m0s", "b 5m0.1s"}, wait(t.Context(), s))
	})
}

// If the loop removes jobs whose next reads would come too late, Wait no longer yields them. They
// can be added again.
func TestRemoveTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, a2 := job("a", hasEnded).dueIn(300*sec), job("a2", hasEnded).dueIn(300*sec)
		s := closed(Options{}, a, a2, job("b", hasEnded), job("c", hasEnded))
		var ends []string
		for tag, err := range s.Wait(withDeadline(t, 200*sec)) {
			ends = append(ends, endOf(tag, err))
			if tag == a {
				s.Remove(a)
				s.Remove(a)
				s.Remove(a2) // Wait has not yielded this job yet
			}
		}
		require.Equal(t, []string{"a 0s too late", "b 10s", "c 10.1s"}, ends)
		require.Equal(t, 10*sec+sec/10, time.Since(started), "Wait ends when the remaining jobs have ended")
		s.Add(a, a)
		require.Equal(t, []string{"a 5m0s"}, wait(t.Context(), s))
	})
}
