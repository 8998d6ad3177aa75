package poller

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// checkRun returns a description of each inconsistency in the schedule.
func (g *group) checkRun() (bad []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.run
	if r == nil || r.ctx.Err() != nil {
		return nil
	}
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	flying := map[*lane]int{}
	given := 0
	for m, f := range r.flights {
		if f.m != m {
			say("flight of another member")
		}
		if f.turn == nil {
			given++
		}
		if !f.long {
			flying[f.lane]++
		}
	}
	if r.placed.Len()+r.long.Len()+given != len(r.flights) {
		say("placed %d + long %d + given up %d != flights %d", r.placed.Len(), r.long.Len(), given, len(r.flights))
	}
	for i, f := range r.unused[:cap(r.unused)] {
		switch {
		case i >= len(r.unused) && f != nil:
			say("a used flight is kept")
		case i < len(r.unused) && (i >= maxUnused || f.ctx.Err() != nil || f.m != nil):
			say("unused flight %d cannot be used", i)
		}
	}
	inHeap := map[*lane]bool{}
	for i, l := range append(slices.Clone(r.closed), r.open, r.fresh, r.slow) {
		inHeap[l] = true
		if i >= len(r.closed) {
			i = -1
		}
		if l.flying != flying[l] {
			say("lane %v flying %d, has %d", l.key, l.flying, flying[l])
		}
		if i > 0 && l.before(r.closed[(i-1)/2]) {
			say("lanes out of order at %d", i)
		}
		if i >= 0 && int(l.index) != i {
			say("lane index")
		}
		if l.isThrottled() && r.throttled[l.key] != l {
			say("lane of %v is in the heap, and not the one in the map (%d members)", l.key, len(l.members))
		}
		for j, m := range l.members {
			if m.lane != l || int(m.index) != j {
				say("member %d in the wrong lane or place", m.seq)
			}
			if m.place != queued {
				say("member %d is at %d and in a lane", m.seq, m.place)
			}
			if j > 0 && m.before(l.members[(j-1)/2]) {
				say("members out of order")
			}
			if m.begin == parked && !m.op.core().taken.Load() {
				say("member %d is parked although no caller holds the turn", m.seq) // also true for a moment while a caller releases the turn
			}
		}
	}
	for k, l := range r.throttled {
		if !inHeap[l] {
			say("lane of %v is in the map and not in the heap", k)
		}
	}
	for _, m := range g.members {
		if m.place == queued && (m.lane == nil || !m.lane.members.has(m)) {
			say("member %d is in no lane", m.seq)
		}
	}
	untaken := 0
	for _, m := range g.members {
		if m.place == over {
			untaken++
		}
	}
	if untaken != g.untaken {
		say("untaken %d, counted %d", g.untaken, untaken)
	}
	return bad
}

type chaosNet struct {
	mu     sync.Mutex
	rnd    *rand.Rand
	healed bool
	free   map[string]time.Time
	young  map[*http.Request]time.Time
	most   int
}

func (n *chaosNet) RoundTrip(req *http.Request) (*http.Response, error) {
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

// Whatever happens to a group, its schedule stays consistent, and once the service recovers,
// every operation ends.
func TestScheduleInChaos(t *testing.T) {
	seeds := uint64(8)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			n := &chaosNet{rnd: rand.New(rand.NewPCG(seed, 2)), free: map[string]time.Time{}, young: map[*http.Request]time.Time{}}
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
			problems := map[string]int{}
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
				for _, g := range gs {
					for _, b := range g.group.checkRun() {
						problems[b]++
					}
				}
			}
			require.Empty(t, problems, "seed %d", seed)
			n.mu.Lock()
			n.healed = true
			n.mu.Unlock()
			time.Sleep(40 * time.Hour)
			synctest.Wait()
			for _, g := range gs {
				s := g.Stats()
				require.Zero(t, s.Waiting+s.InFlight, "seed %d: %+v", seed, s)
				for _, b := range g.group.checkRun() {
					t.Error(seed, b)
				}
			}
			cancel()
			wg.Wait()
		})
	}
}
