package main

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// TestStaleAtEveryRead plays each scenario many times. In each run, one read returns a Widget that
// is one or three versions old.
func TestStaleAtEveryRead(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reads := 0
			s.play(t, func(g *rig) error {
				g.stale = func(read int) int { reads = read; return 0 }
				return g.reconcile()
			})
			for read := 1; read <= reads; read++ {
				for _, lag := range []int{1, 3} {
					t.Run(fmt.Sprint(read, "-", lag), func(t *testing.T) {
						s.play(t, func(g *rig) error {
							g.stale = func(n int) int {
								if n == read {
									return lag
								}
								return 0
							}
							return g.reconcile()
						})
					})
				}
			}
		})
	}
}

// TestStaleByAnyNumber shows the reconciler every version of the Widget. The reconciler must not
// start another operation, and the API server must reject any write that is based on an outdated
// version.
func TestStaleByAnyNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default = fakes.Plan{Duration: day, RetryAfter: day / 2}
		g.r.Options.Cadence = poller.Cadence{Max: day}
		g.apply(g.create(1))
		require.NoError(t, g.reconcile())
		g.apply(g.resize(2))
		g.once()
		showAll(t, g)
		require.NoError(t, g.reconcile())
		showAll(t, g)
		require.Equal(t, []string{"PUT", "PUT"}, g.started())
		require.EqualValues(t, 2, g.widget().Status.Size)
	})
}

// showAll calls Reconcile with each version of the Widget, oldest first.
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
