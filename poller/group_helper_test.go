package poller_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// fleet returns a service with the operations in ops, which maps each name to the responses to that
// operation's reads, in order.
func fleet(ops map[string][]reply) *service {
	replies := map[string][]reply{}
	for name, list := range ops {
		replies["POST /"+name] = []reply{"202\nLocation: /op/" + name}
		replies[get("/op/"+name)] = list
	}
	return serve(replies)
}

type named struct {
	*poller.Poller[raw]
	name string
}

// follow starts the operation with the given name.
func follow(t *testing.T, s http.Handler, name string, opts *poller.Options) named {
	t.Helper()
	return followWith(t, clientOf(s), name, opts)
}

func followWith(t *testing.T, client poller.Doer, name string, opts *poller.Options) named {
	t.Helper()
	p, err := poller.Begin[raw](newRequest(t, "POST", "/"+name), client, opts)
	require.NoError(t, err)
	return named{p, name}
}

// groupOf returns a closed group that contains the given operations.
func groupOf[O poller.Operation](opts *poller.GroupOptions, ops ...O) *poller.Group[O] {
	g := poller.NewGroup[O](opts)
	for _, op := range ops {
		g.Add(op)
	}
	g.Close()
	return g
}

// An end records which operation a group yielded, when, and with which error.
type end struct {
	name string
	at   time.Duration
	err  error
}

// wait ranges over g.Wait and returns everything that it yields.
func wait(ctx context.Context, g *poller.Group[named]) (ends []end) {
	start := time.Now()
	for op, err := range g.Wait(ctx) {
		ends = append(ends, end{op.name, time.Since(start), err})
	}
	return ends
}

// endsOf formats each end with its name, time and error type, if any, as in "a 1m0s".
func endsOf(ends []end) (list []string) {
	for _, e := range ends {
		line := fmt.Sprintf("%s %s", e.name, e.at)
		if e.err != nil {
			line += fmt.Sprintf(" %T", e.err)
		}
		list = append(list, line)
	}
	return list
}

// A counter is a client that counts requests, requests in flight and unclosed bodies.
type counter struct {
	http.RoundTripper
	mu                  sync.Mutex
	now, most, requests int
	open                int
}

func counting(h http.Handler) *counter {
	return &counter{RoundTripper: clientOf(h).Transport}
}

func (c *counter) Do(req *http.Request) (*http.Response, error) {
	c.add(&c.now, 1)
	defer c.add(&c.now, -1)
	resp, err := c.RoundTrip(req)
	if resp != nil {
		c.add(&c.open, 1)
		resp.Body = &closing{ReadCloser: resp.Body, closed: sync.OnceFunc(func() { c.add(&c.open, -1) })}
	}
	return resp, err
}

func (c *counter) underWay() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *counter) add(to *int, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *to += n; to == &c.now && n > 0 {
		c.requests++
		c.most = max(c.most, c.now)
	}
}

type closing struct {
	io.ReadCloser
	closed func()
}

func (b *closing) Close() error {
	b.closed()
	return b.ReadCloser.Close()
}

func sortedNames(ends []end) (names []string) {
	for _, e := range ends {
		names = append(names, e.name)
	}
	slices.Sort(names)
	return names
}
