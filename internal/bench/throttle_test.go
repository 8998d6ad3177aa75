package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

var (
	throttleFor       = flag.Duration("throttle", 0, "how long each row of TestThrottle lasts; 0 means a short check without a table")
	throttleProcesses = flag.String("throttle.processes", "1,2,4,8,16", "the numbers of processes in the rows of TestThrottle")
)

// A throttledService limits requests with a token bucket. The bucket gains tokens at the given rate
// per second, and burst is its capacity. If no token is left, the service refuses a request with a
// 429.
type throttledService struct {
	*httptest.Server
	rate, burst float64

	mu       sync.Mutex
	start    time.Time // when the first request arrived
	at       time.Time
	tokens   float64
	answered []int // by process
	refused  int
}

func newThrottledService(tb testing.TB, rate, burst float64, processes int) *throttledService {
	tb.Helper()
	s := &throttledService{rate: rate, burst: burst, tokens: burst, answered: make([]int, processes)}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// ServeHTTP answers a read of an operation that stays in progress. The path ends with the process
// number and the operation number.
func (s *throttledService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	process, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil || process >= len(s.answered) {
		http.NotFound(w, r)
		return
	}
	time.Sleep(latency())
	pause := s.take(process)
	time.Sleep(latency())
	if pause > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(pause))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// latency returns a random one-way network delay of 10 to 110 ms.
func latency() time.Duration {
	return 10*time.Millisecond + time.Duration(rand.IntN(int(100*time.Millisecond)))
}

// take applies the limit to one request from a process. If the request is refused, take returns the
// number of seconds to wait.
func (s *throttledService) take(process int) (pause float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.start.IsZero() {
		s.start = now
		s.at = now
	}
	s.tokens = min(s.tokens+now.Sub(s.at).Seconds()*s.rate, s.burst)
	s.at = now
	if s.tokens < 1 {
		s.refused++
		return math.Ceil((1 - s.tokens) / s.rate)
	}
	s.tokens--
	s.answered[process]++
	return 0
}

// shares holds the figures for one row of TestThrottle's table.
type shares struct {
	answered float64 // answered requests ÷ requests that the limit allows
	refused  float64 // refused requests ÷ answered requests
	share    float64 // answered requests of the process with the fewest ÷ of the process with the most
}

func (s *throttledService) shares() shares {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for _, n := range s.answered {
		sum += n
	}
	possible := s.rate*time.Since(s.start).Seconds() + s.burst
	return shares{
		answered: float64(sum) / possible,
		refused:  float64(s.refused) / float64(sum),
		share:    float64(slices.Min(s.answered)) / float64(slices.Max(s.answered)),
	}
}

// throttledProcess uses one Group to follow operations that never end. It stops after o.Rounds
// seconds.
func throttledProcess(tb testing.TB, o order) figures {
	ctx, cancel := context.WithTimeout(tb.Context(), time.Duration(o.Rounds)*time.Second)
	defer cancel()
	client := transport.NewClient(nil)
	g := poller.NewGroup[*poller.Poller[struct{}]](nil)
	opts := &poller.Options{}
	if o.Rounds < 60 { // a short check
		opts.Cadence.Default = time.Second
	}
	for i := range o.Ops {
		url := fmt.Sprintf("%s/subscriptions/s/providers/P.Q/operations/%d/%d", o.Base, o.Polls, i)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
		must(tb, err)
		resp := &http.Response{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {url}}, Body: http.NoBody, Request: req}
		p, err := poller.New[struct{}](resp, client, opts)
		must(tb, err)
		g.Add(p)
	}
	wrong := 0
	for _, err := range g.Wait(ctx) {
		wait, _ := errors.AsType[*lroerrors.WaitError](err)
		if wait == nil || wait.Reason != lroerrors.ReasonDeadline {
			wrong++
		}
	}
	return figures{"wrong": float64(wrong)}
}

// throttle runs the given number of processes against one limit and returns the figures. Each
// process runs for the duration d.
func throttle(t *testing.T, rate, burst float64, processes, ops int, d time.Duration) shares {
	t.Helper()
	s := newThrottledService(t, rate, burst, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			f := inChild(t, order{Measure: "throttled", Base: s.URL, Ops: ops / processes, Polls: i, Rounds: int(d.Seconds())})
			if f["wrong"] > 0 {
				t.Errorf("%v operations ended, although they stay in progress", f["wrong"])
			}
		})
	}
	wg.Wait()
	return s.shares()
}

// TestThrottle checks that processes that share a service's limit keep following their operations,
// although the service refuses some requests. With -throttle 20m, it measures each row of the table
// for 20 minutes instead.
func TestThrottle(t *testing.T) {
	if *throttleFor == 0 {
		got := throttle(t, 25, 5, 2, 200, 5*time.Second)
		if got.answered == 0 || got.refused == 0 {
			t.Errorf("the service answered none or refused none of the requests: %+v", got)
		}
		return
	}
	var rows []string
	var wg sync.WaitGroup
	for _, limit := range []struct {
		rate, burst float64
		ops         int
	}{{1, 10, 400}, {25, 250, 10_000}} {
		for n := range strings.SplitSeq(*throttleProcesses, ",") {
			processes, err := strconv.Atoi(n)
			must(t, err)
			i := len(rows)
			rows = append(rows, "")
			wg.Go(func() {
				got := throttle(t, limit.rate, limit.burst, processes, limit.ops, *throttleFor)
				rows[i] = fmt.Sprintf("| %v/s | %v | %d | %.3f | %.3f | %.2f |", limit.rate, limit.burst, processes, got.answered, got.refused, got.share)
			})
		}
	}
	wg.Wait()
	t.Logf("each row took %s:\n| limit | burst | processes | answered ÷ possible | refused ÷ answered | smallest ÷ largest share |\n|---|---|---|---|---|---|\n%s",
		*throttleFor, strings.Join(rows, "\n"))
}
