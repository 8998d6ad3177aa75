package poller_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// The tests in this file run in real time. In a bubble, two calls to time.Now may return the same
// time, which could hide an error that depends on the difference.

func TestWakeUpInRealTime(t *testing.T) {
	a := follow(t, fleet(map[string][]reply{"a": {"200 1"}}), "a", nil)
	g := groupOf(nil, a)
	a.WakeUp()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ends := wait(ctx, g)
	require.Len(t, ends, 1)
	require.NoError(t, ends[0].err)
}

// Two groups follow the same operations while other goroutines poll, wake and cancel some of them,
// and remove and add the rest. Each group yields each ended operation once.
func TestConcurrentGroups(t *testing.T) {
	const n, churned, limit = 40, 10, 3
	ops, names := map[string][]reply{}, []string{}
	for i := range n + churned {
		name := fmt.Sprint("op", i)
		ops[name] = append(append(repeat("202", 5+i%7), "503", "drop"), "200 1")
		if names = append(names, name); i >= n {
			ops[name] = []reply{"202"}
		}
	}
	s := fleet(ops)
	client := counting(s)
	quick := &poller.Options{
		Cadence: poller.Cadence{Default: 5 * time.Millisecond, Min: time.Millisecond, Max: 10 * time.Millisecond},
		CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{URL: "/none", OK: []int{404}}, nil
		},
	}
	var all []named
	for _, name := range names {
		all = append(all, followWith(t, client, name, quick))
	}
	groups := []*poller.Group[named]{poller.NewGroup[named](&poller.GroupOptions{InFlight: limit}), poller.NewGroup[named](&poller.GroupOptions{InFlight: limit})}
	for _, g := range groups {
		for _, op := range all {
			g.Add(op)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var waits, others sync.WaitGroup
	ends := make([][]end, len(groups))
	over := make(chan struct{})
	for i, g := range groups {
		waits.Go(func() { ends[i] = wait(ctx, g) })
		others.Go(func() { disturb(ctx, g, all[n:], over) })
	}
	others.Go(func() { interfere(ctx, all[:n], over) })
	for _, op := range all[:n] {
		_, err := op.PollUntilDone(ctx)
		require.NoError(t, err)
	}
	close(over)
	others.Wait()
	for _, g := range groups {
		g.Close()
	}
	waits.Wait()
	require.NoError(t, ctx.Err())
	for i, g := range groups {
		require.ElementsMatch(t, names[:n], sortedNames(ends[i]))
		for _, e := range ends[i] {
			require.NoError(t, e.err)
		}
		st := g.Stats()
		require.Equal(t, poller.GroupStats{Ended: n, Polls: st.Polls, Errors: st.Errors}, st)
	}
	require.Zero(t, client.open)
}

// disturb repeatedly adds, wakes and removes operations.
func disturb(ctx context.Context, g *poller.Group[named], ops []named, over <-chan struct{}) {
	for {
		for _, op := range ops {
			g.Add(op)
			op.WakeUp()
			_ = g.Stats()
		}
		for _, op := range ops {
			g.Remove(op)
		}
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// interfere repeatedly wakes, polls and cancels operations.
func interfere(ctx context.Context, ops []named, over <-chan struct{}) {
	for i := 0; ; i++ {
		op := ops[i%len(ops)]
		op.WakeUp()
		short, cancel := context.WithTimeout(ctx, time.Duration(i%5)*20*time.Microsecond)
		_, _ = op.Poll(short)
		cancel()
		_ = op.Cancel(ctx)
		select {
		case <-over:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}
