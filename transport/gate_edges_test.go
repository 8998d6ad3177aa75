package transport_test

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// If the service asks for an extremely long pause, the time at which the pause ends must not
// overflow for callers that wait for the probe.
func TestSharedPauseDoesNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("1"), answer{status: 429, header: "Retry-After: 99999999999999999999", takes: time.Second}, answer{status: 200})
		tr := transport.New(&transport.Options{Base: base})
		_, _ = get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
		time.Sleep(time.Second)
		aside(t, tr) // the probe
		code, err := get(t, t.Context(), tr, readURL)
		require.NoError(t, err)
		require.Equal(t, 429, code, "no caller may wait for 292 years")
		require.Equal(t, 2*time.Second, time.Since(base.start))
	})
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("1"), answer{status: 429, header: "Retry-After: 99999999999999999999", takes: time.Second}, answer{status: 200})
		tr := once(base)
		_, _ = get(t, t.Context(), tr, readURL)
		time.Sleep(time.Second)
		aside(t, tr) // the probe
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", readURL, nil))
		require.NoError(t, err)
		resp.Body.Close()
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		require.NoError(t, err)
		require.Positive(t, seconds)
	})
}

// A caller that wakes up after the pause of a refused probe has ended is not affected by that
// refusal.
func TestStaleRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const s = time.Second
		start := time.Now()
		var got []string
		tr := transport.New(&transport.Options{
			MaxRetryAfter: 10 * time.Minute,
			Policy: func(req *http.Request, resp *http.Response, err error) bool {
				if req.Header.Get("Who") == "w" && resp != nil {
					got = append(got, time.Since(start).String()+" "+strconv.Itoa(resp.StatusCode)+" Retry-After "+resp.Header.Get("Retry-After"))
				}
				return transport.DefaultPolicy(req, resp, err)
			},
			Base: trip(func(req *http.Request) (*http.Response, error) {
				switch at := time.Since(start); {
				case req.Header.Get("Who") == "w" && at < 100*s:
					return response(throttled("300")), nil // only this caller gets such a long Retry-After
				case at < 90*s:
					return response(throttled("3")), nil
				}
				time.Sleep(20 * s)
				return response(answer{status: 200}), nil
			}),
		})
		_, _ = get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL) // closes the gate
		go func() {
			for _, at := range []time.Duration{70 * s, 80 * s, 299 * s} { // the first two requests are refused, and the last one is a slow probe
				time.Sleep(at - time.Since(start))
				_, _ = get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
			}
		}()
		time.Sleep(3 * s)
		req := request(t, t.Context(), "GET", readURL, nil)
		req.Header.Set("Who", "w")
		_, err := do(tr, req)
		require.NoError(t, err)
		for _, g := range got {
			require.NotContains(t, g, "Retry-After -")
		}
		time.Sleep(100 * s)
	})
}

// With extreme options, no request waits forever.
func TestExtremeOptions(t *testing.T) {
	for _, o := range []transport.Options{
		{MaxRetryAfter: -1},
		{MaxRetryAfter: math.MinInt64},
		{MaxRetryAfter: math.MaxInt64},
		{Retries: -1},
		{Retries: math.MaxInt},
		{Retries: math.MaxInt, MaxRetryAfter: math.MaxInt64},
		{Retries: 2, MaxRetryAfter: math.MinInt64},
		{Retries: -1, MaxRetryAfter: math.MinInt64},
	} {
		synctest.Test(t, func(t *testing.T) {
			oneCPU(t)
			base := play(answer{status: 429, header: "Retry-After: 2", takes: time.Second}, answer{status: 429, header: "Retry-After: 2", takes: time.Second}, answer{status: 429, header: "Retry-After: 2", takes: time.Second},
				answer{status: 429, header: "Retry-After: 2", takes: time.Second}, answer{status: 200, takes: time.Second})
			o.Base = base
			tr := transport.New(&o)
			done := make(chan time.Duration, 10)
			for range 10 {
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					_, err := get(t, ctx, tr, readURL)
					if err != nil {
						t.Error(err)
					}
					done <- time.Since(base.start)
				}()
				time.Sleep(300 * time.Millisecond)
			}
			for range 10 {
				require.Less(t, <-done, time.Minute)
			}
		})
	}
}

// The time limit for an exchange includes the time spent waiting for a probe. If the limit expires
// during that wait, the context reports that the gate held the request back: the request was not
// sent, so it cannot have taken effect.
func TestTheTimeOfTheExchangeEndsTheWaitForAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("1"), answer{status: 200, takes: 50 * time.Second}, answer{status: 200})
		tr := transport.New(&transport.Options{Base: base})
		_, _ = get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
		time.Sleep(time.Second)
		aside(t, tr) // the probe
		const limit = 10 * time.Second
		start := time.Now()
		ctx := exchange.WithSettings(t.Context(), exchange.Settings{LongestPause: math.MaxInt64, Timeout: limit, Due: start.Add(limit)})
		code, err := get(t, ctx, tr, readURL)
		require.NoError(t, err)
		require.Equal(t, 429, code)
		require.Equal(t, limit, time.Since(start))
		require.True(t, ctx.Held())
	})
}
