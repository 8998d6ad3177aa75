package transport

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

// pauses are the back-off of one exchange. A backoff.BackOff has state and is
// not safe for concurrent use, so it is never shared.
type pauses struct {
	b        backoff.BackOff
	min, max time.Duration
}

// newBackOff makes pauses that start between min and 2·min, double, and end up
// between max/2 and max: with the library's jitter of a third around 1.5·min,
// and around ¾·max in the end.
func newBackOff(minimum, maximum time.Duration) *pauses {
	return &pauses{min: minimum, max: maximum, b: backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(minimum+minimum/2),
		backoff.WithRandomizationFactor(1.0/3),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(maximum-maximum/4),
		backoff.WithMaxElapsedTime(0), // the default stops after 15 minutes, with a pause of -1
	)}
}

// next draws the next pause.
func (p *pauses) next() time.Duration { return clamp(p.b.NextBackOff(), p.min, p.max) }

// clamp holds d within its bounds: the library's jitter exceeds MaxInterval, and
// overflows to a negative value where that is near the largest duration.
func clamp(d, minimum, maximum time.Duration) time.Duration {
	if d < 0 {
		return maximum
	}
	return min(max(d, minimum), maximum)
}
