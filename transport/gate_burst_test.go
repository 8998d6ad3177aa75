package transport_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// If every request gets a 429, the gate lets at most one request through after each pause. No
// caller waits at the gate for longer than MaxRetryAfter × Retries in total.
func TestBurstOfThrottledRequests(t *testing.T) {
	oneCPU(t)
	const s = time.Second
	for _, n := range []int{1, 20, 200} {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("30"))
			tr := newTransport(base)
			_, err := get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
			require.NoError(t, err)
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					code, err := get(t, t.Context(), tr, readURL)
					assert.NoError(t, err)
					assert.Equal(t, 429, code)
					assert.LessOrEqual(t, time.Since(base.start), 270*s, "at most 180 s at the gate and 90 s between attempts")
				})
			}
			wg.Wait()
			require.LessOrEqual(t, base.sent(), 10, "at most one request after each pause")
		})
	}
}

// A caller waits at the gate for at most MaxRetryAfter × Retries, or MaxRetryAfter without retries,
// even if late 429s for earlier requests keep closing the gate.
func TestGateWaitIsBounded(t *testing.T) {
	const s = time.Second
	for retries, want := range map[int]time.Duration{-1: 60 * s, 1: 60 * s, 2: 120 * s, 3: 180 * s} {
		synctest.Test(t, func(t *testing.T) {
			base := trip(func(req *http.Request) (*http.Response, error) {
				after, err := time.ParseDuration(req.Header.Get("X-Answered"))
				if err != nil {
					return response(answer{status: 200}), nil
				}
				time.Sleep(after)
				return response(throttled("10")), nil
			})
			tr := transport.New(&transport.Options{Base: base, Retries: retries, HeaderTimeout: -1})
			var wg sync.WaitGroup
			defer wg.Wait()
			for i := range 30 {
				req := request(t, transport.WithLongestPause(t.Context(), 0), "GET", readURL, nil)
				req.Header.Set("X-Answered", fmt.Sprint(time.Duration(i+1)*8*s))
				wg.Go(func() { _, _ = do(tr, req) })
			}
			time.Sleep(8*s + 1)
			start := time.Now()
			resp, err := tr.RoundTrip(request(t, t.Context(), "GET", readURL, nil))
			require.NoError(t, err)
			defer resp.Body.Close()
			requireHeld(t, resp.Request, resp)
			require.InDelta(t, want.Seconds(), time.Since(start).Seconds(), 10)
		})
	}
}

// A success does not shorten the pause after a 429 that arrived while the successful request was in
// flight.
func TestAnswerDoesNotShortenPause(t *testing.T) {
	const s = time.Second
	synctest.Test(t, func(t *testing.T) {
		late, slow := throttled("30"), answer{status: 200, takes: 5 * s}
		late.takes = 12 * s
		base := play(late, throttled("10"), slow, answer{status: 200})
		tr := noRetries(base)
		sendInBackground(t, tr)       // gets its 429 at 12 s
		sendAll(t, tr, 1)             // gets its 429 at once, so the gate closes until 10 s
		time.AfterFunc(10*s, func() { // the GET gets its answer at 15 s
			_, _ = get(t, t.Context(), tr, readURL)
		})
		time.Sleep(16 * s)
		sendAll(t, tr, 1)
		require.Equal(t, []time.Duration{0, 0, 10 * s, 42 * s}, base.at)
	})
}

// BenchmarkThrottledKeys sends one request to each of n throttled subscriptions. The time per
// request should not depend on n.
func BenchmarkThrottledKeys(b *testing.B) {
	for _, n := range []int{5_000, 10_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				tr := noRetries(trip(func(*http.Request) (*http.Response, error) { return response(throttled("60")), nil }))
				for i := range n {
					ctx := transport.WithLongestPause(b.Context(), 0)
					if _, err := get(b, ctx, tr, fmt.Sprint("https://arm.test/subscriptions/", i)); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/request")
		})
	}
}
