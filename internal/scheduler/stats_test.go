package scheduler

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{takes: 10 * sec, pause: 20 * sec, failed: true}, reply{takes: 10 * sec, ended: true}).dueIn(time.Minute)
		b := job("b", reply{takes: 10 * sec, pause: time.Minute}, reply{takes: 10 * sec, ended: true}).dueIn(time.Minute)
		c := job("c", reply{takes: 10 * sec, ended: true}).dueIn(time.Minute)
		s := closed(Options{InFlight: 2}, a, b, c)
		require.Equal(t, Stats{Waiting: 3}, s.Stats())
		at := func(d time.Duration, want Stats, due time.Duration) {
			time.Sleep(time.Until(started.Add(d)))
			synctest.Wait()
			got := s.Stats()
			require.Equal(t, due, got.OldestDue.Sub(started), "at %s", d)
			got.OldestDue = time.Time{}
			require.Equal(t, want, got, "at %s", d)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			at(sec, Stats{Waiting: 3}, 60*sec)
			at(65*sec, Stats{Waiting: 1, InFlight: 2}, 60*sec) // c is overdue, because the reads of a and b use both places
			at(75*sec, Stats{Waiting: 2, InFlight: 1, Polls: 2, Errors: 1}, 90*sec)
			at(85*sec, Stats{Waiting: 2, Ended: 1, Polls: 3, Errors: 1}, 90*sec)
			at(95*sec, Stats{Waiting: 1, InFlight: 1, Ended: 1, Polls: 3, Errors: 1}, 130*sec+sec/10)
		}()
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(sec)
		}
		<-done
		require.Equal(t, Stats{Ended: 3, Polls: 5, Errors: 1}, s.Stats())
	})
}

// Stats.InFlight includes a removed job's read until the read returns.
func TestStatsOfRemovedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := jobOf("a", func(context.Context, int) reply { // ignores the context
			time.Sleep(time.Minute)
			return inProgress
		})
		b := job("b", hasEnded)
		s := closed(Options{InFlight: 1, Spread: -1}, a, b)
		time.AfterFunc(15*sec, func() {
			s.Remove(a)
			require.Equal(t, Stats{Waiting: 1, InFlight: 1, OldestDue: started.Add(10 * sec).Round(0)}, s.Stats())
		})
		require.Equal(t, []string{"b 20.000000001s"}, wait(t.Context(), s))
		require.Equal(t, Stats{Ended: 1, Polls: 2}, s.Stats())
	})
}

// Stats.Waiting does not count a job that has ended, even before Wait yields it.
func TestStatsBeforeYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{}, job("a", hasEnded), job("b", hasEnded))
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Minute)
			require.Equal(t, Stats{Ended: 2, Polls: 2}, s.Stats())
		}
	})
}

// The member struct must stay small, because a scheduler may have 100,000 members.
func TestMemberIsSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(member{}), uintptr(80))
}
