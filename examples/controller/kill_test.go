package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A story is what a user does and what has to come of it, however often the
// controller is killed.
type story struct {
	plans []fakes.Plan
	user  func(g *rig) []func()
	begun []string // operations, exactly
	blind bool     // an operation that runs cannot be seen at the resource: asking for it again is refused
	gone  bool     // else it is Ready, with this size
	size  int64
}

const day = 24 * time.Hour

var stories = map[string]story{
	"created, changed and deleted": {
		plans: []fakes.Plan{{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute}, {Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(4*day, g.resize(2)), g.after(4*day, g.remove)}
		},
		begun: []string{"PUT", "PUT", "DELETE"},
		gone:  true,
	},
	"changed while an operation runs": {
		plans: []fakes.Plan{{Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.resize(2))}
		},
		begun: []string{"PUT", "PUT"},
		size:  2,
	},
	"deleted while it is created": {
		plans: []fakes.Plan{{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute}, {Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.remove)}
		},
		begun: []string{"PUT", "DELETE"},
		gone:  true,
	},
	"followed by Location, and unseen until it is there": {
		plans: []fakes.Plan{{Style: fakes.Location, Duration: 2 * day, RetryAfter: day}},
		user:  func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		begun: []string{"PUT"},
		blind: true,
		size:  1,
	},
	"deleted before it can be seen": {
		plans: []fakes.Plan{
			{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute},
			{Style: fakes.Location, Duration: 2 * day, RetryAfter: day},
		},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.remove)}
		},
		begun: []string{"PUT", "DELETE"},
		blind: true,
		gone:  true,
	},
	"followed by the resource": {
		plans: []fakes.Plan{{Style: fakes.ProvisioningState, Duration: 2 * day, RetryAfter: day}},
		user:  func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		begun: []string{"PUT"},
		size:  1,
	},
	"fails once": {
		plans: []fakes.Plan{{Times: 1, Duration: day, RetryAfter: day, Ending: fakes.Failed}, {Duration: day, RetryAfter: day}},
		user:  func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		begun: []string{"PUT", "PUT"},
		size:  1,
	},
}

// tell plays a story in a bubble of its own, and returns how many steps it took.
func (s story) tell(t *testing.T, prepare func(*rig)) (steps int) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.cadence = poller.Cadence{Default: time.Hour, Max: day} // so that a story has few steps
		g.start()
		for _, p := range s.plans {
			g.svc.Plan(p)
		}
		prepare(g)
		g.user(s.user(g)...)
		<-g.changed // it is there
		require.NoError(t, g.reconcile())
		require.Equal(t, s.begun, g.begun())
		if !s.blind {
			require.Len(t, g.sent(), len(s.begun))
		}
		_, there := g.svc.Resource(path)
		require.Equal(t, !s.gone, there)
		if s.gone {
			require.Nil(t, g.versions[len(g.versions)-1])
		} else {
			w := g.widget()
			require.Equal(t, "True Succeeded", condition(w, conditionReady))
			require.Equal(t, "False Succeeded", condition(w, conditionProgressing))
			require.Equal(t, s.size, w.Status.Size)
			require.Equal(t, w.Generation, w.Status.ObservedGeneration)
		}
		steps = g.steps
	})
	return steps
}

// The controller is killed once, at each step in turn: after every request to the
// API server and to the service, which is before the next one. What has been begun is never begun
// again, and what has been wanted comes about.
func TestKilledAtEveryStep(t *testing.T) {
	for name, s := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := s.tell(t, func(*rig) {})
			for k := 1; k <= steps; k++ {
				t.Run(fmt.Sprint(k), func(t *testing.T) {
					var told *rig
					s.tell(t, func(g *rig) { told, g.killAt = g, func(step int) bool { return step == k } })
					require.Equal(t, 1, told.kills)
				})
			}
		})
	}
}

// The controller is killed again and again. Below the number of steps that a
// beginning takes nothing could ever be begun.
func TestKilledEveryFewSteps(t *testing.T) {
	for name, s := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for every := 8; every < 30; every += 3 {
				t.Run(fmt.Sprint(every), func(t *testing.T) {
					s.tell(t, func(g *rig) { g.killAt = func(step int) bool { return step%every == 0 } })
				})
			}
		})
	}
}
