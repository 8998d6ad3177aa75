package transport

import (
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/pace"
	"github.com/lro-go/lro/internal/redact"
)

// maxGates limits the number of gates. A gate's key comes from a URL, and servers can choose URLs,
// so a server could otherwise fill the memory with gates.
const maxGates = 1 << 15

// gates holds a throttle gate for each exchange.ThrottleKey whose requests the service throttles.
// Requests with such a key start one by one. Requests without a gate start right away. The methods
// enter and leave do nothing if the *gates is nil.
type gates struct {
	minDelay, maxDelay time.Duration // the shortest and longest pause after a 429 that does not specify one
	maxPause           time.Duration // the longest wait for a single turn; a request whose turn comes later does not wait at all
	patience           time.Duration // the longest time that a request may wait in total

	mu    sync.Mutex
	m     map[exchange.ThrottleKey]*pace.Queue
	sweep int // removeUnused does nothing until there are this many gates
}

// newGates returns the gates of a Transport with these options. A request waits for at most
// MaxRetryAfter times Retries in total, or MaxRetryAfter without retries.
func newGates(opts *Options) *gates {
	retries := time.Duration(max(opts.Retries, 1))
	return &gates{
		minDelay: opts.MinDelay,
		maxDelay: opts.MaxDelay,
		maxPause: opts.MaxRetryAfter,
		patience: min(opts.MaxRetryAfter, math.MaxInt64/retries) * retries,
		m:        map[exchange.ThrottleKey]*pace.Queue{},
	}
}

// A gateState is the state of one request at its gate, across all attempts.
type gateState struct {
	key           *exchange.ThrottleKey // nil if there are no gates
	gate          *pace.Queue           // the current attempt's gate; nil without a gate
	sent          time.Time             // when the gate let the current attempt start
	place         pace.Place            // the request's place at the gate
	attemptWaited time.Duration         // how long the current attempt has waited
	totalWaited   time.Duration         // how long the request has waited in total
}

// enter waits until the request may start. The caller must call leave once the attempt is over. If
// the wait would be too long, enter returns the time of the request's turn, and the caller must not
// send the request.
func (gs *gates) enter(c *caller, s *gateState) (turn time.Time, err error) {
	if gs == nil {
		return time.Time{}, nil
	}

	s.gate = nil
	s.attemptWaited = 0
	for {
		wait, turn := gs.ask(c, s)
		if wait == 0 {
			gs.notify(c, s)
			return turn, nil
		}
		err := s.wait(c, wait)
		if err != nil {
			gs.quit(s)
			return time.Time{}, err
		}
	}
}

// ask asks the gate whether the request may start. If not, ask returns how long to wait before
// asking again or, if the wait would be too long, the time of the request's turn.
func (gs *gates) ask(c *caller, s *gateState) (wait time.Duration, turn time.Time) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.find(c, s)
	if g == nil {
		return 0, time.Time{}
	}

	now := time.Now()
	left := max(g.Turn().Sub(now), 0)
	isNext := g.IsNext(&s.place)
	if isNext && left == 0 {
		g.Leave(&s.place)
		g.Start(now)
		s.sent = now
		return 0, time.Time{}
	}

	wait = gs.longestWait(c, s)
	if left > wait || wait <= 0 || !gs.mayWait(c, left) {
		g.Leave(&s.place)
		if c.Turn != nil { // a Group has its own queue, so its requests reserve no turn
			return 0, g.LastTurn(now)
		}
		return 0, g.Promise(now)
	}
	g.Join(&s.place)
	if isNext {
		wait = left
	}
	return wait, time.Time{}
}

// find returns the request's gate, or nil if there is no gate.
func (gs *gates) find(c *caller, s *gateState) *pace.Queue {
	if s.place.IsWaiting() {
		return s.gate
	}
	s.key = nil
	if len(gs.m) == 0 { // the usual case; do not compute the key
		return nil
	}

	s.key = new(exchange.ThrottleKeyOf(c.req.Method, c.req.URL))
	g := gs.m[*s.key]
	if g != nil && g.IsUnused(time.Now()) {
		delete(gs.m, *s.key)
		return nil
	}
	s.gate = g
	return g
}

// longestWait returns how much longer the request may wait at the gate.
func (gs *gates) longestWait(c *caller, s *gateState) time.Duration {
	longest := min(c.LongestPause-s.attemptWaited, gs.patience-s.totalWaited)
	if c.hasDue() {
		longest = min(longest, time.Until(c.Due))
	}
	return longest
}

// mayWait reports whether the request may wait this long for its turn.
func (gs *gates) mayWait(c *caller, left time.Duration) bool {
	return left <= gs.maxPause && c.allows(left)
}

// wait waits until d has passed, the gate has changed, or the context has ended.
func (s *gateState) wait(c *caller, d time.Duration) (err error) {
	start := time.Now()
	timer := time.NewTimer(d)
	select {
	case <-s.place.Changed():
	case <-timer.C:
	case <-c.Done():
		err = redact.ContextError(c)
	}
	timer.Stop()
	took := time.Since(start)
	s.attemptWaited += took
	s.totalWaited += took
	return err
}

// quit removes the request from its gate's queue.
func (gs *gates) quit(s *gateState) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	s.gate.Leave(&s.place)
}

// leave records the response to an attempt.
func (gs *gates) leave(c *caller, s *gateState, resp *http.Response) {
	if gs == nil || resp == nil {
		return
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		gs.refuse(c, s, resp)
		gs.notify(c, s)
		return
	}
	if s.gate == nil {
		return
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	s.gate.Answer(time.Now())
	s.gate.Wake()
}

// refuse records a 429.
func (gs *gates) refuse(c *caller, s *gateState, resp *http.Response) {
	if s.key == nil {
		s.key = new(exchange.ThrottleKeyOf(c.req.Method, c.req.URL))
	}
	pause, asked := askedPause(resp)

	gs.mu.Lock()
	defer gs.mu.Unlock()
	s.gate = gs.add(*s.key)
	if !asked {
		pause = s.gate.BackOff(gs.minDelay, gs.maxDelay)
	}
	s.gate.Refuse(s.sent, time.Now(), min(pause, exchange.MaxThrottle))
	s.gate.Wake()
}

// add returns the gate with this key, and creates it if necessary.
func (gs *gates) add(key exchange.ThrottleKey) *pace.Queue {
	g := gs.m[key]
	if g == nil {
		gs.removeUnused()
		g = &pace.Queue{}
		gs.m[key] = g
	}
	return g
}

// removeUnused removes unused gates once there are many. At maxGates, it also removes other gates
// at which no request is waiting, until half of maxGates are left. The amortized cost per gate is
// constant.
func (gs *gates) removeUnused() {
	if len(gs.m) < gs.sweep {
		return
	}
	now := time.Now()
	keep := len(gs.m)
	if keep >= maxGates {
		keep = maxGates / 2
	}
	for key, g := range gs.m {
		isExcess := len(gs.m) > keep && g.IsEmpty()
		if isExcess || g.IsUnused(now) {
			delete(gs.m, key)
		}
	}
	gs.sweep = min(2*len(gs.m)+32, maxGates)
}

// notify informs the request's Group, if any, of the earliest time at which a new request with the
// same key may start.
func (gs *gates) notify(c *caller, s *gateState) {
	if s.gate == nil || c.Turn == nil {
		return
	}
	gs.mu.Lock()
	next := s.gate.LastTurn(time.Now())
	gs.mu.Unlock()
	c.Turn(*s.key, next)
}
