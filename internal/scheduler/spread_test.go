package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// No read is scheduled before it is due or after the end of its window, even if more reads are due
// at the same time than expected. The reads are spread evenly over the window.
func TestPace(t *testing.T) {
	const now, window time.Duration = time.Hour, 6 * time.Second
	for n, gap := range map[int]time.Duration{
		0: spreadGap, 1: spreadGap, 2: spreadGap, 60: spreadGap, 120: spreadGap / 2, 100_000: 60 * time.Microsecond,
	} {
		var p pace
		for i := range max(n, 1) {
			require.Equal(t, now+time.Duration(i)*gap, p.next(now, window, n))
		}
		last, perSecond := p.free-gap, [6]int{}
		require.LessOrEqual(t, last, now+window)
		if n < 100_000 {
			continue
		}
		require.Equal(t, now+window, p.next(now, window, n))
		for range n {
			at := p.next(now, window, n) - now
			require.True(t, at >= 0 && at < window)
			perSecond[at/time.Second]++
		}
		for _, k := range perSecond {
			require.InDelta(t, n/6, k, 10)
		}
	}
	var p pace
	for range 100_000 {
		require.Equal(t, now, p.next(now, 0, 100_000), "with no window, no read is late")
	}
}
