package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/lro-go/lro/internal/exchange"
)

// WithLongestPause returns a context for requests that pause for at most d between attempts.
// RoundTrip returns right away if a response calls for a longer pause, or if the request would have
// to wait longer than d at the throttle gate. 0 means one attempt, no pause and no wait at the
// gate. After a 401, the Transport still repeats the request once with a fresh token.
//
// WithLongestPause is for callers that schedule the next attempt themselves. Use it with 0 in the
// context of the request that you pass to poller.Begin, and in the context of Poller.Cancel, so
// that these calls never wait for a retry. Poll, Result, Advance and Group of package poller
// already use it.
func WithLongestPause(ctx context.Context, d time.Duration) context.Context {
	s := *exchange.SettingsOf(ctx)
	s.LongestPause = max(d, 0)
	return exchange.WithSettings(ctx, s)
}

// LongestPause returns the longest pause between attempts that [WithLongestPause] set in ctx, or
// the longest possible duration if none was set. It is for other transports that retry. They should
// return a response that calls for a longer pause, and make only one attempt if LongestPause
// returns 0.
func LongestPause(ctx context.Context) time.Duration { return exchange.SettingsOf(ctx).LongestPause }

// A caller holds what RoundTrip was called with: the request, its context, and the settings in that
// context. They determine how long RoundTrip may pause.
type caller struct {
	exchange.Context
	req *http.Request
}

// allows returns true if the caller allows this pause and the pause leaves time for another
// attempt.
func (c *caller) allows(pause time.Duration) bool {
	if pause > c.LongestPause {
		return false
	}
	if c.hasDue() && pause >= time.Until(c.Due) {
		return false
	}
	deadline, ok := c.Deadline()
	return !ok || pause < time.Until(deadline)
}

// hasDue reports whether the caller limits the time for the whole exchange.
func (c *caller) hasDue() bool { return !c.Due.IsZero() }

// isOverdue reports whether the caller's time for the exchange has run out.
func (c *caller) isOverdue() bool { return c.hasDue() && !time.Now().Before(c.Due) }

// askedPause returns the pause that resp asks for, if any. resp may be nil.
func askedPause(resp *http.Response) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	return RetryAfter(resp.Header, time.Now())
}

// pause returns the pause before retry n, counted from zero: the one that the service asked for, or
// a random one between minimum·2ⁿ and minimum·2ⁿ⁺¹. If minimum·2ⁿ⁺¹ exceeds maximum, the random
// pause is between half of maximum and maximum.
func pause(minimum, maximum time.Duration, n int, resp *http.Response) time.Duration {
	if d, asked := askedPause(resp); asked {
		return d
	}

	b := backoff.NewExponentialBackOff( // created for each pause, because a back-off has state
		backoff.WithInitialInterval(minimum+minimum/2),
		backoff.WithRandomizationFactor(1.0/3),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(maximum-maximum/4),
		backoff.WithMaxElapsedTime(0), // by default, the back-off stops after 15 minutes and returns -1
	)
	var d time.Duration
	for range n + 1 {
		d = b.NextBackOff()
	}
	if d < 0 { // near the largest duration, the library's random part can overflow
		return maximum
	}
	return min(max(d, minimum), maximum)
}
