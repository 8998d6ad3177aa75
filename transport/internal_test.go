package transport

import (
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Pauses that no test can sleep: the nth of very many, and very long ones.
func TestBackOffNeverOverflows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bounds := []struct{ low, high time.Duration }{
			{time.Second, 30 * time.Second},
			{1, math.MaxInt64},
			{time.Second, math.MaxInt64},
			{math.MaxInt64, math.MaxInt64},
			{math.MaxInt64 / 2, math.MaxInt64},
			{1, 1},
			{3, 4},
		}
		for _, b := range bounds {
			p := newBackOff(b.low, b.high)
			for n := range 5000 {
				pause := p.next()
				require.GreaterOrEqual(t, pause, b.low, "pause %d of %+v", n, b)
				require.LessOrEqual(t, pause, b.high, "pause %d of %+v", n, b)
			}
		}
	})
}

// The library stops after 15 minutes unless told not to.
func TestBackOffGoesOnDrawing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBackOff(time.Second, 30*time.Second)
		time.Sleep(24 * time.Hour)
		seen := map[time.Duration]bool{}
		for range 100 {
			seen[p.next()] = true
		}
		require.Greater(t, len(seen), 50)
	})
}

func TestClamp(t *testing.T) {
	tests := []struct{ d, want time.Duration }{{1, 5}, {5, 5}, {7, 7}, {9, 9}, {10, 9}, {-1, 9}, {math.MinInt64, 9}}
	for _, tt := range tests {
		require.Equal(t, tt.want, clamp(tt.d, 5, 9), "clamp(%d)", tt.d)
	}
}

// The map of gates holds the keys throttled lately, not all there ever were.
func TestGatesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gs := newGates()
		for i := range 10_000 {
			key := gateKey{host: fmt.Sprint(i)}
			probe, held, err := gs.enter(t.Context(), key, time.Minute)
			require.True(t, !probe && held == 0 && err == nil)
			gs.leave(closing{key: key, answered: true, closes: true, pause: time.Second})
			time.Sleep(time.Second)
		}
		require.LessOrEqual(t, len(gs.m), 64)

		key := gateKey{host: "probed"}
		gs.leave(closing{key: key, answered: true, closes: true, pause: time.Second})
		probe, _, err := gs.enter(t.Context(), key, time.Minute)
		require.True(t, probe && err == nil)
		time.Sleep(time.Hour)
		gs.leave(closing{key: gateKey{host: "other"}, answered: true, closes: true})
		require.Contains(t, gs.m, key, "a probe is on its way")
		gs.leave(closing{key: key, probe: true, answered: true})
		require.Len(t, gs.m, 1, "an open gate is no entry")
	})
}

func TestDefaultBase(t *testing.T) {
	base, ok := New(nil).opts.Base.(*http.Transport)
	require.True(t, ok)
	require.NotSame(t, http.DefaultTransport, base)
	require.Same(t, base, New(&Options{}).opts.Base, "all share its connections")
	require.Equal(t, 128, base.MaxIdleConns)
	require.Equal(t, 128, base.MaxIdleConnsPerHost)
	require.Equal(t, int64(1<<20), base.MaxResponseHeaderBytes)
	require.Zero(t, base.ResponseHeaderTimeout)
	require.NotNil(t, base.Proxy)
	require.True(t, base.ForceAttemptHTTP2)
}
