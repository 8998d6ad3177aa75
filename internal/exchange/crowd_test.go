package exchange_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
)

const maxStarted = 64 // as in crowd.go

// While a host responds quickly, at most 64 reads from it are in progress at once. The others start
// in order of arrival.
func TestCrowdStartsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4 * maxStarted
		var c exchange.Crowd
		var all sync.WaitGroup
		var running, most atomic.Int32
		var started []time.Duration
		begin := time.Now()
		var mu sync.Mutex
		for i := range n {
			all.Go(func() {
				crowded, leave := c.Enter(t.Context(), true, "arm.test")
				defer leave()
				require.Equal(t, i >= maxStarted, crowded)
				mu.Lock()
				require.Len(t, started, i)
				started = append(started, time.Since(begin))
				most.Store(max(most.Load(), running.Add(1)))
				mu.Unlock()
				time.Sleep(10*time.Millisecond + time.Duration(i)) // so that the exchanges also end in this order
				running.Add(-1)
			})
			synctest.Wait()
		}
		all.Wait()
		require.EqualValues(t, maxStarted, most.Load())
		require.Len(t, started, n)
		require.Less(t, started[n-1], 31*time.Millisecond)
	})
}

// While a host does not respond, 64 more reads start every 100 ms. Writes and exchanges with other
// hosts do not wait.
func TestCrowdOfSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 5*maxStarted + 1
		var c exchange.Crowd
		var all sync.WaitGroup
		begin := time.Now()
		for i := range n {
			all.Go(func() {
				_, leave := c.Enter(t.Context(), true, "arm.test")
				defer leave()
				require.Equal(t, time.Duration(i/maxStarted)*100*time.Millisecond, time.Since(begin))
				time.Sleep(time.Hour)
			})
			synctest.Wait()
		}
		for _, other := range []struct {
			isRead bool
			host   string
		}{{false, "arm.test"}, {true, "other.test"}} {
			crowded, leave := c.Enter(t.Context(), other.isRead, other.host)
			leave()
			require.False(t, crowded)
		}
		require.Equal(t, begin, time.Now())
		all.Wait()

		crowded, leave := c.Enter(t.Context(), true, "arm.test")
		leave()
		require.False(t, crowded, "all other exchanges have left")
	})
}

// Enter returns when its caller's context ends. A caller that has given up does not delay others.
func TestCrowdContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c exchange.Crowd
		for range maxStarted {
			_, leave := c.Enter(t.Context(), true, "arm.test")
			defer leave()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		var all sync.WaitGroup
		for range 2 * maxStarted {
			all.Go(func() {
				_, leave := c.Enter(ctx, true, "arm.test")
				leave()
			})
		}
		all.Wait()
		require.Equal(t, 50*time.Millisecond, time.Since(begin))
		_, leave := c.Enter(t.Context(), true, "arm.test")
		leave()
		require.Equal(t, 150*time.Millisecond, time.Since(begin))
	})
}

// An exchange waits at most five seconds, however many exchanges are ahead of it.
func TestCrowdWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c exchange.Crowd
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 100 * maxStarted {
			all.Go(func() {
				_, leave := c.Enter(ctx, true, "arm.test")
				defer leave()
				<-ctx.Done()
			})
		}
		synctest.Wait()
		begin := time.Now()
		_, leave := c.Enter(t.Context(), true, "ARM.test")
		leave()
		require.Equal(t, 5*time.Second, time.Since(begin))
		cancel()
		all.Wait()
	})
}

// A Crowd can be used outside of synctest bubbles and in several of them, as happens when tests in
// different bubbles share a client.
func TestCrowdInSeveralBubbles(t *testing.T) {
	var c exchange.Crowd
	_, leave := c.Enter(t.Context(), true, "arm.test")
	leave()
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			var all sync.WaitGroup
			begin := time.Now()
			for range 2 * maxStarted {
				all.Go(func() {
					_, leave := c.Enter(t.Context(), true, "arm.test")
					defer leave()
					time.Sleep(10 * time.Millisecond)
				})
			}
			all.Wait()
			require.Equal(t, 20*time.Millisecond, time.Since(begin))
		})
	}
}
