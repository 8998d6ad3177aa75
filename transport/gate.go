package transport

import (
	"cmp"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/failure"
)

const (
	// maxClosed bounds how long one 429 closes a gate.
	maxClosed = time.Minute

	// heldAtLeast is the shortest pause that the gate's own 429 asks for, so that many
	// requests that are held back do not return all the time.
	heldAtLeast = 5 * time.Second
)

// gates hold back requests that the service would throttle. A key without a gate is open.
// All methods do nothing on a nil *gates.
type gates struct {
	mu sync.Mutex
	m  map[gateKey]*gate
}

// A gate is closed until a time, and then until the response to a probe has arrived.
type gate struct {
	until   time.Time
	probing bool          // a probe is in flight
	changed chan struct{} // closed, and replaced, when waiting requests should check again
}

func newGates() *gates { return &gates{m: map[gateKey]*gate{}} }

// A pass lets one request through a gate.
type pass struct {
	probe    bool
	answered bool
	closes   bool // the response is a 429
	pause    time.Duration
}

// enter waits until the gate lets the request of x through. held is how long the gate
// stays closed if that is longer than the request may wait; the request is then not sent.
// Otherwise leave must follow.
func (gs *gates) enter(x *exchange) (p pass, held time.Duration, err error) {
	if gs == nil || gs.empty() { // the key does not matter
		return pass{}, 0, nil
	}
	key := gateKeyOf(x.req)
	for {
		left, changed, probe := gs.try(key)
		if changed == nil {
			p.probe = probe
			return p, 0, nil
		}
		if x.wishes.LongestPause == 0 {
			return p, max(left, heldAtLeast), nil
		}
		if left > x.t.opts.MaxRetryAfter || left > 0 && !x.fits(left) {
			return p, left, nil
		}
		timer := time.NewTimer(cmp.Or(left, x.wishes.LongestPause)) // nobody knows when the probe ends
		select {
		case <-changed:
		case <-x.req.Context().Done():
			err = failure.Context(x.req.Context())
		case <-timer.C:
			if left == 0 {
				held = heldAtLeast
			}
		}
		if timer.Stop(); err != nil || held > 0 {
			return p, held, err
		}
	}
}

func (gs *gates) empty() bool {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return len(gs.m) == 0
}

// try enters if the gate is open or needs a probe; changed is then nil. Otherwise left is
// how long the gate stays closed, 0 while a probe is in flight.
func (gs *gates) try(key gateKey) (left time.Duration, changed <-chan struct{}, probe bool) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.m[key]
	if g == nil {
		return 0, nil, false
	}
	if left = time.Until(g.until); left > 0 {
		return left, g.changed, false
	}
	if g.probing {
		return 0, g.changed, false
	}
	g.probing = true
	return 0, nil, true
}

// see records the response. A 429 without Retry-After closes the gate for unasked.
func (p *pass) see(resp *http.Response, unasked time.Duration) {
	p.answered, p.closes = true, resp.StatusCode == http.StatusTooManyRequests
	d, ok := askedPause(resp)
	if !ok {
		d = unasked
	}
	p.pause = min(d, maxClosed)
}

// leave closes the gate of req after a 429, and opens it after another response to the
// probe. If no response came, the next request is the probe.
func (gs *gates) leave(req *http.Request, p pass) {
	if gs == nil || !p.probe && !p.closes {
		return
	}
	key := gateKeyOf(req)
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.m[key]
	if p.closes {
		g = gs.shut(key, time.Now().Add(p.pause))
	} else if p.probe && p.answered {
		delete(gs.m, key)
	}
	if p.probe {
		g.probing = false
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

// shut closes the gate of key until then, or later if it already is. It also drops the gates
// that no request has needed since they could be opened.
func (gs *gates) shut(key gateKey, then time.Time) *gate {
	if gs.m[key] == nil {
		for old, g := range gs.m {
			if !g.probing && time.Since(g.until) > maxClosed {
				delete(gs.m, old)
			}
		}
		gs.m[key] = &gate{changed: make(chan struct{})}
	}
	g := gs.m[key]
	if then.After(g.until) {
		g.until = then
	}
	return g
}
