package poller

import (
	"math"
	"net/http"
	"time"

	"github.com/lro-go/lro/poller/strategy"
	"github.com/lro-go/lro/transport"
)

// maxRetryAfter is the longest Retry-After that is obeyed after a failed read.
const maxRetryAfter = 24 * time.Hour

// schedule sets the time of the next read after a response that reported a status. The pause is
// the response's Retry-After, or else the most recent Retry-After, or else the pause that the
// Cadence specifies (asynchronous API reference, "202 Accepted and Location Headers", step 3).
func (c *core) schedule(r *record, h http.Header, m strategy.Move) {
	d, ok := transport.RetryAfter(h, r.LastRead)
	if !ok && m.After > 0 {
		d, ok = m.After, true
	}
	given := r.Given
	if ok && (given == nil || *given != span(d)) {
		given = new(span(d))
	}
	pause, asked := c.Cadence.Default, given != nil
	switch {
	case asked:
		pause = max(time.Duration(*given), c.Cadence.Min)
	case c.Cadence.First > 0:
		if !m.Beside {
			r.Pace = min(max(2*r.Pace, span(c.Cadence.First)), span(pause))
		}
		pause = max(time.Duration(r.Pace), c.Cadence.Min)
	}
	if !m.Beside {
		r.Given = given
	}
	pause = min(pause, c.Cadence.Max)
	if r.Held = m.Hold > 0; r.Held {
		pause, asked = min(m.Hold, maxRetryAfter), false
	}
	r.pauseUntil(r.LastRead.Add(pause), asked)
}

// pauseUntil sets the time of the next read. asked reports whether the service asked for the pause.
func (r *record) pauseUntil(next time.Time, asked bool) {
	r.Next, r.Pause, r.Asked = next, span(max(next.Sub(r.LastRead), 0)), asked
}

// backOff sets the time of the next read after a failed one. The pause is the Retry-After of the
// response, limited to a day. Without a Retry-After, the pause grows with each failure.
func (c *core) backOff(r *record, h http.Header) {
	pause, asked := transport.RetryAfter(h, r.LastRead)
	switch {
	case !asked:
		f := r.failures()
		pause = c.growing(f.Count + f.Waits)
	case pause == 0:
		pause = c.Cadence.Min
	}
	r.Held = false
	r.pauseUntil(r.LastRead.Add(min(pause, maxRetryAfter)), asked)
}

// growing returns the pause after the n-th failure in a row. It starts at Cadence.Min and
// doubles with each failure, up to Cadence.Max.
func (c *core) growing(n int) time.Duration {
	// Compute with floats, because a large n would overflow time.Duration.
	d := math.Ldexp(float64(c.Cadence.Min), max(n-1, 0))
	return time.Duration(min(d, float64(c.Cadence.Max)))
}

// due returns the time at which the next read is due.
func (r *record) due() time.Time {
	if r.Now > 0 {
		return r.LastRead
	}
	return r.Next
}

// isHeld reports whether a Move.Hold currently forbids all reads, including reads by Poll or
// after a WakeUp.
func (r *record) isHeld() bool { return r.Held && r.Now == 0 && now().Before(r.Next) }

// firm reports whether the service or the strategy asked for the current pause. Such a pause
// is not shortened to fit a deadline.
func (r *record) firm() bool { return (r.Asked || r.Held) && r.Now == 0 }

// nextLocked returns the value for [Poller.NextPoll]: the time at which the next read is due, or
// zero if nothing is left to read. If a notification made the read due earlier, and that time
// has passed, nextLocked returns the current time.
func (c *core) nextLocked() time.Time {
	due := c.dueLocked()
	switch {
	case c.rec.Phase == ended:
		return time.Time{}
	case c.woken != nil && due.Before(c.rec.due()) && due.Before(now()):
		return now()
	}
	return due
}

// dueLocked returns the time at which the next read is due; it does not check whether anything
// is left to read. Unlike nextLocked, it returns the same time until the read is made.
func (c *core) dueLocked() time.Time {
	due := c.rec.due()
	if c.woken != nil {
		return *earliest(&due, new(c.wokenLocked()))
	}
	return due
}

// wake makes the next read due early, even if a read is in flight: the service may have answered
// that read before the event that caused the notification.
func (c *core) wake() {
	notify(c.update(func() { c.woken = new(now()) }))
}

// wokenLocked returns the earliest time for the read that a pending notification asks for. This is
// the time of the notification, but no earlier than Cadence.Min after the last such read, and no
// earlier than the end of a Move.Hold or of a pause that the service requested in the response to a
// failed read.
func (c *core) wokenLocked() time.Time {
	r := &c.rec
	if r.Now == 0 && (r.Held || r.Asked && (r.Failures != nil || c.trouble != nil)) {
		return r.Next
	}
	last := c.early.Load()
	if first := time.Unix(0, last).Add(c.Cadence.Min); last != 0 && first.After(*c.woken) {
		return first
	}
	return *c.woken
}
