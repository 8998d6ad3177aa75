package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// Each read in turn is one of a cache that lags behind.
func TestStaleAtEveryRead(t *testing.T) {
	for name, s := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reads := 0
			s.tell(t, func(g *rig) { g.stale = func(read int) int { reads = read; return 0 } })
			for read := 1; read <= reads; read++ {
				for _, lag := range []int{1, 3} {
					t.Run(fmt.Sprint(read, "-", lag), func(t *testing.T) {
						s.tell(t, func(g *rig) {
							g.stale = func(n int) int {
								if n == read {
									return lag
								}
								return 0
							}
						})
					})
				}
			}
		})
	}
}

// A cache that is as far behind as it can be: the reconciler is shown every version
// of the Widget that there has been, while its second operation runs and after that.
// Nothing is sent but reads, and what would be written over what there is, is refused.
func TestStaleByAnyNumber(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Default = fakes.Plan{Duration: day, RetryAfter: day / 2}
		g.r.Options.Cadence = poller.Cadence{Max: day}
		g.apply(g.create(1))
		require.NoError(t, g.reconcile())
		g.apply(g.resize(2))
		g.once()
		showAll(t, g) // the second operation runs
		require.NoError(t, g.reconcile())
		showAll(t, g) // it has ended
		require.Equal(t, []string{"PUT", "PUT"}, g.begun())
		require.EqualValues(t, 2, g.widget().Status.Size)
	})
}

func showAll(t *testing.T, g *rig) {
	now, sent := g.widget(), len(g.sent())
	for lag := range len(g.versions) {
		g.stale = func(int) int { return len(g.versions) - 1 - lag }
		if _, err := g.call(t.Context()); err != nil {
			require.True(t, apierrors.IsConflict(err), "version %d: %v", lag, err)
		}
		require.Len(t, g.sent(), sent, "version %d", lag)
		require.Equal(t, now.ResourceVersion, g.widget().ResourceVersion, "version %d", lag)
	}
	g.stale = func(int) int { return 0 }
}
