package transport_test

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// Some callers, such as reconcilers, do not wait at the gate but send the request again at the time
// the gate gave them. Together, such callers soon use most of the service's limit.
func TestReturningCallers(t *testing.T) {
	const perSecond = 10
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		tokens, at, answered := float64(perSecond), start, 0
		tr := noRetries(trip(func(*http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			tokens = min(tokens+time.Since(at).Seconds()*perSecond, perSecond)
			at = time.Now()
			if tokens < 1 {
				return response(throttled("1")), nil
			}
			tokens--
			answered++
			return response(answer{status: 200}), nil
		}))
		ctx := transport.WithLongestPause(t.Context(), 0)
		calls := 0
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(i)))
				for time.Since(start) < 2*time.Minute {
					resp, err := tr.RoundTrip(request(t, ctx, "GET", readURL, nil))
					if !assert.NoError(t, err) {
						return
					}
					turn := exchange.SentOf(resp.Request).Turn
					resp.Body.Close()
					mu.Lock()
					calls++
					mu.Unlock()
					if turn.IsZero() {
						turn = time.Now().Add(20 * time.Second)
					}
					time.Sleep(time.Until(turn) + time.Duration(rnd.IntN(int(20*time.Millisecond))))
				}
			})
		}
		wg.Wait()
		require.Greater(t, answered, 800, "requests must be answered, of %d possible ones", 120*perSecond)
		require.Less(t, calls, 6*answered)
	})
}
