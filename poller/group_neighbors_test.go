package poller_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

var neighborSizes = flag.String("neighbors", neighbors, "sizes of the groups of TestNeighbors, which prints a table with -v")

// A neighborhood is a service with healthy operations and with faulty ones, their neighbors, which
// respond slowly, with a 429 or not at all. The neighbors must not delay the healthy operations.
type neighborhood struct {
	kind    string // how the neighbors behave, such as "silent"
	origins int    // how many origins the neighbors have; 0 if they share the healthy operations' origin
	reads   int    // how many reads a healthy operation gets, including the one that shows its end

	mu       sync.Mutex
	due      map[string]time.Time // when the next read of each healthy operation is due
	count    map[string]int       // how many times each operation has been read
	free     time.Time            // when the throttled subscription accepts the next request
	requests int
	open     int // requests whose response is not complete yet
	most     int // the largest number of such requests at the same time
	worst    time.Duration
	first    time.Duration // the longest delay of a healthy operation's first read
}

func (n *neighborhood) RoundTrip(req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	path := req.URL.Path
	answer := func(code int, body io.ReadCloser, header ...string) *http.Response {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, ProtoMajor: 2, Header: h, Body: body, ContentLength: -1, Request: req}
	}
	text := func(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
	if req.Method == http.MethodPost {
		n.due[path] = time.Now().Add(10 * time.Second)
		return answer(202, text(""), "Location", path, "Retry-After", "10"), nil
	}
	n.count[path]++
	if strings.Contains(path, "/healthy/") {
		late := time.Since(n.due[path])
		if n.count[path] == 1 {
			n.first = max(n.first, late)
		} else {
			n.worst = max(n.worst, late)
		}
		n.due[path] = time.Now().Add(10 * time.Second)
		if n.count[path] < n.reads {
			return answer(202, text(""), "Retry-After", "10"), nil
		}
		return answer(200, text("1")), nil
	}
	n.open++
	n.most = max(n.most, n.open)
	done := func() { n.mu.Lock(); n.open--; n.mu.Unlock() }
	switch n.kind {
	case "throttled":
		n.open--
		if time.Now().Before(n.free) {
			return answer(429, text(""), "Retry-After", "5"), nil
		}
		n.free = time.Now().Add(5 * time.Second)
		return answer(200, text("1")), nil
	case "trickling", "falling silent":
		if n.kind == "falling silent" && n.count[path] <= 3 {
			n.open--
			return answer(202, text(""), "Retry-After", "10"), nil
		}
		if n.kind == "trickling" {
			return answer(200, &trickle{req.Context(), done}), nil
		}
	}
	n.mu.Unlock()
	<-req.Context().Done()
	done()
	n.mu.Lock()
	return nil, context.Cause(req.Context())
}

// A trickle is a response body that returns a space every second.
type trickle struct {
	ctx  context.Context
	done func()
}

func (b *trickle) Read(p []byte) (int, error) {
	select {
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	case <-time.After(time.Second):
		return copy(p, " "), nil
	}
}

func (b *trickle) Close() error { b.done(); return nil }

// live follows the given number of operations in one group, twenty of them healthy, until the
// healthy and the throttled ones have ended. It returns a line for each unexpected outcome.
func (n *neighborhood) live(t *testing.T, operations int) (wrong []string) {
	n.due, n.count = map[string]time.Time{}, map[string]int{}
	client := &http.Client{Transport: transport.New(&transport.Options{Base: n})}
	g := poller.NewGroup[named](nil)
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	healthy := 20
	for i := range operations {
		host, path := "https://a.test", fmt.Sprintf("/subscriptions/s/providers/P.Q/%d", i)
		if i*20/operations == (i+1)*20/operations { // a neighbor
			if n.origins > 0 {
				host = fmt.Sprintf("https://b%d.test", i%n.origins)
			}
		} else {
			path = fmt.Sprintf("/subscriptions/healthy/providers/P.Q/%d", i)
			path = strings.Replace(path, "healthy/", "h/healthy/", 1)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, host+path, http.NoBody)
		require.NoError(t, err)
		p, err := poller.Begin[raw](req, client, nil)
		require.NoError(t, err)
		g.Add(named{p, path})
	}
	for op, err := range g.Wait(ctx) {
		switch isHealthy := strings.Contains(op.name, "/healthy/"); {
		case isHealthy && err == nil:
			if healthy--; healthy == 0 && n.kind != "throttled" {
				return wrong
			}
		case n.kind == "throttled" && err == nil:
		case isHealthy || n.kind == "throttled" || waitReason(err) != lroerrors.ReasonPatience:
			wrong = append(wrong, fmt.Sprint(op.name, ": ", err))
		}
		if g.Stats().Waiting+g.Stats().InFlight == 0 {
			g.Close()
		}
	}
	require.Equal(t, n.requests-operations, g.Stats().Polls, "Stats must count only polls that were sent")
	for path, reads := range n.count {
		if !strings.Contains(path, "/healthy/") {
			require.LessOrEqual(t, reads, 5, "a throttled read must keep its place in the queue")
		}
	}
	return wrong
}

func waitReason(err error) lroerrors.Reason {
	if wait, ok := err.(*lroerrors.WaitError); ok { //nolint:errorlint // only the outermost error matters
		return wait.Reason
	}
	return ""
}

// A group reads healthy operations nearly on time despite their neighbors, and each throttled
// operation gets its turn.
func TestNeighbors(t *testing.T) {
	t.Parallel()
	t.Log("operations  neighbors      origins  first read  worst lateness  requests  connections  wrong endings")
	for _, kind := range []string{"silent", "trickling", "falling silent", "throttled"} {
		for _, origins := range []int{0, 7} {
			if kind == "throttled" && origins > 0 {
				continue
			}
			for size := range strings.SplitSeq(*neighborSizes, ",") {
				operations, err := strconv.Atoi(size)
				require.NoError(t, err)
				synctest.Test(t, func(t *testing.T) {
					n := &neighborhood{kind: kind, origins: origins, reads: 60}
					wrong := n.live(t, operations)
					t.Logf("%10d  %-14s  %7d  %10s  %14s  %8d  %11d  %13d", operations, kind, max(origins, 1),
						n.first.Round(time.Millisecond), n.worst.Round(time.Millisecond), n.requests, n.most, len(wrong))
					require.Empty(t, wrong[:min(len(wrong), 3)])
					require.LessOrEqual(t, n.most, 1024)
					if operations <= 660 {
						require.LessOrEqual(t, n.worst, 15*time.Second)
					} else if kind != "falling silent" { // no limit for "falling silent", because a large group is slow to notice the silent neighbors
						require.LessOrEqual(t, n.worst, 30*time.Second)
					}
				})
			}
		}
	}
}
