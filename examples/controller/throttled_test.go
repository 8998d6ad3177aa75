package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// TestThrottled checks that Reconcile neither sleeps nor retries after a 429. The pause that it
// returns must be at least as long as the Retry-After, and a 429 must not use up Patience.
func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 1, Do: fakes.Throttle(45 * time.Second)})
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 2, Do: fakes.Throttle(time.Hour)})
		g.svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 20, Do: fakes.Throttle(45 * time.Second)})
		g.r.Options.Patience = poller.Patience{Time: -1}
		g.apply(g.create(1))
		turn := func() (pause time.Duration, sent int) {
			start, before := time.Now(), len(g.svc.Requests())
			pause = g.once()
			require.Zero(t, time.Since(start))
			time.Sleep(pause)
			return pause, len(g.svc.Requests()) - before
		}
		for _, want := range []time.Duration{time.Minute, time.Hour, time.Minute} { // the service accepts the third PUT
			pause, sent := turn()
			require.Equal(t, want, pause)
			require.Equal(t, 2, sent, "the call must send the GET of the resource and the PUT")
		}
		reads, held := 0, 0
		for reads < 20 {
			pause, sent := turn()
			require.Contains(t, g.message(conditionProgressing), "429 Too Many Requests")
			if sent == 0 {
				held++
				continue
			}
			require.Equal(t, 1, sent)
			require.Equal(t, 45*time.Second, pause)
			reads++
		}
		require.Equal(t, 2, held) // after the eighth and the fifteenth 429, the transport held back the next read
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.started())
	})
}
