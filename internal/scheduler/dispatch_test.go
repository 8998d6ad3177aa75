package scheduler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The tests in this file call a run's methods one by one, without its schedule goroutine.

// The schedule sleeps for at most a minute at a time and uses the wall clock, because timers and
// the monotonic clock stop while the machine is suspended.
func TestSleepFor(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		0: 0, time.Nanosecond: time.Nanosecond, time.Minute: time.Minute, time.Minute + 1: time.Minute, 72 * time.Hour: time.Minute, never: time.Minute,
	} {
		require.Equal(t, want, sleepFor(left))
	}
	require.NotContains(t, wallClock().String(), "m=", "schedules do not use the monotonic clock")
}

// runOf returns a run whose only job is j, and the member of j.
func runOf(t *testing.T, j *simulated) (*run, *member) {
	t.Helper()
	s := New(Options{Abandoned: errAbandoned})
	s.Add(j, j.name)
	m := s.members[j]
	r := s.newRun(t.Context())
	t.Cleanup(func() {
		r.stop()
		r.wg.Wait()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = r
	r.join(m)
	return r, m
}

// endless returns a job that is due in a minute and whose reads last until their contexts end.
func endless() *simulated { return job("endless", reply{lasts: true}).dueIn(time.Minute) }

// requireStarted fails the test unless exactly n reads of j have started.
func requireStarted(t *testing.T, j *simulated, n int) {
	t.Helper()
	synctest.Wait()
	require.Len(t, j.times(), n)
}

// While it is another caller's turn to read a job, the job occupies no place. When the turn ends,
// the read is due at its original time.
func TestBusyJobUsesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := endless()
		j.busy.Store(true)
		r, m := runOf(t, j)
		<-r.wake
		time.Sleep(time.Minute)
		require.Greater(t, r.dispatch(), 100*365*24*time.Hour, "only a release makes the read due")
		require.Equal(t, never, m.begin)
		require.Equal(t, [3]pace{}, r.paces)
		require.Equal(t, queued, m.state)
		requireStarted(t, j, 0)
		require.Empty(t, r.wake)

		j.release()
		require.Len(t, r.wake, 1, "the schedule is notified")
		require.Equal(t, time.Minute, m.begin)
		r.dispatch()
		requireStarted(t, j, 1)
		require.Equal(t, reading, m.state)
		require.NotEqual(t, [3]pace{}, r.paces)
	})
}

// A scheduled read loses its start time while it is another caller's turn to read the job. When the
// turn ends, the read gets a new start time.
func TestBusyJobLosesStartTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := endless()
		r, m := runOf(t, j)
		r.paces[0].free = time.Minute + time.Second
		time.Sleep(time.Minute)
		next := r.dispatch()
		require.Equal(t, time.Second, next)
		require.True(t, m.spread)
		requireStarted(t, j, 0)

		j.busy.Store(true)
		time.Sleep(time.Second)
		r.dispatch()
		require.Equal(t, never, m.begin)
		j.release()
		next = r.dispatch()
		require.Equal(t, spreadGap, next, "one gap after the start time that the read lost")
		time.Sleep(next)
		r.dispatch()
		requireStarted(t, j, 1)
	})
}

// A postponed read does not start at its original time, even if the job did not call Changed.
func TestPostponedReadIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := endless()
		r, m := runOf(t, j)
		time.Sleep(time.Minute)
		j.due = wallClock().Add(time.Hour)
		next := r.dispatch()
		require.Equal(t, time.Hour, next)
		requireStarted(t, j, 0)
		require.False(t, m.spread)

		// The same applies to a postponed read that already has a start time.
		time.Sleep(time.Hour)
		r.paces[0].free = r.now() + sec
		r.dispatch()
		require.True(t, m.spread)
		j.due = wallClock().Add(time.Hour)
		time.Sleep(sec)
		next = r.dispatch()
		require.Equal(t, time.Hour-sec, next)
		requireStarted(t, j, 0)
		require.False(t, m.spread)
	})
}

// A member keeps its start time if its read was not sent because it was another caller's turn.
// After a completed read, the member gets a new start time.
func TestUnusedStartTimeIsKept(t *testing.T) {
	for _, busy := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, m := runOf(t, endless())
			r.paces[0].free = time.Minute + time.Second
			time.Sleep(time.Minute)
			r.dispatch()
			require.True(t, m.spread)
			time.Sleep(time.Second)
			m.state = reading // as run.start does
			m.spread = false
			f := r.addFlight(m)
			f.outcome.Busy = busy
			r.done(f)
			require.Equal(t, queued, m.state)
			require.Equal(t, busy, m.spread)
			require.Equal(t, map[bool]time.Duration{true: time.Minute + time.Second, false: time.Minute}[busy], m.begin)
		})
	}
}

// If a read was not sent because it was another caller's turn, the member is parked only if that
// turn has not ended in the meantime.
func TestTurnReleasedBeforePark(t *testing.T) {
	j := endless()
	for _, busy := range []bool{true, false} {
		r, m := runOf(t, j)
		m.state = reading
		f := r.addFlight(m)
		j.busy.Store(busy)
		f.outcome.Busy = true
		r.done(f)
		require.Equal(t, busy, m.begin == never)
	}
}
