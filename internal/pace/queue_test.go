package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When a request leaves a queue, the queue wakes the request that is now first.
func TestQueue(t *testing.T) {
	var q Queue
	var a, b, c Place
	require.True(t, q.IsNext(&a))
	for _, p := range []*Place{&a, &b, &c, &a} {
		q.Join(p)
	}
	require.True(t, q.IsNext(&a))
	require.False(t, q.IsNext(&b))
	require.False(t, q.IsNext(&Place{}), "a new request comes after all waiting requests")

	q.Leave(&b)
	require.Len(t, a.Changed(), 1, "the first request must be woken, although it was first before")
	q.Leave(&a)
	q.Leave(&a)
	require.Len(t, c.Changed(), 1)
	require.True(t, q.IsNext(&c))
	q.Wake()
	q.Leave(&c)
	require.True(t, q.IsEmpty())
	q.Wake()
}

// Promise spreads turns over two intervals until the second 429, and over a minute after it.
// LastTurn returns a turn behind all waiting requests, within the same limits.
func TestTurnsWithoutWaiting(t *testing.T) {
	now := time.Unix(0, 0)
	after := func(turn time.Time) time.Duration { return turn.Sub(now).Round(time.Second) }
	var q Queue
	q.Refuse(time.Time{}, now, 20*time.Second)
	for _, want := range []time.Duration{20, 40, 60, 20, 40} {
		require.Equal(t, want*time.Second, after(q.Promise(now)))
	}
	require.Equal(t, 20*time.Second, after(q.LastTurn(now)))
	q.Join(&Place{})
	require.Equal(t, 40*time.Second, after(q.LastTurn(now)))
	for range 10 {
		q.Join(&Place{})
	}
	require.Equal(t, 60*time.Second, after(q.LastTurn(now)))
	require.False(t, q.IsUnused(now.Add(time.Hour)), "the queue is in use while requests wait")

	q = Queue{}
	q.Refuse(time.Time{}, now, 20*time.Second)
	q.Start(now)
	now = now.Add(20 * time.Second)
	q.Refuse(now, now, 20*time.Second)
	for _, want := range []time.Duration{20, 40, 60, 80, 20, 40} {
		require.Equal(t, want*time.Second, after(q.Promise(now)))
	}
	q.Join(&Place{})
	require.Equal(t, 40*time.Second, after(q.LastTurn(now)))
	for range 10 {
		q.Join(&Place{})
	}
	require.Equal(t, 80*time.Second, after(q.LastTurn(now)))
}
