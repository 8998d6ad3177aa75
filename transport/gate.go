package transport

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/failure"
)

// maxClosed bounds how long one 429 closes a gate.
const maxClosed = time.Minute

// gates hold back requests that the service would throttle. A key without a
// gate is open. All methods do nothing on a nil *gates.
type gates struct {
	mu sync.Mutex
	m  map[gateKey]*gate
}

// A gate is closed until a time, and then until a probe has been answered.
type gate struct {
	until   time.Time
	probing bool          // a probe is on its way
	changed chan struct{} // closed, and replaced, when one who waits should look again
}

func newGates() *gates { return &gates{m: map[gateKey]*gate{}} }

func (g *gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// enter waits until key may be asked for, and reports whether the request is
// its probe. held is how long the gate stays closed where that is more than
// limit, or more than fits into ctx: the request is then not to be sent. Every
// enter without held and error is followed by a leave.
func (gs *gates) enter(ctx context.Context, key gateKey, limit time.Duration) (probe bool, held time.Duration, err error) {
	if gs == nil {
		return false, 0, nil
	}
	for {
		left, changed, probe := gs.try(key)
		if changed == nil {
			return probe, 0, nil
		}
		if LongestPause(ctx) == 0 {
			return false, max(left, maxPollPause), nil
		}
		if left > limit || left > 0 && !fits(ctx, left) {
			return false, left, nil
		}
		woken, err := await(ctx, cmp.Or(left, probeWait(ctx)), changed)
		if err != nil {
			return false, 0, err
		}
		if left == 0 && !woken {
			return false, maxPollPause, nil
		}
	}
}

// probeWait is how long to wait for the answer to another request, the probe,
// which nobody can know beforehand; 0 means for as long as it takes.
func probeWait(ctx context.Context) time.Duration {
	if polling(ctx) {
		return maxPollPause
	}
	return 0
}

// try enters if the gate is open or wants a probe; then changed is nil. Else it
// says for how long the gate is closed, 0 where a probe is on its way.
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

// await waits for d, or without limit where d is 0, and reports whether it was
// woken by a change.
func await(ctx context.Context, d time.Duration, changed <-chan struct{}) (woken bool, err error) {
	var after <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-ctx.Done():
		return false, failure.Context(ctx)
	case <-after:
		return false, nil
	case <-changed:
		return true, nil
	}
}

// A closing is what a request that entered tells the gate when it leaves.
type closing struct {
	key      gateKey
	probe    bool
	answered bool
	closes   bool
	pause    time.Duration
}

// see notes an answer. A 429 that names no time closes the gate for unasked.
func (c *closing) see(resp *http.Response, unasked time.Duration) {
	c.answered = true
	if resp.StatusCode != http.StatusTooManyRequests {
		return
	}
	pause, ok := RetryAfter(resp.Header, time.Now())
	if !ok {
		pause = unasked
	}
	c.closes, c.pause = true, min(pause, maxClosed)
}

// leave closes the gate after a 429 and opens it after another answer to the
// probe. A probe without an answer lets the next one try.
func (gs *gates) leave(c closing) {
	if gs == nil {
		return
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.m[c.key]
	if c.closes {
		g = gs.shut(c.key, time.Now().Add(c.pause))
	} else if c.probe && c.answered {
		delete(gs.m, c.key)
	}
	if c.probe {
		g.probing = false
		g.wake()
	}
}

// shut closes the gate of key until then, or later where it already is.
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

// sweep drops the gates that nobody has asked for since they could be opened,
// so that the map holds no more than the keys throttled in the last minutes.
func (gs *gates) sweep() {
	for key, g := range gs.m {
		if !g.probing && time.Since(g.until) > maxClosed {
			delete(gs.m, key)
		}
	}
}
