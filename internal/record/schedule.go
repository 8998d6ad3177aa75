package record

import (
	"cmp"
	"math"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// maxRetryAfter limits a failed read's Retry-After and the Hold of a [strategy.Detour].
const maxRetryAfter = 24 * time.Hour

// A Cadence sets how often the poller reads the status.
type Cadence struct{ First, Default, Min, Max time.Duration }

// schedule sets the time of the next read after a response that reported a status. The pause is the
// one that the service last asked for. If the service has never asked for one, the Cadence
// determines the pause (asynchronous API reference, "202 Accepted and Location Headers", step 3). A
// Detour.Hold takes precedence over both.
func (r *Record) schedule(h http.Header, after time.Duration, way *strategy.Detour, c *Cadence) {
	given := r.givenPause(h, after)
	var pause time.Duration
	if given != nil {
		pause = max(time.Duration(*given), c.Min)
	} else {
		pause = r.ownPause(way, c)
	}
	if !way.FromCheck {
		r.Given = given
	}
	r.Held = way.Hold > 0
	if r.Held {
		r.pauseUntil(r.LastRead.Add(min(way.Hold, maxRetryAfter)), false)
		return
	}
	r.pauseUntil(r.LastRead.Add(min(pause, c.Max)), given != nil)
}

// givenPause returns the pause that the service last asked for, or nil if it has never asked for
// one. A Retry-After in h takes precedence over the parameter after, which is the pause that the
// strategy returned.
func (r *Record) givenPause(h http.Header, after time.Duration) *span {
	asked, ok := exchange.RetryAfter(h, r.LastRead)
	if !ok {
		if after <= 0 {
			return r.Given
		}
		asked = after
	}

	if r.Given != nil && *r.Given == span(asked) {
		return r.Given
	}
	return new(span(asked))
}

// ownPause returns the pause before the next read if the service has never asked for one. Reading a
// check does not lengthen the pause.
func (r *Record) ownPause(way *strategy.Detour, c *Cadence) time.Duration {
	if c.First == 0 {
		return c.Default
	}
	if !way.FromCheck {
		r.Pace = min(max(2*r.Pace, span(c.First)), span(c.Default))
	}
	return max(time.Duration(r.Pace), c.Min)
}

// pauseUntil sets the time of the next read, and records whether the service asked for the pause.
func (r *Record) pauseUntil(next time.Time, asked bool) {
	r.Pause = span(max(next.Sub(r.LastRead), 0))
	r.Asked = asked
}

// Next returns the end of the current pause.
func (r *Record) Next() time.Time { return r.LastRead.Add(time.Duration(r.Pause)) }

// backOff sets the time of the next read after a failed one. The pause is the one in the response's
// Retry-After. Without that header, the pause grows with each failure.
func (r *Record) backOff(h http.Header, c *Cadence) {
	pause, asked := exchange.RetryAfter(h, r.LastRead)
	if !asked {
		f := r.FailedReads()
		pause = c.growing(f.Count + f.Waits)
	} else if pause == 0 {
		pause = c.Min
	}
	r.Held = false
	r.pauseUntil(r.LastRead.Add(min(pause, maxRetryAfter)), asked)
}

// growing returns the pause after the nth failure in a row. The pause starts at Min, or at 1 s if
// Min is zero, and doubles up to Max.
func (c *Cadence) growing(n int) time.Duration {
	first := cmp.Or(c.Min, time.Second)
	// Use floats, because a large n would overflow time.Duration.
	d := math.Ldexp(float64(first), max(n-1, 0))
	return time.Duration(min(d, float64(c.Max)))
}

// Age returns the operation's age at the given time.
func (r *Record) Age(at time.Time) time.Duration {
	if at.Before(r.LastRead) { // the clock has been set back
		at = r.LastRead
	}
	return max(at.Sub(r.Began), 0)
}

// readAt sets the time of the last read. If the clock has been set back, readAt moves Began back
// too, so that the operation's age stays the same.
func (r *Record) readAt(at time.Time) {
	age := r.Age(at)
	r.LastRead = at
	began := at.Add(-age)
	fitsToken := began.Year() > 0 // stay clear of negative years, which a token cannot contain
	if began.Before(r.Began) && fitsToken {
		r.Began = began
	}
}

// Due returns when the next read is due: at once if the strategy requested an immediate read, and
// otherwise at the end of the pause.
func (r *Record) Due() time.Time {
	if r.Now > 0 {
		return r.LastRead
	}
	return r.Next()
}

// IsHeld reports whether a Detour.Hold or a call to Hold forbids reads at the given time, even
// reads that the caller requests with Poll or WakeUp.
func (r *Record) IsHeld(at time.Time) bool {
	if !r.Held || r.Now > 0 {
		return false
	}

	return at.Before(r.Next())
}

// IsAsked reports whether the service asked for the current pause.
func (r *Record) IsAsked() bool { return r.Asked && r.Now == 0 }

// IsFixed reports whether the service or the strategy asked for the current pause. A deadline does
// not shorten such a pause.
func (r *Record) IsFixed() bool {
	if r.Now > 0 {
		return false
	}

	return r.Asked || r.Held
}

// Postpone delays the next read until its turn at the throttle gate. It never makes the read
// earlier. The delay does not count against Patience, and a deadline does not shorten it.
func (r *Record) Postpone(turn time.Time) {
	r.Asked = true
	if !turn.After(r.Due()) {
		return
	}
	r.pauseUntil(turn, true)
	r.Now = 0
	if r.Failures != nil {
		f := *r.Failures
		f.Instructed = true
		r.Failures = &f
	}
}

// Hold delays the first read by d. A deadline does not shorten the delay.
func (r *Record) Hold(d time.Duration) {
	r.Held = true
	r.pauseUntil(r.LastRead.Add(d), false)
}
