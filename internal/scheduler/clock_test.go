package scheduler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The scheduler reads a waiting job on time even if the wall clock is set back.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{pause: 100 * sec}, hasEnded)
		s := closed(Options{Spread: -1}, a)
		go func() {
			time.Sleep(50 * sec)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.run.epoch = s.run.epoch.Add(24 * time.Hour) // as if the clock had been set back by a day
			require.Equal(t, 60*sec, time.Until(s.run.epoch.Add(s.run.oldestDue()-s.run.setBack())))
		}()
		require.Equal(t, []string{"a 1m50s"}, wait(t.Context(), s))
		require.Equal(t, []time.Duration{10 * sec, 110 * sec}, a.times())
	})
}
