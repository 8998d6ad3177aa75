package transport_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

const closedFor = 20 * time.Second

// A throttlingService responds after a random time, rejects tokens that it has revoked, and
// sometimes throttles. It panics on a request that the throttle gate should have held back.
type throttlingService struct {
	mu      sync.Mutex
	rand    *rand.Rand
	issued  int // the number of the newest token
	valid   int // tokens with lower numbers have been revoked
	closed  time.Time
	refused map[int]bool // the numbers of the tokens that got a 401
}

func (d *throttlingService) token(context.Context, transport.TokenRequest) (transport.Token, error) {
	time.Sleep(d.takes())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.issued++
	return transport.Token{Value: fmt.Sprint(d.issued)}, nil
}

// takes returns a random duration of up to 3 s, precise to the nanosecond, so that no two events
// happen at the same time.
func (d *throttlingService) takes() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(d.rand.Int64N(3e9))
}

func (d *throttlingService) RoundTrip(req *http.Request) (*http.Response, error) {
	d.mu.Lock()
	// A request may have passed the gate just before the gate closed, and then have waited up to 3
	// s for a token. The 6 s leave a margin.
	if left := time.Until(d.closed); left > 0 && left < closedFor-6*time.Second {
		panic(fmt.Sprintf("a request came %s before the gate opens", left))
	}
	d.mu.Unlock()
	time.Sleep(d.takes())
	d.mu.Lock()
	defer d.mu.Unlock()
	var n int
	if _, err := fmt.Sscanf(req.Header.Get("Authorization"), "Bearer %d", &n); err != nil {
		panic(err)
	}
	switch {
	case n < d.valid:
		d.refused[n] = true
		return response(answer{status: 401}), nil
	case d.rand.IntN(30) == 0:
		d.valid = d.issued + 1
		d.refused[n] = true
		return response(answer{status: 401}), nil
	case d.rand.IntN(20) == 0:
		d.closed = time.Now().Add(closedFor)
		return response(answer{status: 429, header: "Retry-After: 20"}), nil
	}
	resp := response(answer{status: 200})
	resp.Header.Set("Token", fmt.Sprint(n))
	return resp, nil
}

// Even if many requests run at once:
//
//   - no request is sent while the gate is closed
//   - the Transport fetches at most one new token for each rejected one
//   - once a response has confirmed a token, no new request uses an older one
func TestManyRequestsAtOnce(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			d := &throttlingService{rand: rand.New(rand.NewPCG(seed, 1)), valid: 1, refused: map[int]bool{}}
			tr := transport.New(&transport.Options{Base: d, Token: d.token, Retries: 20})
			var mu sync.Mutex
			newest := 0 // the newest token that a response has confirmed
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					for range 10 {
						mu.Lock()
						known := newest
						mu.Unlock()
						resp, err := tr.RoundTrip(request(t, t.Context(), "GET", readURL, nil))
						if err != nil {
							panic(err)
						}
						resp.Body.Close()
						if resp.StatusCode != http.StatusOK {
							continue // the service rejected two tokens in a row
						}
						var n int
						_, _ = fmt.Sscan(resp.Header.Get("Token"), &n)
						if n < known {
							panic(fmt.Sprintf("token %d was used after token %d had been", n, known))
						}
						mu.Lock()
						newest = max(newest, n)
						mu.Unlock()
						time.Sleep(d.takes())
					}
				})
			}
			wg.Wait()
			require.NotEmpty(t, d.refused, "seed %d", seed)
			require.LessOrEqual(t, d.issued, 1+len(d.refused), "seed %d", seed)
			require.GreaterOrEqual(t, d.issued, d.valid-1)
		})
	}
}
