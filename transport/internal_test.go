package transport

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/pace"
)

// The pause before a retry stays within its bounds, even for extreme bounds and after many retries.
// This test calls only the function that computes the pause, because it cannot sleep through so
// many long pauses.
func TestBackOffNeverOverflows(t *testing.T) {
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
		seen := map[time.Duration]bool{}
		for n := range 500 {
			d := pause(b.low, b.high, n, nil)
			require.GreaterOrEqual(t, d, b.low, "pause %d of %+v", n, b)
			require.LessOrEqual(t, d, b.high, "pause %d of %+v", n, b)
			seen[d] = true
		}
		require.True(t, len(seen) > 250 || b.high-b.low < 10 || b.low == math.MaxInt64/2, "%+v: the pauses are random", b)
	}
}

// The pauses before retries stay within their bounds. call.longestBackOff relies on the upper
// bounds.
func TestBackOffBounds(t *testing.T) {
	for n, want := range []struct{ low, high time.Duration }{
		{time.Second, 2 * time.Second},
		{2 * time.Second, 4 * time.Second},
		{4 * time.Second, 8 * time.Second},
		{8 * time.Second, 16 * time.Second},
		{15 * time.Second, 30 * time.Second},
		{15 * time.Second, 30 * time.Second},
	} {
		for range 200 {
			d := pause(time.Second, 30*time.Second, n, nil)
			require.GreaterOrEqual(t, d, want.low, "pause %d", n)
			require.LessOrEqual(t, d, want.high, "pause %d", n)
		}
	}
}

// The Transport removes an unused gate a few minutes after the last 429, and never has more than
// maxGates gates.
func TestGatesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gs := newGates(new(New(nil).opts))
		throttled := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}
		refuse := func(host string) {
			c := &caller{req: &http.Request{URL: &url.URL{Host: host}}, Context: *exchange.WithSettings(t.Context(), *exchange.SettingsOf(t.Context()))}
			var s gateState
			turn, err := gs.enter(c, &s)
			require.NoError(t, err)
			require.Zero(t, turn)
			gs.leave(c, &s, throttled)
		}
		refuse("waiting")
		gs.add(exchange.ThrottleKeyOf("GET", &url.URL{Host: "waiting"})).Join(&pace.Place{})
		for i := range 5000 {
			refuse(fmt.Sprint(i))
			time.Sleep(time.Second)
			require.LessOrEqual(t, len(gs.m), 600)
			require.GreaterOrEqual(t, len(gs.m), min(i, 120), "the pace is remembered for minutes")
		}
		for i := range 2 * maxGates {
			refuse(fmt.Sprint("u", i))
		}
		require.LessOrEqual(t, len(gs.m), maxGates)
		require.Contains(t, gs.m, exchange.ThrottleKeyOf("GET", &url.URL{Host: "waiting"}))
	})
}

// Transports without a Base share a default base, which limits the connections to a host.
func TestDefaultBase(t *testing.T) {
	base, ok := New(nil).opts.Base.(*pools)
	require.True(t, ok)
	require.Same(t, base, New(&Options{}).opts.Base, "all Transports share the base and its connections")
	for _, tt := range []struct {
		conns *conns
		limit int
	}{{base.reads, 1024}, {base.writes, 400}} {
		require.Equal(t, tt.limit, tt.conns.single.MaxConnsPerHost)
		require.Equal(t, 4, tt.conns.multiplexed.MaxConnsPerHost)
		for _, tr := range []*http.Transport{tt.conns.single, tt.conns.multiplexed} {
			require.NotSame(t, http.DefaultTransport, tr)
			require.Equal(t, 128, tr.MaxIdleConns)
			require.Equal(t, 128, tr.MaxIdleConnsPerHost)
			require.Equal(t, int64(1<<20), tr.MaxResponseHeaderBytes)
			require.Zero(t, tr.ResponseHeaderTimeout)
			require.NotNil(t, tr.Proxy)
			require.True(t, tr.ForceAttemptHTTP2)
		}
	}
}

// The Transport limits how many failed calls to Token it remembers, even if the service demands
// different claims each time.
func TestTokenFailuresAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := tokenFailures{}
		for i := range 500 {
			fs.add(TokenRequest{Claims: fmt.Sprint(i)}, http.ErrAbortHandler)
			time.Sleep(time.Second)
		}
		require.Len(t, fs, 62)
	})
}
