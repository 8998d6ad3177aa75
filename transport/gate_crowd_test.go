package transport_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// endsOf sends n requests at once. It returns how many responses came at each time, and how many
// of them came from the gate itself.
func endsOf(t *testing.T, tr http.RoundTripper, n int) (ends map[time.Duration]int, held int) {
	t.Helper()
	ends = map[time.Duration]int{}
	start := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			resp, err := tr.RoundTrip(request(t, t.Context(), "GET", readURL, nil))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ends[time.Since(start)]++
				if resp.Header.Get("Content-Type") == "application/json" {
					held++
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	return ends, held
}

// If a service always answers 429, only one request, the probe, is sent after each pause. All
// callers return when they have used up their retries, almost as early as they would without the
// gate.
func TestProbeRefusalIsShared(t *testing.T) {
	oneCPU(t)
	const s = time.Second
	for _, n := range []int{1, 20, 200} {
		synctest.Test(t, func(t *testing.T) { // all requests are sent before the first response arrives
			slow := throttled("30")
			slow.takes = 2 * s
			base := play(slow)
			ends, held := endsOf(t, newTransport(base), n)
			require.Equal(t, map[time.Duration]int{98 * s: n}, ends)
			require.Equal(t, n-1, held, "no caller gets the response to another request")
			require.Equal(t, n+3, base.sent())
		})
		synctest.Test(t, func(t *testing.T) { // all requests find the gate closed
			base := play(throttled("30"))
			tr := newTransport(base)
			_, err := get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
			require.NoError(t, err)
			ends, held := endsOf(t, tr, n)
			require.Equal(t, map[time.Duration]int{120 * s: n}, ends)
			require.Equal(t, n-1, held)
			require.Equal(t, 1+4, base.sent())
		})
	}
}

// A request that arrives after a probe has been refused does not get a 429 because of that
// refusal, but waits until the gate opens.
func TestEarlierRefusalDoesNotCount(t *testing.T) {
	const s = time.Second
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), throttled("30"), answer{status: 200})
		tr := once(base)
		crowd(t, tr, 1)
		time.Sleep(10 * s)
		crowd(t, tr, 1) // the probe
		crowd(t, tr, 1)
		require.Equal(t, []time.Duration{0, 10 * s, 40 * s}, base.at)
	})
}

// No caller waits at the gate longer than MaxRetryAfter × Retries, even if late responses to
// earlier requests keep closing the gate.
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

// The success of a probe does not open a gate that a later 429 has closed for longer.
func TestLater429OutlivesProbeSuccess(t *testing.T) {
	const s = time.Second
	synctest.Test(t, func(t *testing.T) {
		late, probe := throttled("30"), answer{status: 200, takes: 5 * s}
		late.takes = 12 * s
		base := play(late, throttled("10"), probe, answer{status: 200})
		tr := once(base)
		aside(t, tr)                  // gets its 429 at 12 s
		crowd(t, tr, 1)               // gets its 429 at once, which closes the gate until 10 s
		time.AfterFunc(10*s, func() { // sends the probe, which succeeds at 15 s
			_, _ = get(t, t.Context(), tr, readURL)
		})
		time.Sleep(16 * s)
		crowd(t, tr, 2)
		require.Equal(t, []time.Duration{0, 0, 10 * s, 42 * s, 42 * s}, base.at)
	})
}

// BenchmarkThrottledKeys sends one request to each of n subscriptions that are all throttled.
// The time per request should not depend on n.
func BenchmarkThrottledKeys(b *testing.B) {
	for _, n := range []int{5_000, 10_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				tr := once(trip(func(*http.Request) (*http.Response, error) { return response(throttled("60")), nil }))
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
