package transport_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// If a 429 asks for an extremely long pause, the gate closes for a minute, its longest pause.
func TestPauseDoesNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("1"), answer{status: 429, header: "Retry-After: 99999999999999999999", takes: time.Second}, answer{status: 200})
		tr := noRetries(base)
		sendInBackground(t, tr)
		sendAll(t, tr, 1)
		resp, err := tr.RoundTrip(request(t, transport.WithLongestPause(t.Context(), 0), "GET", readURL, nil))
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, "60", resp.Header.Get("Retry-After"))
	})
}

// Even with extreme options, every request ends within a minute.
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

// If the wait at the gate would exceed the time limit for the exchange, RoundTrip returns the
// gate's own 429 and does not send the request.
func TestExchangeTimeoutEndsGateWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("9"), answer{status: 200, takes: 50 * time.Second}, answer{status: 200})
		tr := transport.New(&transport.Options{Base: base})
		_, _ = get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
		sendInBackground(t, tr) // takes the gate's first turn, at 9 s
		const limit = 10 * time.Second
		start := time.Now()
		ctx := exchange.WithSettings(t.Context(), exchange.Settings{LongestPause: math.MaxInt64, Timeout: limit, Due: start.Add(limit)})
		resp, err := tr.RoundTrip(request(t, ctx, "GET", readURL, nil))
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, 429, resp.StatusCode)
		require.Equal(t, 9*time.Second, time.Since(start), "RoundTrip must return as soon as it turns out that the limit is too short")
		require.False(t, exchange.SentOf(resp.Request).Turn.IsZero())
	})
}
