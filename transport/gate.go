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
	minDelay time.Duration // how long a 429 that asks for no pause closes a gate
	maxPause time.Duration // the longest time for which a request waits for a gate to open
	patience time.Duration // how long one request waits in total

	mu      sync.Mutex
	m       map[exchange.ThrottleKey]*gate
	sweep   int // when there are this many gates, close removes those that no request needs
	refused int // the number of probes that got a 429
}

// newGates returns the gates of a Transport with these options. In total, a request waits no longer
// than MaxRetryAfter times Retries, or MaxRetryAfter if there are no retries.
func newGates(opts *Options) *gates {
	retries := time.Duration(max(opts.Retries, 1))
	return &gates{
		minDelay: opts.MinDelay,
		maxPause: opts.MaxRetryAfter,
		patience: min(opts.MaxRetryAfter, math.MaxInt64/retries) * retries,
		m:        map[exchange.ThrottleKey]*gate{},
	}
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

// A gateState is the state of one request at its gate. It lasts through all attempts.
type gateState struct {
	key     *exchange.ThrottleKey // nil if no gate was closed. It is computed once, because a base may change the URL
	probe   bool                  // the current attempt is a probe
	waited  time.Duration         // how long the request has waited at the gate, in total
	refused int                   // the value of gates.refused when the request last checked its gate; -1 if it never has
}

// A decision is what the gate decides about an attempt. The zero decision lets it through.
type decision struct {
	held  bool          // the attempt is not sent, and gets the gate's own 429 as its response
	pause time.Duration // the pause that this 429 asks for
	retry bool          // another attempt may follow, as after a 429 of the service
}

// enter waits until the gate lets the request through; leave must be called afterward. If the request
// is not allowed to wait until the gate opens, or a probe has been refused since the request last
// checked, enter returns a decision to hold it back. After a refused probe, the request treats the
// gate's 429 as the response to an attempt.
func (gs *gates) enter(c *caller, s *gateState) (decision, error) {
	if gs == nil {
		return decision{}, nil
	}

	for {
		g, closed := gs.try(c, s)
		if !closed {
			return decision{}, nil
		}

		left := time.Until(g.until)
		if c.settings.LongestPause == 0 {
			return decision{held: true, pause: max(left, heldAtLeast)}, nil
		}
		if g.refused > s.refused && time.Now().Before(g.asked) {
			s.refused = g.refused
			return decision{held: true, pause: time.Until(g.asked), retry: true}, nil
		}

		if left > 0 {
			if !gs.mayWait(c, s, left) {
				return decision{held: true, pause: left}, nil
			}
			if _, err := s.wait(c, left, g.changed); err != nil {
				return decision{}, err
			}
			continue
		}

		changed, err := s.wait(c, gs.longestProbe(c, s), g.changed)
		if err != nil {
			return decision{}, err
		}
		if !changed {
			return decision{held: true, pause: heldAtLeast}, nil
		}
	}
}

// try lets the request through if its gate is open or needs a probe. Otherwise, it returns a copy of
// the gate, which is closed or has a probe in flight.
func (gs *gates) try(c *caller, s *gateState) (g gate, closed bool) {
	gs.mu.Lock()
	defer gs.mu.Unlock()

	s.key = nil
	s.probe = false
	if len(gs.m) == 0 { // usually there are no gates, so the key need not be computed
		return gate{}, false
	}
	if s.refused < 0 {
		s.refused = gs.refused // refusals from before the request arrived do not matter
	}

	s.key = new(exchange.ThrottleKeyOf(c.req.Method, c.req.URL))
	found := gs.m[*s.key]
	if found == nil {
		return gate{}, false
	}
	if found.probing || time.Now().Before(found.until) {
		return *found, true
	}
	found.probing = true
	s.probe = true
	return gate{}, false
}

// mayWait reports whether the request may wait until its gate opens.
func (gs *gates) mayWait(c *caller, s *gateState, left time.Duration) bool {
	return left <= gs.maxPause && left <= gs.patience-s.waited && c.allows(left)
}

// longestProbe returns how long the request may wait for the response to a probe, because there is
// no telling how long that takes.
func (gs *gates) longestProbe(c *caller, s *gateState) time.Duration {
	longest := min(c.settings.LongestPause, gs.patience-s.waited)
	if c.hasDue() {
		longest = min(longest, time.Until(c.settings.Due))
	}
	return longest
}

// wait waits until d has elapsed or the gate changes, and reports whether the gate has changed.
func (s *gateState) wait(c *caller, d time.Duration, gate <-chan struct{}) (changed bool, err error) {
	start := time.Now()
	timer := time.NewTimer(d)
	select {
	case <-gate:
		changed = true
	case <-timer.C:
	case <-c.Done():
		err = redact.ContextError(c.Context)
	}
	timer.Stop()
	s.waited += time.Since(start)
	return changed, err
}

// leave closes the gate after a 429, for MinDelay if the response does not ask for a pause.
// Any other response to the probe opens the gate, unless a later 429 has closed it for
// longer. If no response came, the next request is the probe.
func (gs *gates) leave(c *caller, s *gateState, resp *http.Response) {
	if gs == nil {
		return
	}
	throttled := resp != nil && resp.StatusCode == http.StatusTooManyRequests
	if !throttled && !s.probe {
		return
	}

	if s.key == nil {
		s.key = new(exchange.ThrottleKeyOf(c.req.Method, c.req.URL))
	}
	pause, asked := askedPause(resp)
	if !asked {
		pause = gs.minDelay
	}

	gs.mu.Lock()
	defer gs.mu.Unlock()
	now := time.Now()
	if throttled {
		gs.close(*s.key, now.Add(min(pause, exchange.MaxThrottle)))
	}
	if !s.probe {
		return
	}

	g := gs.m[*s.key]
	g.probing = false
	if throttled {
		gs.refused++
		g.refused = gs.refused
		g.asked = now.Add(pause)
	} else if resp != nil && !now.Before(g.until) {
		delete(gs.m, *s.key)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// close closes the gate of key until the given time, unless the gate is already closed for
// longer.
func (gs *gates) close(key exchange.ThrottleKey, then time.Time) {
	g := gs.m[key]
	if g == nil {
		gs.removeUnused()
		g = &gate{changed: make(chan struct{})}
		gs.m[key] = g
	}
	if then.After(g.until) {
		g.until = then
	}
}

// removeUnused removes the gates that no request needs, if there are many. The amortized cost per
// gate is constant.
func (gs *gates) removeUnused() {
	if len(gs.m) < gs.sweep {
		return
	}
	maps.DeleteFunc(gs.m, func(_ exchange.ThrottleKey, old *gate) bool {
		return !old.probing && time.Since(old.until) > exchange.MaxThrottle
	})
	gs.sweep = 2*len(gs.m) + 32
}

// heldResponse returns the gate's own 429 to a request that it does not let through. Its body is an
// OData v4 error (ARM, "Error Response Content") with a code of its own, so that callers can
// distinguish it from an error of the service.
func heldResponse(req *http.Request, pause time.Duration) *http.Response {
	seconds := int64(math.Ceil(pause.Seconds()))
	body := fmt.Sprintf(`{"error":{"code":"ClientThrottleGate","message":"not sent: the service throttled requests `+
		`like this one, so this client holds them back for %d s"}}`, seconds)
	text := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: %d\r\n"+
		"Content-Length: %d\r\n\r\n%s", seconds, len(body), body)
	resp, _ := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), req) // the text is always valid
	return resp
}
