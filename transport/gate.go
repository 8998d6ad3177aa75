package transport

import (
	"bufio"
	"container/list"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/throttle"
)

// heldAtLeast is the shortest pause that the gate's own 429 asks for, so that many
// requests that are held back do not return all the time.
const heldAtLeast = 5 * time.Second

// gates hold back requests that the service would throttle. A key without a gate is open.
// All methods do nothing on a nil *gates.
type gates struct {
	mu      sync.Mutex
	m       map[throttle.Key]*gate
	shut    *list.List // of *gate, in the order in which they were last closed
	refused int        // probes that were answered 429
}

// A gate is closed until a time, and then until the response to a probe has arrived.
type gate struct {
	key     throttle.Key
	until   time.Time
	probing bool          // a probe is in flight
	refused int           // gates.refused when its last probe was; 0: none was
	asked   time.Time     // the end of the pause that this probe was asked for
	changed chan struct{} // closed, and replaced, when waiting requests should check again
	place   *list.Element
}

func newGates() *gates { return &gates{m: map[throttle.Key]*gate{}, shut: list.New()} }

// A pass lets one request through a gate.
type pass struct {
	key      throttle.Key
	probe    bool
	answered bool
	closes   bool // the response is a 429
	pause    time.Duration
}

// A refusal says that a gate did not let a request through, which is therefore not sent.
type refusal struct {
	pause  time.Duration // to wait before trying again
	shared bool          // a probe was refused while the request waited for it, which counts as one of its attempts
}

// enter waits until the gate lets the request of x through. It waits no longer in all than
// the pauses before the retries of x could take, or before one if x has none. If a probe has been refused since x last
// looked, x shares that refusal. Without a refusal and an error, leave must follow.
func (gs *gates) enter(x *exchange) (pass, *refusal, error) {
	if gs == nil || gs.empty() { // the key does not matter
		return pass{}, nil, nil
	}
	key := throttle.KeyOf(x.req.Method, x.req.URL)
	for {
		g, p := gs.try(key, x)
		left := time.Until(g.until)
		switch {
		case g.changed == nil:
			return p, nil, nil
		case x.wishes.LongestPause == 0:
			return p, &refusal{max(left, heldAtLeast), false}, nil
		case g.refused > x.refused && time.Now().Before(g.asked):
			x.refused = g.refused
			return p, &refusal{time.Until(g.asked), true}, nil
		case left > 0 && (left > x.t.opts.MaxRetryAfter || !x.fits(left) || left > x.patience()):
			return p, &refusal{left, false}, nil
		}
		longest := left
		if left <= 0 { // the probe may take any time
			longest = min(x.wishes.LongestPause, x.patience())
		}
		if changed, err := x.wait(longest, g.changed); err != nil {
			return p, nil, err
		} else if left <= 0 && !changed {
			return p, &refusal{heldAtLeast, false}, nil
		}
	}
}

// patience returns how much longer x may wait at the gate.
func (x *exchange) patience() time.Duration {
	most, retries := x.t.opts.MaxRetryAfter, time.Duration(max(x.t.opts.Retries, 1))
	return min(most, math.MaxInt64/retries)*retries - x.waited
}

// wait waits for d, but at most until the gate changes, which it reports.
func (x *exchange) wait(d time.Duration, gate <-chan struct{}) (changed bool, err error) {
	began := time.Now()
	timer := time.NewTimer(d)
	select {
	case <-gate:
		changed = true
	case <-timer.C:
	case <-x.req.Context().Done():
		err = failure.Context(x.req.Context())
	}
	timer.Stop()
	x.waited += time.Since(began)
	return changed, err
}

func (gs *gates) empty() bool {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return len(gs.m) == 0
}

// try enters if the gate is open or needs a probe; the copy of the gate then has no
// changed. Otherwise the gate is closed, or a probe is in flight.
func (gs *gates) try(key throttle.Key, x *exchange) (gate, pass) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if x.refused < 0 {
		x.refused = gs.refused // earlier refusals do not matter
	}
	p := pass{key: key}
	g := gs.m[key]
	if g == nil {
		return gate{}, p
	}
	if g.probing || time.Now().Before(g.until) {
		return *g, p
	}
	g.probing, p.probe = true, true
	return gate{}, p
}

// see records the response. A 429 without Retry-After closes the gate for unasked.
func (p *pass) see(resp *http.Response, unasked time.Duration) {
	p.answered, p.closes = true, resp.StatusCode == http.StatusTooManyRequests
	d, ok := askedPause(resp)
	if !ok {
		d = unasked
	}
	p.pause = d
}

// leave closes the gate after a 429, and opens it after another response to the probe, unless
// a later 429 has closed it for longer. If no response came, the next request is the probe.
func (gs *gates) leave(x *exchange, p pass) {
	if gs == nil || !p.probe && !p.closes {
		return
	}
	if p.key == (throttle.Key{}) { // no gate was closed when the request was sent
		p.key = throttle.KeyOf(x.req.Method, x.req.URL)
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	defer func() { x.refused = gs.refused }()
	now := time.Now()
	if p.closes {
		gs.close(p.key, now.Add(min(p.pause, throttle.MaxClosed)))
	}
	if !p.probe {
		return
	}
	g := gs.m[p.key]
	if g.probing = false; p.closes {
		gs.refused++
		g.refused, g.asked = gs.refused, now.Add(p.pause)
	} else if p.answered && !now.Before(g.until) {
		gs.forget(g)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// close closes the gate of key until then, or later if it already is.
func (gs *gates) close(key throttle.Key, then time.Time) {
	g := gs.m[key]
	if g == nil {
		g = &gate{key: key, changed: make(chan struct{})}
		gs.m[key], g.place = g, gs.shut.PushBack(g)
	}
	gs.shut.MoveToBack(g.place)
	if then.After(g.until) {
		g.until = then
	}
	// Two at a time, so that the number of gates shrinks at a constant cost.
	for range 2 {
		switch old := gs.shut.Front().Value.(*gate); {
		case time.Since(old.until) <= throttle.MaxClosed:
			return
		case old.probing:
			gs.shut.MoveToBack(old.place)
		default:
			gs.forget(old)
		}
	}
}

// forget removes a gate that no request needs.
func (gs *gates) forget(g *gate) {
	delete(gs.m, g.key)
	gs.shut.Remove(g.place)
}

// heldResponse returns the response to a request that the gate does not let through. Its
// body is an OData v4 error (ARM, "Error Response Content") with a code of its own, so that
// callers can distinguish it from the service's.
func heldResponse(req *http.Request, held time.Duration) *http.Response {
	seconds := int64(math.Ceil(held.Seconds()))
	body := fmt.Sprintf(`{"error":{"code":"ClientThrottleGate","message":"not sent: the service throttled requests `+
		`like this one, so this client holds them back for %d s"}}`, seconds)
	text := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: %d\r\n"+
		"Content-Length: %d\r\n\r\n%s", seconds, len(body), body)
	resp, _ := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), req) // always valid
	return resp
}
