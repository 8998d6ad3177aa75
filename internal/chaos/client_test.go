package chaos

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A tracker is a transport that records which response bodies are still open.
type tracker struct {
	base *http.Transport

	mu   sync.Mutex
	open map[*trackedBody]string // maps each open body to its request
	all  int
}

type trackedBody struct {
	io.ReadCloser
	t *tracker
}

func newTracker() *tracker {
	return &tracker{
		base: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256},
		open: map[*trackedBody]string{},
	}
}

func (t *tracker) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b := &trackedBody{resp.Body, t}
	t.open[b] = req.Method + " " + req.URL.Path
	t.all++
	resp.Body = b
	return resp, nil
}

func (b *trackedBody) Close() error {
	b.t.mu.Lock()
	delete(b.t.open, b)
	b.t.mu.Unlock()
	return b.ReadCloser.Close()
}

// left returns the requests whose response bodies are still open.
func (t *tracker) left() (requests []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, request := range t.open {
		requests = append(requests, request)
	}
	return requests
}

// gated is the User-Agent of the client with a throttle gate.
const gated = "gated"

// clients returns three clients that share their connections but have different retry policies.
// Only the first client has a throttle gate.
func clients(base http.RoundTripper) []poller.Doer {
	opts := transport.Options{Base: base, MinDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond, UserAgent: gated}
	once := opts
	once.Policy, once.NoThrottleGate, once.UserAgent = transport.IdempotentOnly, true, ""
	return []poller.Doer{
		transport.NewClient(&opts),
		transport.NewClient(&once),
		&http.Client{Transport: base}, // does not retry
	}
}
