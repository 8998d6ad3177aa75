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
	// maxStarted limits how many exchanges of a crowd are in progress with one host, unless they are
	// slow. More of them at once would only share the same processors and connections.
	maxStarted = 64

	// slowAfter is the time in which maxStarted exchanges start, at least, even if the host is slow
	// or silent.
	slowAfter = 100 * time.Millisecond

	// maxPatience is how long an exchange waits at most, however many are ahead of it.
	maxPatience = 5 * time.Second
)

// A Crowd makes pollers wait that send requests at the same time, before each of them needs a
// connection, timers and a deep stack. Exchanges with one host start in the order in which they
// came, and writes do not wait behind reads. The zero Crowd is ready for use.
type Crowd struct {
	mu    sync.Mutex
	lines map[lineKey]*line // only those that an exchange uses
}

type lineKey struct {
	host   string
	isRead bool
}

// CrowdOf returns the Crowd of a transport of package transport. That package sets this variable,
// because a method of the transport would be public.
var CrowdOf func(http.RoundTripper) *Crowd

// Enter waits until an exchange may start, or until ctx ends. It reports whether there is a crowd.
// The caller must call leave when the exchange is over.
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

// join returns the line with a key, and counts one more user of it.
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

// A line is the queue of a crowd for one host. It has no channel of its own: a client may be shared by
// several synctest bubbles, and a channel belongs to the bubble that made it.
type line struct {
	users   int                 // guarded by the Crowd
	started *semaphore.Weighted // counts the exchanges in progress that have not waited too long
	waiting atomic.Int32
}

// enter waits until an exchange may start, and reports whether it counts among those that started.
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
