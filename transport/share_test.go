package transport_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// A bucket is a simulated service. Its rate is how many requests it answers per second, and its
// burst is how many it answers at once after a quiet period. It refuses all others with a 429 whose
// Retry-After is in whole seconds.
type bucket struct {
	rate, burst float64

	mu       sync.Mutex
	rnd      *rand.Rand
	tokens   float64
	at       time.Time
	answered []int // the number of answered requests per process
	refused  int
}

func newBucket(rate, burst float64, processes int) *bucket {
	return &bucket{rate: rate, burst: burst, tokens: burst, at: time.Now(), rnd: rand.New(rand.NewPCG(1, 2)), answered: make([]int, processes)}
}

func (b *bucket) setRate(rate float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	b.rate = rate
}

func (b *bucket) refill() {
	now := time.Now()
	b.tokens = min(b.tokens+now.Sub(b.at).Seconds()*b.rate, b.burst)
	b.at = now
}

// process returns a base for process i, with network latency in both directions.
func (b *bucket) process(i int) http.RoundTripper {
	return trip(func(req *http.Request) (*http.Response, error) {
		time.Sleep(b.latency())
		resp := b.answer(i)
		time.Sleep(b.latency())
		return resp, nil
	})
}

// latency returns a random duration between 10 and 110 ms.
func (b *bucket) latency() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return 10*time.Millisecond + time.Duration(b.rnd.IntN(int(100*time.Millisecond)))
}

func (b *bucket) answer(i int) *http.Response {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if b.tokens < 1 {
		b.refused++
		wait := math.Ceil((1 - b.tokens) / b.rate)
		return response(throttled(fmt.Sprint(wait)))
	}
	b.tokens--
	b.answered[i]++
	return response(answer{status: 200})
}

// run starts the given number of callers in each process, and then invokes the callback. Each
// caller sends one request after another until the time d has passed. run returns the number of
// requests that the service answered.
func (b *bucket) run(t *testing.T, callers int, d time.Duration, during func()) int {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var wg sync.WaitGroup
	for i := range b.answered {
		tr := transport.New(&transport.Options{Base: b.process(i), Retries: -1, MaxRetryAfter: time.Hour})
		for range callers {
			wg.Go(func() {
				for ctx.Err() == nil {
					code, err := get(t, ctx, tr, readURL)
					if err == nil && code == http.StatusTooManyRequests {
						time.Sleep(time.Second) // without this pause, the simulated time might not advance
					}
				}
			})
		}
	}
	during()
	wg.Wait()
	sum := 0
	for _, n := range b.answered {
		sum += n
	}
	return sum
}

// Processes share a service's limit without knowing about each other. Together they use nearly all
// of it, the service refuses few requests, and no process gets much more than another.
func TestProcessesShareLimit(t *testing.T) {
	t.Log("limit       processes  answered  refused ÷ answered  smallest ÷ largest share")
	for _, tt := range []struct {
		rate, burst float64
		processes   int
		callers     int
		hours       int
		refused     float64 // the highest allowed ratio of refused to answered requests
	}{
		{1, 10, 1, 10, 1, 0.05},
		{1, 10, 4, 10, 1, 0.3},
		{25, 250, 1, 40, 1, 0.05},
		{25, 250, 4, 40, 1, 0.05},
		{25, 250, 16, 20, 2, 0.05},
	} {
		if tt.rate > busiest {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			d := time.Duration(tt.hours) * time.Hour
			b := newBucket(tt.rate, tt.burst, tt.processes)
			answered := float64(b.run(t, tt.callers, d, func() {}))
			possible := tt.rate*d.Seconds() + tt.burst
			refused := float64(b.refused) / answered
			share := float64(slices.Min(b.answered)) / float64(slices.Max(b.answered))
			t.Logf("%4v/s, %4v  %9d  %8.3f  %18.3f  %24.2f", tt.rate, tt.burst, tt.processes, answered/possible, refused, share)
			require.GreaterOrEqual(t, answered/possible, 0.95)
			require.LessOrEqual(t, refused, tt.refused)
			require.GreaterOrEqual(t, share, 0.65)
		})
	}
}

// A service reduces its limit to a fifth for half an hour and then restores it. Six minutes later,
// a process uses at least 90% of the limit again.
func TestPaceRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBucket(5, 10, 1)
		before := 0
		b.run(t, 10, 67*time.Minute, func() {
			time.Sleep(30 * time.Minute)
			b.setRate(1)
			time.Sleep(30 * time.Minute)
			b.setRate(5)
			time.Sleep(6 * time.Minute)
			b.mu.Lock()
			before = b.answered[0]
			b.mu.Unlock()
		})
		require.GreaterOrEqual(t, float64(b.answered[0]-before), 0.9*5*60)
		require.Less(t, float64(b.refused), 0.05*float64(b.answered[0]))
	})
}
