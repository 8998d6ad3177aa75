package transport_test

import (
	"context"
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// noRetries returns a Transport that sends each request only once.
func noRetries(base http.RoundTripper) *transport.Transport {
	return transport.New(&transport.Options{Base: base, Retries: -1, MinDelay: 2 * time.Second})
}

func throttled(retryAfter string) answer {
	return answer{status: 429, header: "Retry-After: " + retryAfter}
}

// sendInBackground sends a request in the background. The test does not end until the response
// arrives.
func sendInBackground(t *testing.T, tr http.RoundTripper) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		sendAll(t, tr, 1)
	}()
	synctest.Wait()
	t.Cleanup(func() { <-done })
}

// sendAll sends n requests at once and waits for their responses.
func sendAll(t *testing.T, tr http.RoundTripper, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			_, err := get(t, context.WithoutCancel(t.Context()), tr, readURL)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

func TestGateClosureDuration(t *testing.T) {
	tests := []struct {
		answer answer
		want   time.Duration
	}{
		{throttled("20"), 20 * time.Second},
		{throttled("60"), time.Minute},
		{throttled("3600"), time.Minute},
		{throttled("99999999999999999999"), time.Minute},
		{throttled("0"), 0},
		{answer{status: 429}, 2 * time.Second}, // the pause is MinDelay
		{throttled("nonsense"), 2 * time.Second},
		{answer{status: 429, header: "Retry-After-Ms: 1500"}, 1500 * time.Millisecond},
		{answer{status: 503, header: "Retry-After: 20"}, 0},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base := play(tt.answer, answer{status: 200})
			tr := noRetries(base)
			for range 2 {
				_, err := get(t, t.Context(), tr, readURL)
				require.NoError(t, err)
			}
			require.Equal(t, []time.Duration{0, tt.want}, base.at, "%+v", tt.answer)
		})
	}
}

// tenths rounds times to tenths of a second, so that the slight rise of the pace over time does not
// matter.
func tenths(times []time.Duration) (rounded []float64) {
	for _, at := range times {
		rounded = append(rounded, math.Round(at.Seconds()*10)/10)
	}
	return rounded
}

// After the pause, waiting requests start one by one, in order of arrival. The gap between them
// starts at 10 s, the length of the pause, and each answer halves it. After another 429, requests
// start at the average rate of the answers so far.
func TestRequestsStartOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200})
		tr := noRetries(base)
		sendAll(t, tr, 1)
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				_, err := get(t, t.Context(), tr, readURL)
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		require.Equal(t, []float64{0, 10, 15, 17.5, 18.7, 19.3}, tenths(base.at))
		require.Equal(t, []int{0, 1, 2, 3, 4}, order)
	})
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200}, answer{status: 200}, throttled("1"), answer{status: 200})
		tr := noRetries(base)
		sendAll(t, tr, 1)
		sendAll(t, tr, 6)
		require.Equal(t, []float64{0, 10, 15, 17.5, 18.5, 24.3, 30.1}, tenths(base.at), "the service answered 3 requests in 17.5 s, so one starts every 5.8 s")
	})
}

// A request that gets no response still uses up its turn at the throttle gate. The next request
// waits for its own turn.
func TestTurnWithoutResponse(t *testing.T) {
	const s = time.Second
	fails := map[string]struct {
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		base answer
	}{
		"socket":   {context.WithCancel, answer{err: errSocket, takes: 4 * s}},
		"canceled": {func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 12*s) }, answer{takes: time.Hour}},
		"silent":   {context.WithCancel, answer{takes: time.Hour}},
	}
	for name, tt := range fails {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("10"), tt.base, answer{status: 200})
			tr := transport.New(&transport.Options{Base: base, Retries: -1, HeaderTimeout: 30 * s})
			sendAll(t, tr, 1)
			go func() {
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				_, err := get(t, ctx, tr, readURL)
				_ = statusError(t, err)
			}()
			synctest.Wait()
			time.Sleep(11 * s)
			sendAll(t, tr, 1)
			require.Equal(t, []float64{0, 10, 20}, tenths(base.at), name)
			time.Sleep(time.Minute)
		})
	}
}

func TestPanickingBaseReleasesGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		tr := noRetries(trip(func(*http.Request) (*http.Response, error) {
			switch sent++; sent {
			case 1:
				return response(throttled("1")), nil
			case 2:
				panic("probe")
			}
			return response(answer{status: 200}), nil
		}))
		_, err := get(t, t.Context(), tr, readURL)
		require.NoError(t, err)
		require.Panics(t, func() { _, _ = get(t, t.Context(), tr, readURL) })
		code, err := get(t, t.Context(), tr, readURL)
		require.NoError(t, err)
		require.Equal(t, 200, code)
	})
}

// A base may rewrite a request's URL in place, although a RoundTripper should not. The original
// URL's gate still records the response.
func TestGateOfRewrittenURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200}, answer{status: 200})
		tr := noRetries(trip(func(r *http.Request) (*http.Response, error) {
			if len(base.at) > 0 {
				r.URL.Host = "replica.test"
			}
			return base.RoundTrip(r)
		}))
		for range 3 {
			_, err := get(t, t.Context(), tr, readURL)
			require.NoError(t, err)
		}
		require.Equal(t, []float64{0, 10, 15}, tenths(base.at))
	})
}

// A request is not sent if the Transport cannot obtain a credential for it, but still uses up its
// turn at the throttle gate.
func TestUnsentRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, calls := play(throttled("10"), answer{status: 200}), 0
		tr := transport.New(&transport.Options{Base: base, Retries: -1, Authorize: func(*http.Request) error {
			if calls++; calls == 2 {
				return errSocket
			}
			return nil
		}})
		for i := range 3 {
			_, err := get(t, t.Context(), tr, readURL)
			require.Equal(t, i == 1, err != nil)
		}
		require.Equal(t, []float64{0, 20}, tenths(base.at))
	})
}

func TestGateKeys(t *testing.T) {
	const first = "https://arm.test/subscriptions/s1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v"
	tests := []struct {
		closed, verb, url string
		waits             bool
	}{
		{"GET", "GET", first, true},
		{"GET", "HEAD", first, true},
		{"GET", "OPTIONS", first, true},
		{"GET", "", first, true},
		{"GET", "GET", "https://arm.test/subscriptions/s1/providers/Microsoft.Compute/locations/x/operations/7?q=1", true},
		{"GET", "GET", "HTTPS://ARM.TEST:443/SUBSCRIPTIONS/S1/resourcegroups/h/PROVIDERS/microsoft.compute/disks/d", true},
		{"GET", "GET", "https://arm.test/subscriptions/s1/resourceGroups/providers/providers/Microsoft.Compute/disks/d", true},
		{"GET", "GET", "https://arm.test/subscriptions/s1/resourceGroups/subscriptions/providers/Microsoft.Compute/disks/d", true},
		{"GET", "GET", "https://arm.test/subscriptions/s1/providers/Microsoft.Network/x/y/providers/Microsoft.Compute/z/w", true},
		{"GET", "GET", "https://arm.test/subscriptions/s1/providers/Microsoft.Compute/things/providers/", true},
		{"GET", "GET", "https://me:pw@arm.test/subscriptions/s1/providers/Microsoft.Compute/x/y", true},
		{"GET", "PUT", first, false},
		{"GET", "POST", first, false},
		{"GET", "GET", "https://arm.test/subscriptions/s2/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v", false},
		{"GET", "GET", "https://arm.test/subscriptions/s1/resourceGroups/g/providers/Microsoft.Network/x/y", false},
		{"GET", "GET", "https://arm.test/subscriptions/s1/providers/Microsoft.Compute/x/y/providers/Microsoft.Insights/z/w", false},
		{"GET", "GET", "https://arm.test/subscriptions/s1", false},
		{"GET", "GET", "https://arm.test", false},
		{"GET", "GET", "https://west.arm.test/subscriptions/s1/providers/Microsoft.Compute/operations/7", false},
		{"GET", "GET", "https://arm.test:8443/subscriptions/s1/providers/Microsoft.Compute/operations/7", false},
		{"PUT", "PUT", first, true},
		{"PUT", "DELETE", first, true},
		{"PUT", "POST", first + "/start", true},
		{"PUT", "PATCH", first, true},
		{"PUT", "GET", first, false},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("10"), answer{status: 200})
			tr := noRetries(base)
			_, err := do(tr, request(t, t.Context(), tt.closed, first, nil))
			require.NoError(t, err)
			_, err = do(tr, request(t, t.Context(), tt.verb, tt.url, nil))
			require.NoError(t, err)
			want := time.Duration(0)
			if tt.waits {
				want = 10 * time.Second
			}
			require.Equal(t, want, base.at[1], "%s %s", tt.verb, tt.url)
		})
	}
}

// The throttle gate also holds back requests with schemes other than HTTP and HTTPS, such as mem,
// if the base supports them.
func TestGateOfAnotherScheme(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200})
		tr := noRetries(base)
		for _, url := range []string{"mem://A/x", "mem://b/x", "mem://a/x"} {
			_, err := get(t, t.Context(), tr, url)
			require.NoError(t, err)
		}
		require.Equal(t, []time.Duration{0, 0, 10 * time.Second}, base.at)
	})
}

func TestNoThrottleGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200})
		tr := transport.New(&transport.Options{Base: base, Retries: -1, NoThrottleGate: true})
		sendAll(t, tr, 1)
		sendAll(t, tr, 3)
		require.Equal(t, []time.Duration{0, 0, 0, 0}, base.at)
	})
}

// The Transport retries a throttled request if the Policy allows it. The retry waits for its turn
// like any other request.
func TestThrottledRequestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), throttled("20"), answer{status: 200})
		code, err := get(t, t.Context(), newTransport(base), readURL)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		require.Equal(t, []time.Duration{0, 10 * time.Second, 30 * time.Second}, base.at)
	})
}

// A 429 that arrives while the gate is closed can extend the pause, but not shorten it.
func TestLate429(t *testing.T) {
	const s = time.Second
	for late, want := range map[string]time.Duration{"20": 25 * s, "1": 10 * s} {
		synctest.Test(t, func(t *testing.T) {
			slow := throttled(late)
			slow.takes = 5 * s
			base := play(slow, throttled("10"), answer{status: 200})
			tr := noRetries(base)
			sendInBackground(t, tr)
			sendAll(t, tr, 1)
			time.Sleep(7 * s)
			sendAll(t, tr, 1)
			require.Equal(t, []time.Duration{0, 0, want}, base.at, late)
		})
	}
}
