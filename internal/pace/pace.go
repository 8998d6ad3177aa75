// Package pace decides when the next request to a service that throttles may start.
//
// A [Pace] adapts the rate of requests to the service's 429 responses, so that processes that do
// not communicate get about the same share of one limit. A [Queue] lets the requests of one process
// start in order, at the rate of a Pace. The methods take the time as an argument, so tests of this
// package need neither clients nor a clock. The benchmarks in internal/bench show that many
// processes together get nearly all that a service allows, with few refused requests.
package pace

import (
	"math"
	"time"
)

// The parameters of a Pace. Processes that share a limit get about the same share without
// communicating, because a faster process is refused more often.
const (
	step     = 0.05             // a refusal cuts the pace by this fraction; At also uses it
	growTime = 45 * time.Second // after a pause, the pace rises by 6% within 35 s and to six times its value within 108 s; see At
	tries    = 6                // only the first of this many refusals in a row lowers the pace
	deepCut  = 0.7              // the next refusal after that multiplies the pace by this factor, and restarts the count

	slowest   = 1.0 / 120 // the lowest pace, in requests per second
	unlimited = 1000      // a pace above this is treated as no limit
	memory    = 2 * time.Minute
)

// A Pace limits the rate of requests that share a service's limit, from the first 429 on. The zero
// Pace has not seen a 429 yet.
type Pace struct {
	rate     float64   // the pace when the pause ends, in requests per second
	since    time.Time // when a 429 last changed the pace
	ramp     bool      // true from the first 429 to the second: the pace doubles with each answer
	answers  int       // responses other than 429 since a 429 last changed the pace
	refusals int       // 429s in a row
	next     time.Time // when the pace lets the next request start
	until    time.Time // the end of the pause after a 429
}

// At returns the pace at a given time, in requests per second. The pace starts to rise when the
// pause after a 429 is over.
func (p *Pace) At(t time.Time) float64 {
	x := float64(max(t.Sub(p.until), 0)) / float64(growTime)
	rate := p.rate * math.Exp(step*(x+x*x*x*x))
	if p.ramp {
		rate = math.Ldexp(rate, p.answers)
	}
	return max(rate, slowest)
}

// Interval returns the time between two requests at the current pace.
func (p *Pace) Interval(now time.Time) time.Duration {
	return time.Duration(float64(time.Second) / p.At(now))
}

// Turn returns the time at which the next request may start.
func (p *Pace) Turn() time.Time { return later(p.next, p.until) }

// Start records that a request starts.
func (p *Pace) Start(now time.Time) { p.next = now.Add(p.Interval(now)) }

// Answer records a response other than a 429.
func (p *Pace) Answer(now time.Time) {
	if p.ramp {
		p.next = now.Add(p.next.Sub(now) / 2)
	}
	p.answers++
	p.refusals = 0
}

// Refuse records a 429 for a request that was sent at a given time. pause is how long the next
// request must wait.
func (p *Pace) Refuse(sent, now time.Time, pause time.Duration) {
	rate := p.At(sent)
	p.until = later(p.until, now.Add(pause))
	if p.since.IsZero() {
		p.rate = 1 / max(pause, time.Millisecond).Seconds()
		p.since = now
		p.ramp = true
		return
	}
	if sent.Before(p.since) {
		return // a 429 has already changed the pace since this request was sent
	}

	p.refusals++
	p.next = p.until // only the pause delays the next request
	p.rate = max(p.cut(rate, now), slowest)
	if p.refusals > tries {
		p.rate = deepCut * p.rate
		p.refusals = 0
		p.next = now.Add(time.Duration(float64(time.Second) / p.rate))
	}
	p.since = now
	p.ramp = false
	p.answers = 0
}

// cut returns the pace after a refusal. rate is the pace at which the refused request was sent. If
// answers have arrived at a lower rate, the new pace is usually close to that rate.
func (p *Pace) cut(rate float64, now time.Time) float64 {
	measured := float64(p.answers+1) / max(now.Sub(p.since), time.Millisecond).Seconds()
	if p.ramp {
		return min(rate, measured)
	}
	if p.refusals > 1 {
		return rate
	}
	if p.answers >= 4 {
		rate = min(rate, 1.2*measured)
	}
	return (1 - step) * rate
}

// BackOff returns the pause after a 429 that does not specify one.
func (p *Pace) BackOff(first, longest time.Duration) time.Duration {
	pause := math.Ldexp(float64(first), p.refusals)
	return time.Duration(min(pause, float64(longest))) // compared as floats, because pause may overflow a Duration
}

// IsOver reports whether the pace no longer limits requests and can be forgotten.
func (p *Pace) IsOver(now time.Time) bool {
	return now.Sub(p.since) >= memory && p.At(now) > unlimited && !now.Before(p.until)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
