package poller_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A laneNet is a network without connections. The map answer holds the functions that respond to
// requests, by the first element of the path, such as "silent" or "fast".
type laneNet struct {
	mu     sync.Mutex
	answer map[string]func(req *http.Request, n int) (code int, body string, header []string, takes time.Duration)
	count  map[string]int
	at     map[string][]time.Duration
	start  time.Time
	open   int
	most   int
	deaf   bool // whether requests continue after their contexts have ended
	free   chan struct{}
}

func newLaneNet() *laneNet {
	return &laneNet{
		answer: map[string]func(*http.Request, int) (int, string, []string, time.Duration){},
		count:  map[string]int{}, at: map[string][]time.Duration{}, start: time.Now(), free: make(chan struct{}),
	}
}

func (n *laneNet) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := func(code int, body string, header ...string) *http.Response {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, ProtoMajor: 2, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}
	}
	path := req.URL.Path
	if req.Method == http.MethodPost || req.Method == http.MethodDelete {
		return reply(202, "", "Location", path, "Retry-After", req.URL.Query().Get("after")), nil
	}
	kind := strings.Split(path, "/")[1]
	n.mu.Lock()
	n.count[path]++
	i := n.count[path]
	n.at[path] = append(n.at[path], time.Since(n.start))
	f := n.answer[kind]
	n.open++
	n.most = max(n.most, n.open)
	n.mu.Unlock()
	defer func() { n.mu.Lock(); n.open--; n.mu.Unlock() }()
	code, body, header, takes := f(req, i)
	if takes > 0 {
		done := req.Context().Done()
		if n.deaf {
			done = n.free
		}
		select {
		case <-time.After(takes):
		case <-done:
			return nil, context.Cause(req.Context())
		}
	}
	return reply(code, body, header...), nil
}

func (n *laneNet) times(path string) []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]time.Duration(nil), n.at[path]...)
}

func (n *laneNet) client() *http.Client {
	return &http.Client{Transport: transport.New(&transport.Options{Base: n})}
}

func silentKind(*http.Request, int) (int, string, []string, time.Duration) {
	return 200, "1", nil, 1000 * time.Hour
}

func (n *laneNet) begin(t *testing.T, client poller.Doer, path string, opts *poller.Options) named {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), "POST", "https://a.test"+path+"?after=10", http.NoBody)
	require.NoError(t, err)
	p, err := poller.Begin[raw](req, client, opts)
	require.NoError(t, err)
	return named{p, path}
}

// After a WakeUp, and after an operation has been added, a group reads that operation soon, even
// while the slow lane is blocked.
func TestWakeUpWhileSlowLaneIsBlocked(t *testing.T) {
	for _, joins := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			n := newLaneNet()
			n.answer["silent"] = silentKind
			n.answer["fast"] = func(*http.Request, int) (int, string, []string, time.Duration) {
				return 202, "", []string{"Retry-After", "600"}, 0
			}
			client, g := n.client(), poller.NewGroup[named](nil)
			for i := range 640 {
				g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/", i), &poller.Options{Cadence: poller.Cadence{Max: 10 * time.Second}}))
			}
			fast := n.begin(t, client, "/fast/1", nil)
			g.Add(fast)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_ = wait(ctx, g)
			}()
			var late []time.Duration
			for i := range 12 {
				time.Sleep(37 * time.Second)
				if i < 3 {
					continue // the schedule is not stable yet
				}
				path, asked := "/fast/1", time.Since(n.start)
				if joins {
					path = fmt.Sprint("/fast/n", i)
					g.Add(n.begin(t, client, path, nil))
					asked += 10 * time.Second
				} else {
					fast.WakeUp()
				}
				time.Sleep(33 * time.Second)
				for _, at := range n.times(path) {
					if at >= asked {
						late = append(late, (at - asked).Round(time.Second))
						break
					}
				}
			}
			cancel()
			synctest.Wait()
			for _, l := range late {
				require.LessOrEqual(t, l, 15*time.Second)
			}
		})
	}
}

// A throttled subscription makes progress while the slow lane is blocked.
func TestThrottledLaneWhileSlowLaneIsBlocked(t *testing.T) {
	var late []int
	for silent, inFlight := range map[int]int{0: 0, 640: 16, 641: 0, 2000: 0} {
		synctest.Test(t, func(t *testing.T) {
			n := newLaneNet()
			n.answer["silent"] = silentKind
			var free time.Time
			n.answer["thr"] = func(*http.Request, int) (int, string, []string, time.Duration) {
				n.mu.Lock()
				defer n.mu.Unlock()
				if time.Now().Before(free) {
					return 429, "", []string{"Retry-After", "5"}, 0
				}
				free = time.Now().Add(5 * time.Second)
				return 200, "1", nil, 0
			}
			client, g := n.client(), poller.NewGroup[named](&poller.GroupOptions{InFlight: inFlight})
			for i := range silent {
				g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/subscriptions/s/", i), patient))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
			defer cancel()
			go func() {
				time.Sleep(2 * time.Hour)
				for i := range 100 {
					g.Add(n.begin(t, client, fmt.Sprint("/thr/subscriptions/t/", i), nil))
				}
			}()
			left := 100
			for op, err := range g.Wait(ctx) {
				if strings.HasPrefix(op.name, "/thr") && err == nil {
					if left--; left == 0 {
						break
					}
				}
			}
			if left != 0 || time.Since(n.start)-2*time.Hour > 40*time.Minute {
				late = append(late, silent)
			}
		})
	}
	require.Empty(t, late)
}

// At most InFlight results wait for the loop, in addition to the results of reads that had already
// given up their places.
func TestUntakenResultsAreBounded(t *testing.T) {
	for inFlight, takes := range map[int]time.Duration{4: 11 * time.Second, 0: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			n := newLaneNet()
			n.answer["op"] = func(*http.Request, int) (int, string, []string, time.Duration) { return 200, "1", nil, takes }
			client, g := n.client(), poller.NewGroup[named](&poller.GroupOptions{InFlight: inFlight, Spread: -1})
			for i := range 1000 {
				g.Add(n.begin(t, client, fmt.Sprint("/op/", i), nil))
			}
			g.Close()
			yielded, most := 0, 0
			for _, err := range g.Wait(t.Context()) {
				require.NoError(t, err)
				if yielded++; yielded == 1 {
					time.Sleep(10 * time.Minute)
				}
				most = max(most, g.Stats().Ended-yielded)
			}
			limit := inFlight
			if limit == 0 {
				limit = 64
			}
			require.LessOrEqual(t, most, 9*limit)
		})
	}
}

// If a group abandons a read so that other reads can use the connection, the wait for the operation
// does not end, even with Patience{Failures: 1} and responses that take twelve seconds.
func TestAbandonedReadDoesNotEndWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLaneNet()
		n.answer["silent"] = silentKind
		n.answer["slow"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) {
			return 200, "1", nil, 12 * time.Second
		}
		client, g := n.client(), poller.NewGroup[named](nil)
		slow := n.begin(t, client, "/slow/1", &poller.Options{Patience: poller.Patience{Failures: 1}})
		for i := range 2000 {
			g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/", i), nil))
			if i == 600 {
				g.Add(slow)
			}
		}
		for op, err := range g.Wait(t.Context()) {
			if op.name == "/slow/1" {
				require.NoError(t, err)
				break
			}
		}
	})
	// Without a group, such a slow response does not end the wait either.
	synctest.Test(t, func(t *testing.T) {
		n := newLaneNet()
		n.answer["slow"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) {
			return 200, "1", nil, 12 * time.Second
		}
		_, err := n.begin(t, n.client(), "/slow/1", &poller.Options{Patience: poller.Patience{Failures: 1}}).PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// Even if the Doer ignores contexts, a group has at most 1,024 reads in flight.
func TestDoerIgnoringContextIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLaneNet()
		n.deaf = true
		n.answer["silent"] = silentKind
		g := poller.NewGroup[named](nil)
		for i := range 4000 {
			g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/", i), nil))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		time.AfterFunc(time.Hour, func() { close(n.free) })
		for _, err := range g.Wait(ctx) { //nolint:revive // only waits
			_ = err
			break
		}
		require.LessOrEqual(t, n.most, 1024)
	})
}

// One response that takes eleven seconds does not make a healthy operation queue behind all
// silent operations.
func TestOneSlowResponseDoesNotDemote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLaneNet()
		n.answer["silent"] = silentKind
		n.answer["ok"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) {
			if i == 30 {
				return 202, "", []string{"Retry-After", "10"}, 11 * time.Second
			}
			if i == 60 {
				return 200, "1", nil, 0
			}
			return 202, "", []string{"Retry-After", "10"}, 0
		}
		client, g := n.client(), poller.NewGroup[named](nil)
		for i := range 640 {
			g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/", i), nil))
		}
		for i := range 20 {
			g.Add(n.begin(t, client, fmt.Sprint("/ok/", i), nil))
		}
		left := 20
		for op, err := range g.Wait(t.Context()) {
			_ = err
			if strings.HasPrefix(op.name, "/ok") {
				if left--; left == 0 {
					break
				}
			}
		}
		worst := time.Duration(0)
		for i := range 20 {
			at := n.times(fmt.Sprint("/ok/", i))
			for j := 2; j < len(at); j++ {
				worst = max(worst, at[j]-at[j-1]-10*time.Second)
			}
		}
		require.LessOrEqual(t, worst, 26*time.Second)
	})
}

// GroupStats.Polls does not include reads that were never sent.
func TestStatsCountSentReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLaneNet()
		var free time.Time
		n.answer["thr"] = func(*http.Request, int) (int, string, []string, time.Duration) {
			n.mu.Lock()
			defer n.mu.Unlock()
			if time.Now().Before(free) {
				return 429, "", []string{"Retry-After", "5"}, 0
			}
			free = time.Now().Add(5 * time.Second)
			return 200, "1", nil, 0
		}
		client, g := n.client(), poller.NewGroup[named](nil)
		for i := range 600 {
			g.Add(n.begin(t, client, fmt.Sprint("/thr/subscriptions/t/", i), nil))
		}
		g.Close()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		sent := 0
		for _, c := range n.count {
			sent += c
		}
		require.Equal(t, sent, g.Stats().Polls)
	})
}

// patient tolerates failed reads for so long that a group keeps reading the operation throughout a
// test.
var patient = &poller.Options{Patience: poller.Patience{Time: 240 * time.Hour, Failures: 5}}

// If a healthy operation joins a group in which 640 operations are silent, the group reads it
// within a minute, even with an explicit InFlight.
func TestJoinWithExplicitInFlight(t *testing.T) {
	for _, inFlight := range []int{0, 16, 64} {
		t.Run(fmt.Sprint(inFlight), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLaneNet()
				n.answer["silent"] = silentKind
				n.answer["ok"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) { return 200, "1", nil, 0 }
				g := poller.NewGroup[named](&poller.GroupOptions{InFlight: inFlight})
				for i := range 640 {
					g.Add(n.begin(t, &http.Client{Transport: n}, fmt.Sprint("/silent/", i), patient))
				}
				go func() {
					time.Sleep(time.Hour)
					g.Add(n.begin(t, n.client(), "/ok/1", nil))
				}()
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				for op, err := range g.Wait(ctx) {
					if op.name == "/ok/1" {
						require.NoError(t, err)
						break
					}
				}
				took := time.Since(n.start) - time.Hour
				require.LessOrEqual(t, took, time.Minute)
			})
		})
	}
}
