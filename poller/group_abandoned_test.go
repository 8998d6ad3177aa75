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

// A scriptedNet is an in-memory service. It maps the first element of a path to a function that
// responds to read number n of that path.
type scriptedNet struct {
	mu     sync.Mutex
	answer map[string]func(req *http.Request, n int) (code int, body string, header []string, takes time.Duration)
	count  map[string]int
}

func newScriptedNet() *scriptedNet {
	return &scriptedNet{
		answer: map[string]func(*http.Request, int) (int, string, []string, time.Duration){},
		count:  map[string]int{},
	}
}

func (n *scriptedNet) RoundTrip(req *http.Request) (*http.Response, error) {
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
	f := n.answer[kind]
	n.mu.Unlock()
	code, body, header, takes := f(req, i)
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		}
	}
	return reply(code, body, header...), nil
}

func (n *scriptedNet) client() *http.Client {
	return &http.Client{Transport: transport.New(&transport.Options{Base: n})}
}

func neverAnswers(*http.Request, int) (int, string, []string, time.Duration) {
	return 200, "1", nil, 1000 * time.Hour
}

func (n *scriptedNet) begin(t *testing.T, client poller.Doer, path string, opts *poller.Options) named {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), "POST", "https://a.test"+path+"?after=10", http.NoBody)
	require.NoError(t, err)
	p, err := poller.Begin[raw](req, client, opts)
	require.NoError(t, err)
	return named{p, path}
}

// When a group abandons a slow read to free the connection for other reads, it keeps waiting for
// the operation, even if a single failed read would exhaust the operation's Patience.
func TestAbandonedReadDoesNotEndWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newScriptedNet()
		n.answer["silent"] = neverAnswers
		n.answer["slow"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) {
			return 200, "1", nil, 12 * time.Second
		}
		client, g := n.client(), poller.NewGroup[named](nil)
		slow := n.begin(t, client, "/slow/1", &poller.Options{Patience: poller.Patience{Time: -1}})
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
	// Without a group, PollUntilDone waits for the slow response.
	synctest.Test(t, func(t *testing.T) {
		n := newScriptedNet()
		n.answer["slow"] = func(_ *http.Request, i int) (int, string, []string, time.Duration) {
			return 200, "1", nil, 12 * time.Second
		}
		_, err := n.begin(t, n.client(), "/slow/1", &poller.Options{Patience: poller.Patience{Time: -1}}).PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// GroupStats.Polls counts only reads that were sent, not those held back by the throttle gate.
func TestStatsCountSentReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newScriptedNet()
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
