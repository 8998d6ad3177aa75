package poller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

func TestGroupStats(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"503\nRetry-After: 20", "200 1"}, "b": {"202", "200 1"}, "c": {"200 1"}})
		g := poller.NewGroup[named](&poller.GroupOptions{InFlight: 2})
		for _, name := range []string{"a", "b", "c"} {
			g.Add(follow(t, slowly(s, 10*time.Second), name, nil))
		}
		require.Equal(t, poller.GroupStats{Waiting: 3}, g.Stats())
		g.Close()
		start := time.Now()
		at := func(d time.Duration, want poller.GroupStats, due float64) {
			time.Sleep(time.Until(start.Add(d * time.Second)))
			synctest.Wait()
			if due > 0 {
				want.OldestDue = start.Add(time.Duration(due * float64(time.Second)))
			}
			got := g.Stats()
			require.True(t, want.OldestDue.Equal(got.OldestDue), "%s: %s", d, got.OldestDue)
			got.OldestDue = want.OldestDue
			require.Equal(t, want, got, "at %d s", d)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			at(1, poller.GroupStats{Waiting: 3}, 60)
			at(65, poller.GroupStats{Waiting: 1, InFlight: 2}, 60) // c is overdue, because only two reads may run at once
			at(75, poller.GroupStats{Waiting: 2, InFlight: 1, Polls: 2, Errors: 1}, 90)
			at(85, poller.GroupStats{Waiting: 2, Ended: 1, Polls: 3, Errors: 1}, 90)
			at(95, poller.GroupStats{Waiting: 1, InFlight: 1, Ended: 1, Polls: 3, Errors: 1}, 130.1)
		}()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		<-done
		require.Equal(t, poller.GroupStats{Ended: 3, Polls: 5, Errors: 1}, g.Stats())
	})
}

// Stats may be called before the first Add, and before or during the first Wait.
func TestGroupStatsBeforeWait(t *testing.T) {
	g := poller.NewGroup[*poller.Poller[raw]](nil)
	g.Close()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		for _, err := range g.Wait(context.Background()) {
			t.Error("the group is empty", err)
		}
	}()
	require.Equal(t, poller.GroupStats{}, g.Stats())
	<-waited
}
