package exchange

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// maxStarted is how many exchanges of one kind, reads or writes, may be in progress with a host
	// before others must wait. More would only compete for processors and connections.
	maxStarted = 64

	// slowAfter is how long an exchange waits before it starts anyway. The wait grows by slowAfter
	// for every maxStarted exchanges that were waiting before it.
	slowAfter = 100 * time.Millisecond

	// maxPatience is the longest that an exchange waits, however many are ahead of it.
	maxPatience = 5 * time.Second
)

// A Crowd limits how many pollers send requests to one host at the same time. A poller that waits
// needs neither a connection nor a large stack. Exchanges start in order of arrival, and writes do
// not wait for reads. The zero Crowd is ready to use.
type Crowd struct {
	mu    sync.Mutex
	lines map[lineKey]*line // only lines that are in use
}

type lineKey struct {
	host   string
	isRead bool
}

// CrowdOf returns the Crowd of a RoundTripper made by package transport. That package sets this
// variable, because an exported method of Transport would be part of the module's API.
var CrowdOf func(http.RoundTripper) *Crowd

// Enter waits until an exchange may start or ctx ends. crowded reports whether the exchange had to
// wait. The caller must call leave when the exchange is over.
func (c *Crowd) Enter(ctx context.Context, isRead bool, host string) (crowded bool, leave func()) {
	key := lineKey{LowerASCII(host), isRead}
	l := c.join(key)
	crowded, started := l.enter(ctx)
	return crowded, func() {
		if started {
			l.started.Release(1)
		}
		c.quit(key, l)
	}
}

// join returns the line for a key, with the caller added to its users.
func (c *Crowd) join(key lineKey) *line {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[key]
	if l == nil {
		l = &line{started: semaphore.NewWeighted(maxStarted)}
		if c.lines == nil {
			c.lines = map[lineKey]*line{}
		}
		c.lines[key] = l
	}
	l.users++
	return l
}

// quit undoes join.
func (c *Crowd) quit(key lineKey, l *line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.users--
	if l.users == 0 {
		delete(c.lines, key)
	}
}

// A line is the queue for one host's reads or writes. It has no channel, because synctest bubbles
// that share a client cannot share a channel.
type line struct {
	users   int                 // guarded by Crowd.mu
	started *semaphore.Weighted // counts exchanges in progress, except those that waited too long and started anyway
	waiting atomic.Int32
}

// enter waits until an exchange may start. crowded reports whether the exchange had to wait.
// started reports whether l.started includes the exchange.
func (l *line) enter(ctx context.Context) (crowded, started bool) {
	if l.started.TryAcquire(1) {
		return false, true
	}

	ahead := l.waiting.Add(1) - 1
	defer l.waiting.Add(-1)
	patience := slowAfter * time.Duration(1+ahead/maxStarted)
	ctx, cancel := context.WithTimeout(ctx, min(patience, maxPatience))
	defer cancel()
	err := l.started.Acquire(ctx, 1)
	return true, err == nil
}
