package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A scenario is a list of user actions and their expected outcome, which must not depend on when or
// how often the controller is killed.
type scenario struct {
	plans   []fakes.Plan
	user    func(g *rig) []func()
	started []string // the expected result of rig.started
	hidden  bool     // whether the service hides the resource during an operation, so a restarted controller may repeat the request and be refused
	gone    bool     // whether the Widget must be gone at the end
	size    int64
}

const day = 24 * time.Hour

var scenarios = map[string]scenario{
	"created, changed and deleted": {
		plans: []fakes.Plan{{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute}, {Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(4*day, g.resize(2)), g.after(4*day, g.remove)}
		},
		started: []string{"PUT", "PUT", "DELETE"},
		gone:    true,
	},
	"changed while an operation runs": {
		plans: []fakes.Plan{{Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.resize(2))}
		},
		started: []string{"PUT", "PUT"},
		size:    2,
	},
	"deleted during the creation": {
		plans: []fakes.Plan{{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute}, {Duration: 2 * day, RetryAfter: day}},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.remove)}
		},
		started: []string{"PUT", "DELETE"},
		gone:    true,
	},
	"followed by Location, and not visible before the end": {
		plans:   []fakes.Plan{{Style: fakes.Location, Duration: 2 * day, RetryAfter: day}},
		user:    func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		started: []string{"PUT"},
		hidden:  true,
		size:    1,
	},
	"deleted before it is visible": {
		plans: []fakes.Plan{
			{Method: "DELETE", Duration: 10 * time.Minute, RetryAfter: 10 * time.Minute},
			{Style: fakes.Location, Duration: 2 * day, RetryAfter: day},
		},
		user: func(g *rig) []func() {
			return []func(){g.after(0, g.create(1)), g.after(day/2, g.remove)}
		},
		started: []string{"PUT", "DELETE"},
		hidden:  true,
		gone:    true,
	},
	"followed by the resource": {
		plans:   []fakes.Plan{{Style: fakes.ProvisioningState, Duration: 2 * day, RetryAfter: day}},
		user:    func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		started: []string{"PUT"},
		size:    1,
	},
	"fails once": {
		plans:   []fakes.Plan{{Times: 1, Duration: day, RetryAfter: day, Ending: fakes.Failed}, {Duration: day, RetryAfter: day}},
		user:    func(g *rig) []func() { return []func(){g.after(0, g.create(1))} },
		started: []string{"PUT", "PUT"},
		size:    1,
	},
}

// play plays the scenario in a synctest bubble and checks the outcome. The function run must run
// the controller until nothing is due.
func (s scenario) play(t *testing.T, run func(*rig) error) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.cadence = poller.Cadence{Default: time.Hour, Max: day} // long pauses keep the number of steps low
		g.start()
		for _, p := range s.plans {
			g.svc.Plan(p)
		}
		g.user(s.user(g)...)
		<-g.changed // wait until the Widget exists
		require.NoError(t, run(g))
		require.Equal(t, s.started, g.started())
		if !s.hidden {
			require.Len(t, g.sent(), len(s.started))
		}
		_, exists := g.svc.Resource(path)
		require.Equal(t, !s.gone, exists)
		if s.gone {
			require.Nil(t, g.versions[len(g.versions)-1])
			return
		}
		w := g.widget()
		require.Equal(t, "True Succeeded", condition(w, conditionReady))
		require.Equal(t, "False Succeeded", condition(w, conditionProgressing))
		require.Equal(t, s.size, w.Status.Size)
		require.Equal(t, w.Generation, w.Status.ObservedGeneration)
	})
}

// TestCrashes crashes the controller before and after each request and each write. No scenario may
// lose an operation or start one twice.
func TestCrashes(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
				s.play(t, func(g *rig) error {
					return crash.Run(g.t.Context(), func(ctx context.Context, p *fakes.Process) error {
						g.process = p
						g.start()
						return g.run(ctx)
					})
				})
			})
		})
	}
}

// TestKilledEveryFewSteps kills the controller at every nth step, for several n from 8 to 29. With
// an n of 4 or less, some scenarios would never end.
func TestKilledEveryFewSteps(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for every := 8; every < 30; every += 3 {
				t.Run(fmt.Sprint(every), func(t *testing.T) {
					s.play(t, func(g *rig) error {
						g.killAt = func(step int) bool { return step%every == 0 }
						return g.reconcile()
					})
				})
			}
		})
	}
}
