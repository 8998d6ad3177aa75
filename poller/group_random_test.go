package poller

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

type faultyNet struct {
	mu     sync.Mutex
	rnd    *rand.Rand
	healed bool
	free   map[string]time.Time
	young  map[*http.Request]time.Time
	most   int
}

func (n *faultyNet) RoundTrip(req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	reply := func(code int, body string, header ...string) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, ProtoMajor: 2, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
	}
	path := req.URL.Path
	if req.Method == http.MethodPost {
		if n.rnd.IntN(2) == 0 {
			return reply(202, "", "Location", path)
		}
		return reply(202, "", "Azure-AsyncOperation", path, "Location", path+"/result")
	}
	n.young[req] = time.Now()
	defer delete(n.young, req)
	c := 0
	for _, at := range n.young {
		if time.Since(at) < 10*time.Second {
			c++
		}
	}
	n.most = max(n.most, c)
	isResult := strings.HasSuffix(path, "/result")
	wait := func(d time.Duration) error {
		n.mu.Unlock()
		defer n.mu.Lock()
		select {
		case <-time.After(d):
			return nil
		case <-req.Context().Done():
			return context.Cause(req.Context())
		}
	}
	if n.healed {
		return reply(200, `{"status":"Succeeded"}`)
	}
	key := exchange.ThrottleKeyOf("GET", req.URL).Subscription
	switch x := n.rnd.IntN(100); {
	case strings.HasPrefix(key, "thr"):
		if time.Now().Before(n.free[key]) {
			return reply(429, "", "Retry-After", fmt.Sprint(n.rnd.IntN(90)))
		}
		n.free[key] = time.Now().Add(5 * time.Second)
		if err := wait(time.Duration(n.rnd.IntN(20)) * time.Second); err != nil {
			return nil, err
		}
	case strings.HasPrefix(key, "sil") && x < 60:
		if err := wait(10 * time.Hour); err != nil {
			return nil, err
		}
	case x < 10:
		return reply(404, "")
	case x < 20:
		return reply(500, "")
	case x < 25:
		return nil, io.ErrUnexpectedEOF
	case x < 30:
		if err := wait(time.Duration(n.rnd.IntN(30)) * time.Second); err != nil {
			return nil, err
		}
	}
	switch x := n.rnd.IntN(20); {
	case isResult && x < 10:
		return reply(202, "")
	case isResult:
		return reply(200, "1")
	case x < 1:
		return reply(200, `{"status":"Succeeded"}`)
	case x < 4:
		other := strings.Replace(path, "/subscriptions/", "/moved/subscriptions/", 1)
		if n.rnd.IntN(2) == 0 {
			other = strings.Replace(other, key, []string{"thr1", "thr2", "sil1", "ok"}[n.rnd.IntN(4)], 1)
		}
		if len(other) > 300 {
			other = path
		}
		return reply(202, `{"status":"Running"}`, "Location", other, "Azure-AsyncOperation", other)
	}
	return reply(202, `{"status":"Running"}`)
}

// TestRandomSchedule makes random calls on two groups while the service throttles requests, fails
// or does not respond. Once the service has recovered, every operation in the groups ends.
func TestRandomSchedule(t *testing.T) {
	t.Parallel()
	seeds := uint64(8)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			n := &faultyNet{rnd: rand.New(rand.NewPCG(seed, 2)), free: map[string]time.Time{}, young: map[*http.Request]time.Time{}}
			clients := []Doer{
				&http.Client{Transport: transport.New(&transport.Options{Base: n})}, &http.Client{Transport: transport.New(&transport.Options{Base: n})},
				&http.Client{Transport: n},
			}
			inFlight := []int{0, 1, 2, 8, 64}[rnd.IntN(5)]
			spread := []time.Duration{0, -1, time.Minute}[rnd.IntN(3)]
			gs := []*Group[*Poller[any]]{NewGroup[*Poller[any]](&GroupOptions{InFlight: inFlight, Spread: spread}), NewGroup[*Poller[any]](&GroupOptions{InFlight: inFlight, Spread: spread})}
			var ops []*Poller[any]
			for i := range 100 + rnd.IntN(200) {
				sub := []string{"thr1", "thr2", "sil1", "sil2", "ok"}[rnd.IntN(5)]
				req, err := http.NewRequestWithContext(t.Context(), "POST", fmt.Sprintf("https://a.test/subscriptions/%s/providers/P.Q/%d", sub, i), http.NoBody)
				require.NoError(t, err)
				p, err := Begin[any](req, clients[rnd.IntN(3)], &Options{Patience: Patience{Time: 1000 * time.Hour, Failures: 5}})
				require.NoError(t, err)
				ops = append(ops, p)
				gs[rnd.IntN(2)].Add(p)
				if rnd.IntN(3) == 0 {
					gs[rnd.IntN(2)].Add(p)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for i, g := range gs {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, uint64(10+i)))
					for ctx.Err() == nil {
						one, stop := context.WithTimeout(ctx, time.Duration(rnd.IntN(7200))*time.Second)
						k := rnd.IntN(300)
						for _, err := range g.Wait(one) {
							_ = err
							if rnd.IntN(10) == 0 {
								time.Sleep(time.Duration(rnd.IntN(60)) * time.Second)
							}
							if k--; k <= 0 && one.Err() == nil {
								break
							}
						}
						stop()
					}
				})
			}
			for range 600 {
				time.Sleep(time.Duration(rnd.IntN(20000)) * time.Millisecond)
				p, g := ops[rnd.IntN(len(ops))], gs[rnd.IntN(2)]
				switch rnd.IntN(8) {
				case 0:
					g.Remove(p)
				case 1:
					g.Add(p)
				case 2, 3:
					for range 10 {
						ops[rnd.IntN(len(ops))].WakeUp()
					}
				case 4:
					wg.Go(func() { c, s := context.WithTimeout(ctx, time.Minute); defer s(); _, _ = p.Poll(c) })
				case 5:
					wg.Go(func() { c, s := context.WithTimeout(ctx, 10*time.Minute); defer s(); _, _ = p.PollUntilDone(c) })
				case 6:
					_ = g.Stats()
					_ = p.String()
				}
				synctest.Wait()
			}
			n.mu.Lock()
			n.healed = true
			n.mu.Unlock()
			time.Sleep(40 * time.Hour)
			synctest.Wait()
			for _, g := range gs {
				s := g.Stats()
				require.Zero(t, s.Waiting+s.InFlight, "seed %d: %+v", seed, s)
			}
			cancel()
			wg.Wait()
		})
	}
}
