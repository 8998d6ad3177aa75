package poller

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// During a long wait, the wall clock is checked every minute, because timers stop while the machine
// is asleep.
func TestNap(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		0: 0, time.Nanosecond: time.Nanosecond, time.Minute: time.Minute, time.Minute + 1: time.Minute, 72 * time.Hour: time.Minute, math.MaxInt64: time.Minute,
	} {
		require.Equal(t, want, nap(left))
	}
	require.NotContains(t, now().String(), "m=", "schedules do not use the monotonic clock")
}
