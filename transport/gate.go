package transport

import (
	"cmp"
	"context"
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
	key      gateKey
	probe    bool
	answered bool
	closes   bool // the response is a 429
	pause    time.Duration
}

// enter waits until the gate lets the request of x through. held is how long the gate
// stays closed if that is longer than the request may wait; the request is then not sent.
// Otherwise leave must follow.
func (gs *gates) enter(x *exchange) (p pass, held time.Duration, err error) {
	if gs == nil {
		return pass{}, 0, nil
	}
	p.key = gateKeyOf(x.req)
	for {
		left, changed, probe := gs.try(p.key)
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
		// Nobody knows when the response to the probe will arrive.
		woken, err := await(x.req.Context(), cmp.Or(left, x.wishes.LongestPause), changed)
		if err != nil {
			return p, 0, err
		}
		if left == 0 && !woken {
			return p, heldAtLeast, nil
		}
	}
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

// await waits for d, and reports whether a change woke it.
func await(ctx context.Context, d time.Duration, changed <-chan struct{}) (woken bool, err error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, failure.Context(ctx)
	case <-timer.C:
		return false, nil
	case <-changed:
		return true, nil
	}
}

// see records the response. A 429 without Retry-After closes the gate for unasked.
func (p *pass) see(resp *http.Response, unasked time.Duration) {
	p.answered = true
	if resp.StatusCode != http.StatusTooManyRequests {
		return
	}
	d, ok := askedPause(resp)
	if !ok {
		d = unasked
	}
	p.closes, p.pause = true, min(d, maxClosed)
}

// leave closes the gate after a 429, and opens it after another response to the probe. If
// no response came, the next request is the probe.
func (gs *gates) leave(p pass) {
	if gs == nil {
		return
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.m[p.key]
	if p.closes {
		g = gs.shut(p.key, time.Now().Add(p.pause))
	} else if p.probe && p.answered {
		delete(gs.m, p.key)
	}
	if p.probe {
		g.probing = false
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

// shut closes the gate of key until then, or later if it already is.
func (gs *gates) shut(key gateKey, then time.Time) *gate {
	g := gs.m[key]
	if g == nil {
		gs.sweep()
		g = &gate{changed: make(chan struct{})}
		gs.m[key] = g
	}
	if then.After(g.until) {
		g.until = then
	}
	return g
}

// sweep drops the gates that no request has needed since they could be opened, so that the
// map holds only the keys throttled in the last minutes.
func (gs *gates) sweep() {
	for key, g := range gs.m {
		if !g.probing && time.Since(g.until) > maxClosed {
			delete(gs.m, key)
		}
	}
}
