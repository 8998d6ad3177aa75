package poller

import (
	"cmp"
	"math"
	"net/http"
	"time"

	"github.com/lro-go/lro/transport"
)

// schedule sets when the next status is read, after an answer that told one:
// when the service asks for it now, else as it last asked, else at our own pace
// (asynchronous API reference, "202 Accepted and Location Headers", step 3).
func (c *core) schedule(s *state, h http.Header, hint time.Duration) {
	if s.done() {
		s.Next, s.Asked = s.LastRead, false
		return
	}
	d, ok := transport.RetryAfter(h, s.LastRead)
	if !ok && hint > 0 {
		d, ok = hint, true
	}
	if ok {
		s.Given, s.Paused = d, true
	}
	pause := c.Cadence.Default
	if s.Asked = s.Paused; s.Asked {
		pause = max(s.Given, c.Cadence.Min)
	}
	s.Next = s.LastRead.Add(min(pause, c.Cadence.Max))
}

// backOff schedules the read after a failed one: when the service says, up to a
// day, else after a growing pause.
func (c *core) backOff(s *state, h http.Header, now time.Time) {
	pause, asked := transport.RetryAfter(h, now)
	switch {
	case !asked:
		pause = c.growing(s.failures().Count)
	case pause == 0:
		pause = c.Cadence.Min
	}
	s.Asked, s.Now = asked, false
	s.Next = now.Add(min(pause, retryAfterMax))
}

// growing returns the pause after the n-th failure in a row: the shortest pause,
// doubled each time, up to the longest.
func (c *core) growing(n int) time.Duration {
	// Compare as floats: a large n overflows time.Duration.
	d := math.Ldexp(float64(c.Cadence.Min), max(n-1, 0))
	return time.Duration(min(d, float64(c.Cadence.Max)))
}

// heed puts off the next read where a check that failed beside the status asks for
// that: it would be made again with it.
func (s *state) heed(h http.Header, most time.Duration) {
	now := time.Now()
	d, ok := transport.RetryAfter(h, now)
	if next := now.Add(min(d, most)); ok && next.After(s.Next) {
		s.Next, s.Asked = next, true
	}
}

// hold lets no read come before a pause since the last one is over.
func (s *state) hold(pause time.Duration, asked bool) {
	s.Next, s.Held, s.Asked, s.Now = s.LastRead.Add(pause), pause > 0, asked, false
}

// due is when the next read is due.
func (s *state) due() time.Time {
	if s.Now {
		return s.LastRead
	}
	return s.Next
}

// nextLocked is when the next status read is due; zero when there is none.
func (c *core) nextLocked() time.Time {
	switch {
	case c.s.done():
		return time.Time{}
	case c.isWokenLocked():
		return earlier(c.s.due(), time.Now())
	}
	return c.s.due()
}

// wake makes one read due at once. A read that is under way may have been
// answered before what the notification tells, so it does not count.
func (c *core) wake() {
	tellGroups(c.update(func() { c.woken = cmp.Or(c.woken, new(time.Now())) }))
}

// isWokenLocked reports whether a notification makes the next read due. One that
// came while none may be made has to wait.
func (c *core) isWokenLocked() bool { return c.woken != nil && !c.s.early() }

// early reports whether the next read may not be made yet, however it is asked for:
// a pause of Confirm.After or Repeat.Every lasts.
func (s *state) early() bool { return s.Held && time.Now().Before(s.Next) }

// firm reports whether the pause before the next read is not to be cut to fit a
// deadline: somebody asked for it.
func (s *state) firm() bool { return s.Asked || s.Held }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
