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
)

// A Crowd makes pollers wait that send requests at the same time, before each of them needs a
// connection, timers and a deep stack. Exchanges with one host start in the order in which they
// came, and writes do not wait behind reads. The zero Crowd is ready for use.
type Crowd struct {
	reads, writes sync.Map // maps a host to a *line
}

// CrowdOf returns the Crowd of a transport of package transport. That package sets this variable,
// because a method of the transport would be public.
var CrowdOf func(http.RoundTripper) *Crowd

// Enter waits until an exchange may start, or until ctx ends. It reports whether there is a crowd.
// The caller must call leave when the exchange is over.
func (c *Crowd) Enter(ctx context.Context, isRead bool, host string) (crowded bool, leave func()) {
	lines := &c.writes
	if isRead {
		lines = &c.reads
	}
	v, known := lines.Load(host)
	if !known {
		v, _ = lines.LoadOrStore(host, &line{started: semaphore.NewWeighted(maxStarted)})
	}
	return v.(*line).enter(ctx)
}

// A line is the queue of a crowd for one host. It has no channel of its own: a client may be shared by
// several synctest bubbles, and a channel belongs to the bubble that made it.
type line struct {
	started *semaphore.Weighted // counts the exchanges in progress that have not waited too long
	waiting atomic.Int32
}

func (l *line) enter(ctx context.Context) (crowded bool, leave func()) {
	if l.started.TryAcquire(1) {
		return false, l.leave
	}

	ahead := l.waiting.Add(1) - 1
	defer l.waiting.Add(-1)
	patience := slowAfter * time.Duration(1+ahead/maxStarted)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.started.Acquire(ctx, 1)
	if err != nil {
		return true, func() {}
	}
	return true, l.leave
}

func (l *line) leave() { l.started.Release(1) }
