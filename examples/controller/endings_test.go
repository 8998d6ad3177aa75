package main

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

// bubble runs a test of one Widget in a bubble of synctest.
func bubble(t *testing.T, test func(*testing.T, *rig)) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.changed = nil // each part ends when nothing is due, or when its test says so
		test(t, g)
	})
}

func (g *rig) apply(do func(*Widget) error) {
	w := &Widget{}
	require.NoError(g.t, client.IgnoreNotFound(g.cluster.Get(g.t.Context(), key, w)))
	require.NoError(g.t, do(w))
	g.note()
}

// once reconciles once and returns RequeueAfter.
func (g *rig) once() time.Duration {
	res, err := g.call(g.t.Context())
	require.NoError(g.t, err)
	return res.RequeueAfter
}

// puts are the times of the PUTs, since the beginning of the bubble's time.
func (g *rig) puts(start time.Time) (at []time.Duration) {
	for _, req := range g.svc.Requests() {
		if req.Method == http.MethodPut {
			at = append(at, req.Time.Sub(start).Round(time.Minute))
		}
	}
	return at
}

func (g *rig) message(kind string) string {
	return meta.FindStatusCondition(g.widget().Status.Conditions, kind).Message
}

// The pace is the service's, to the nanosecond, and each call reads once at most.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Default = fakes.Plan{Duration: 3 * day, RetryAfter: 10 * time.Minute}
		g.apply(g.create(7))
		start := time.Now()
		require.NoError(t, g.reconcile())
		require.Equal(t, 3*day, time.Since(start))
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		polls := 0
		for _, req := range g.svc.Requests() {
			if req.Kind == fakes.Poll {
				polls++
				require.Equal(t, time.Duration(polls)*10*time.Minute, req.Time.Sub(start))
			}
		}
		require.Equal(t, 3*24*6, polls)
	})
}

// What else wakes the reconciler up does not make it ask earlier.
func TestWokenEarly(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Default = fakes.Plan{Duration: fakes.Forever, RetryAfter: 90 * time.Second}
		g.apply(g.create(1))
		require.Equal(t, 90*time.Second, g.once())
		time.Sleep(30 * time.Second)
		before := len(g.svc.Requests())
		require.Equal(t, time.Minute, g.once())
		require.Len(t, g.svc.Requests(), before)
		time.Sleep(2 * time.Minute) // the queue is late
		require.Equal(t, 90*time.Second, g.once())
		require.Len(t, g.svc.Requests(), before+1)
	})
}

func TestOperationFails(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Plan(fakes.Plan{Times: 9, Polls: -1, Ending: fakes.Failed, Error: fakes.Error{Code: "Quota.Exceeded", Message: "No more widgets."}})
		g.svc.Default.Polls = -1
		g.r.Options.Cadence = poller.Cadence{Default: time.Second, Min: time.Second}
		g.apply(g.create(1))
		start := time.Now()
		g.once()
		time.Sleep(time.Second)
		require.Equal(t, time.Minute, g.once())
		w := g.widget()
		require.Equal(t, "False OperationFailed", condition(w, conditionReady))
		require.Equal(t, "False OperationFailed", condition(w, conditionProgressing))
		require.Contains(t, g.message(conditionReady), "Quota.Exceeded: No more widgets.")
		require.Equal(t, w.Generation, w.Status.ObservedGeneration)

		require.NoError(t, g.reconcile()) // until it is Ready
		m := time.Minute
		require.Equal(t, []time.Duration{0, m, 3 * m, 7 * m, 15 * m, 31 * m, 63 * m, 123 * m, 183 * m, 243 * m}, g.puts(start))
		require.Zero(t, g.widget().Status.Operation)
	})
}

// A change of the spec does not wait for the next try of what it replaces.
func TestSpecChangedAfterFailure(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Plan(fakes.Plan{Times: 1, Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 400, Error: fakes.Error{Code: "TooLarge", Message: "Too large."}})
		g.apply(g.create(1000))
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False NotStarted", condition(g.widget(), conditionReady))
		require.Contains(t, g.message(conditionReady), "TooLarge")
		g.apply(g.resize(10))
		start := time.Now()
		require.Equal(t, time.Minute, g.once()) // to the first read
		require.Equal(t, []time.Duration{0, 0}, g.puts(start))
		require.Equal(t, "True InProgress", condition(g.widget(), conditionProgressing))
	})
}

// A read that fails changes nothing that is known; the message has its error.
func TestReadFails(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.HTML(http.StatusBadGateway)})
		g.apply(g.create(1))
		require.Equal(t, time.Minute, g.once())
		before := condition(g.widget(), conditionProgressing)
		time.Sleep(time.Minute)
		after := g.once()
		require.GreaterOrEqual(t, after, 10*time.Second)
		require.Less(t, after, time.Minute)
		require.Equal(t, before, condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "502 Bad Gateway")
		time.Sleep(after - time.Second)
		require.Equal(t, time.Second, g.once()) // the time is in the token
		require.NoError(t, g.reconcile())
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// The status URL is never there. The resource is asked in its place, and nothing is
// begun again.
func TestStatusGone(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Quirk(quirks.StatusNeverFound, "")
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.apply(g.create(1))
		for condition(g.widget(), conditionReady) != "False Lost" {
			time.Sleep(g.once())
		}
		require.Contains(t, g.message(conditionReady), "(Gone)")
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// The service answers with a URL at another origin. What was accepted is kept, and
// a controller that may ask there goes on.
func TestForeignOrigin(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Quirk(quirks.LocationElsewhere, "")
		g.svc.Default = fakes.Plan{Style: fakes.Location, Duration: time.Hour}
		g.apply(g.create(1))
		require.Equal(t, time.Hour, g.once())
		require.Equal(t, "Unknown Unfollowable", condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "Check the controller's origins")
		require.Contains(t, g.message(conditionProgressing), "widgets.trafficmanager.example")
		require.Equal(t, time.Hour, g.once()) // still
		g.r.Options.Origins = append(g.r.Options.Origins, quirks.Elsewhere)
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// The controller may not read the operation, and then it may.
func TestRefused(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 3, Do: fakes.Status(http.StatusForbidden)})
		g.apply(g.create(1))
		time.Sleep(g.once())
		require.Equal(t, time.Hour, g.once())
		require.Equal(t, "Unknown Refused", condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "403 Forbidden")
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// What is not of the Widget is neither written nor deleted.
func TestOccupied(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Put(path, map[string]any{"properties": map[string]any{"size": 99}})
		g.apply(g.create(1))
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False Occupied", condition(g.widget(), conditionReady))
		g.apply(g.remove)
		require.NoError(t, g.reconcile())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
		require.Empty(t, g.begun())
		_, there := g.svc.Resource(path)
		require.True(t, there)
	})
}

// A token that was tampered with is not believed. What it was of is found again.
func TestBadToken(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.apply(g.create(1))
		g.once()
		g.apply(func(w *Widget) error {
			w.Status.Operation.Token = "{"
			return g.cluster.Status().Update(t.Context(), w)
		})
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False Lost", condition(g.widget(), conditionReady))
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// The operation succeeds, and its result cannot be read for a while.
func TestResultUnread(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Nth: 2, Times: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
		g.svc.Default = fakes.Plan{Duration: time.Minute}
		g.apply(g.create(5))
		time.Sleep(g.once())
		for _, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} { // one read in each turn
			require.Equal(t, pause, g.once())
			require.Equal(t, "True ResultUnread", condition(g.widget(), conditionProgressing))
			time.Sleep(pause)
		}
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.EqualValues(t, 5, g.widget().Status.Size)
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// A deletion that fails is tried again, and the Widget stays until it succeeds.
func TestDeletionFails(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Plan(fakes.Plan{Method: http.MethodDelete, Times: 2, Ending: fakes.Failed, Error: fakes.Error{Code: "InUse", Message: "It is in use."}})
		g.apply(g.create(1))
		require.NoError(t, g.reconcile())
		g.apply(g.remove)
		for condition(g.widget(), conditionReady) != "False OperationFailed" {
			time.Sleep(g.once())
		}
		require.NoError(t, g.reconcile())
		require.Equal(t, []string{"PUT", "DELETE", "DELETE", "DELETE"}, g.begun())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
	})
}

// A manager that stops lets a beginning come to its end, and its token be stored. A
// read that is cut short changes nothing.
func TestManagerStops(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.apply(g.create(1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := g.call(ctx)
		require.NoError(t, err)
		require.Equal(t, time.Minute, res.RequeueAfter)
		before := g.widget()
		require.NotEmpty(t, before.Status.Operation.Token)
		time.Sleep(time.Minute)
		_, err = g.call(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, before, g.widget())
		require.NoError(t, g.reconcile())
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// The service throttles. No call sleeps or repeats a request, the pauses are at least
// those that the service asked for, and a 429 spends no patience.
func TestThrottled(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 1, Do: fakes.Throttle(45 * time.Second)})
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 2, Do: fakes.Throttle(time.Hour)})
		g.svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 20, Do: fakes.Throttle(45 * time.Second)})
		g.r.Options.Patience = poller.Patience{Failures: 1}
		g.apply(g.create(1))
		turn := func(wantPause time.Duration, wantSent int) {
			start, sent := time.Now(), len(g.svc.Requests())
			require.Equal(t, wantPause, g.once())
			require.Zero(t, time.Since(start))
			require.Len(t, g.svc.Requests(), sent+wantSent)
			time.Sleep(wantPause)
		}
		turn(time.Minute, 2) // the GET of the resource and the PUT
		turn(time.Hour, 2)
		turn(time.Minute, 2) // accepted
		for range 20 {
			turn(45*time.Second, 1)
			require.Contains(t, g.message(conditionProgressing), "429 Too Many Requests")
		}
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// A result that is not JSON is looked for at the resource, and nothing is started again.
func TestResultUndecodable(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Default.Polls = -1
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Nth: 2, Do: fakes.Respond(http.StatusOK, `{"properties": {"size": "large"}}`)})
		g.apply(g.create(5))
		time.Sleep(g.once())
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False ResultUnread", condition(g.widget(), conditionReady))
		require.NoError(t, g.reconcile())
		require.EqualValues(t, 5, g.widget().Status.Size)
		require.Equal(t, []string{"PUT"}, g.begun())
	})
}

// A deletion does not wait for the end of a PUT whose resource is visible.
func TestDeletionOvertakes(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Plan(fakes.Plan{Method: http.MethodDelete, Duration: time.Hour})
		g.svc.Default = fakes.Plan{Duration: fakes.Forever}
		g.apply(g.create(1))
		g.once()
		g.apply(g.remove)
		g.once()
		require.Equal(t, []string{"PUT", "DELETE"}, g.begun())
		require.NoError(t, g.reconcile())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
	})
}

// A spec that changed while its operation failed does not wait for the next attempt.
func TestSpecChangedBeforeFailure(t *testing.T) {
	bubble(t, func(t *testing.T, g *rig) {
		g.svc.Plan(fakes.Plan{Times: 1, Polls: -1, Ending: fakes.Failed})
		g.apply(g.create(1))
		pause := g.once()
		g.apply(g.resize(2))
		time.Sleep(pause)
		require.Equal(t, time.Millisecond, g.once())
		require.Equal(t, time.Minute, g.once()) // to the first read
		require.Equal(t, []string{"PUT", "PUT"}, g.begun())
	})
}
