package transport

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// heldAtLeast is the shortest pause that the gate's own 429 asks for. Without it, many callers
// might keep returning to a closed gate.
const heldAtLeast = 5 * time.Second

// gates hold back requests that the service would throttle. Requests with a key that has no gate
// are not held back. All methods are no-ops on a nil *gates.
type gates struct {
	mu      sync.Mutex
	m       map[exchange.ThrottleKey]*gate
	sweep   int // when there are this many gates, close removes those that no request needs
	refused int // the number of probes that got a 429
}

// A gate stays closed until a given time, and after that until the response to a probe has
// arrived.
type gate struct {
	until   time.Time
	probing bool          // a probe is in flight
	refused int           // the value of gates.refused just after a probe of this gate was last refused; 0 if none has been
	asked   time.Time     // the end of the pause that the response to that probe asked for
	changed chan struct{} // closed and replaced whenever the waiting requests should check the gate again
}

// enter waits until the gate lets x's request through; leave must be called afterward. In total, x
// waits no longer than MaxRetryAfter times Retries, or MaxRetryAfter if there are no retries. If x
// is not allowed to wait until the gate opens, or a probe has been refused since x last checked,
// enter returns the gate's own 429. After a refused probe, x treats that 429 as the response to an
// attempt.
func (gs *gates) enter(x *call) (*http.Response, error) {
	if gs == nil {
		return nil, nil
	}
	for {
		g := gs.try(x)
		left := time.Until(g.until)
		switch {
		case g.changed == nil:
			return nil, nil
		case x.settings.LongestPause == 0:
			return x.hold(max(left, heldAtLeast)), nil
		case g.refused > x.refused && time.Now().Before(g.asked):
			x.refused = g.refused
			held := x.hold(time.Until(g.asked))
			x.final = false
			return held, nil
		case left > 0 && (left > x.t.opts.MaxRetryAfter || !x.fits(left) || left > x.patience()):
			return x.hold(left), nil
		}
		longest := left
		if left <= 0 { // there is no telling how long the response to the probe will take
			longest = min(x.settings.LongestPause, x.patience())
			if due := x.settings.Due; !due.IsZero() {
				longest = min(longest, time.Until(due))
			}
		}
		if changed, err := x.wait(longest, g.changed); err != nil {
			return nil, err
		} else if left <= 0 && !changed {
			return x.hold(heldAtLeast), nil
		}
	}
}

// patience returns how much longer x may wait at the gate.
func (x *call) patience() time.Duration {
	most, retries := x.t.opts.MaxRetryAfter, time.Duration(max(x.t.opts.Retries, 1))
	return min(most, math.MaxInt64/retries)*retries - x.waited
}

// wait waits until d has elapsed or the gate changes, and reports whether the gate has changed.
func (x *call) wait(d time.Duration, gate <-chan struct{}) (changed bool, err error) {
	began := time.Now()
	timer := time.NewTimer(d)
	select {
	case <-gate:
		changed = true
	case <-timer.C:
	case <-x.Done():
		err = redact.ContextError(x.Context)
	}
	timer.Stop()
	x.waited += time.Since(began)
	return changed, err
}

// try lets x through if the gate is open or needs a probe, and returns the zero gate. Otherwise, it
// returns a copy of the gate, which is closed or has a probe in flight.
func (gs *gates) try(x *call) gate {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	x.key, x.probe = nil, false
	if len(gs.m) == 0 { // usually there are no gates, so the key need not be computed
		return gate{}
	}
	if x.refused < 0 {
		x.refused = gs.refused // refusals from before x arrived do not matter
	}
	x.key = new(exchange.ThrottleKeyOf(x.req.Method, x.req.URL))
	if g := gs.m[*x.key]; g != nil {
		if g.probing || time.Now().Before(g.until) {
			return *g
		}
		g.probing, x.probe = true, true
	}
	return gate{}
}

// leave closes the gate after a 429, for MinDelay if the response does not ask for a pause.
// Any other response to the probe opens the gate, unless a later 429 has closed it for
// longer. If no response came, the next request is the probe.
func (gs *gates) leave(x *call, resp *http.Response) {
	throttled := resp != nil && resp.StatusCode == http.StatusTooManyRequests
	if gs == nil || !x.probe && !throttled {
		return
	}
	if x.key == nil {
		x.key = new(exchange.ThrottleKeyOf(x.req.Method, x.req.URL))
	}
	pause, asked := askedPause(resp)
	if !asked {
		pause = x.t.opts.MinDelay
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	now := time.Now()
	if throttled {
		gs.close(*x.key, now.Add(min(pause, exchange.MaxThrottle)))
	}
	if !x.probe {
		return
	}
	g := gs.m[*x.key]
	if g.probing = false; throttled {
		gs.refused++
		g.refused, g.asked = gs.refused, now.Add(pause)
	} else if resp != nil && !now.Before(g.until) {
		delete(gs.m, *x.key)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// close closes the gate of key until the given time, unless the gate is already closed for
// longer.
func (gs *gates) close(key exchange.ThrottleKey, then time.Time) {
	g := gs.m[key]
	if g == nil {
		if len(gs.m) >= gs.sweep {
			maps.DeleteFunc(gs.m, func(_ exchange.ThrottleKey, old *gate) bool {
				return !old.probing && time.Since(old.until) > exchange.MaxThrottle
			})
			gs.sweep = 2*len(gs.m) + 32 // so that the amortized cost per gate is constant
		}
		g = &gate{changed: make(chan struct{})}
		gs.m[key] = g
	}
	if then.After(g.until) {
		g.until = then
	}
}

// hold returns the response to a request that the gate does not let through. Its body is an
// OData v4 error (ARM, "Error Response Content") with a code of its own, so that callers can
// distinguish it from an error of the service.
func (x *call) hold(pause time.Duration) *http.Response {
	x.what = "held by the throttle gate"
	if x.sent.Attempts == 0 && x.req.Response == nil { // the request was not sent, and it does not follow a redirect
		exchange.SetHeld(x.Context)
	}
	x.limits.Stop()
	seconds := int64(math.Ceil(pause.Seconds()))
	body := fmt.Sprintf(`{"error":{"code":"ClientThrottleGate","message":"not sent: the service throttled requests `+
		`like this one, so this client holds them back for %d s"}}`, seconds)
	text := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: %d\r\n"+
		"Content-Length: %d\r\n\r\n%s", seconds, len(body), body)
	resp, _ := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), x.req) // the text is always valid
	return resp
}
