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

func (g *rig) apply(do func(*Widget) error) {
	w := &Widget{}
	require.NoError(g.t, client.IgnoreNotFound(g.cluster.Get(g.t.Context(), key, w)))
	require.NoError(g.t, do(w))
	g.note()
}

// once makes a single call of Reconcile and returns its RequeueAfter.
func (g *rig) once() time.Duration {
	res, err := g.call(g.t.Context())
	require.NoError(g.t, err)
	return res.RequeueAfter
}

// puts returns the time of each PUT relative to start, rounded to minutes.
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

// TestCadence checks that each call reads the status once, exactly when the service's Retry-After
// has passed.
func TestCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
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

// TestEarlyReconcile checks that Reconcile sends nothing before the next read is due.
func TestEarlyReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default = fakes.Plan{Duration: fakes.Forever, RetryAfter: 90 * time.Second}
		g.apply(g.create(1))
		require.Equal(t, 90*time.Second, g.once())
		time.Sleep(30 * time.Second)
		before := len(g.svc.Requests())
		require.Equal(t, time.Minute, g.once())
		require.Len(t, g.svc.Requests(), before)
		time.Sleep(2 * time.Minute)
		require.Equal(t, 90*time.Second, g.once())
		require.Len(t, g.svc.Requests(), before+1)
	})
}

func TestOperationFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
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

		require.NoError(t, g.reconcile())
		m := time.Minute
		require.Equal(t, []time.Duration{0, m, 3 * m, 7 * m, 15 * m, 31 * m, 63 * m, 123 * m, 183 * m, 243 * m}, g.puts(start))
		require.Zero(t, g.widget().Status.Operation)
	})
}

// TestSpecChangedAfterFailure checks that the controller applies a new spec right away, even if the
// next attempt for the old spec is not due.
func TestSpecChangedAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Plan(fakes.Plan{Times: 1, Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 400, Error: fakes.Error{Code: "TooLarge", Message: "Too large."}})
		g.apply(g.create(1000))
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False NotStarted", condition(g.widget(), conditionReady))
		require.Contains(t, g.message(conditionReady), "TooLarge")
		g.apply(g.resize(10))
		start := time.Now()
		require.Equal(t, time.Minute, g.once()) // the pause before the first read
		require.Equal(t, []time.Duration{0, 0}, g.puts(start))
		require.Equal(t, "True InProgress", condition(g.widget(), conditionProgressing))
	})
}

// TestReadFails checks that after a failed read of the status, the condition Progressing has the
// same status and reason as before, and its message contains the error.
func TestReadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
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
		require.Equal(t, time.Second, g.once()) // the token contains the time of the next read
		require.NoError(t, g.reconcile())
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestStatusGone checks that if the status URL keeps returning 404, the controller reads the
// resource and starts no other operation.
func TestStatusGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Quirk(quirks.StatusNeverFound, "")
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.apply(g.create(1))
		for condition(g.widget(), conditionReady) != "False Lost" {
			time.Sleep(g.once())
		}
		require.Contains(t, g.message(conditionReady), "(Gone)")
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestForeignOrigin checks that the controller follows an operation at another origin only after
// the options allow that origin.
func TestForeignOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Quirk(quirks.LocationOnOtherHost, "")
		g.svc.Default = fakes.Plan{Style: fakes.Location, Duration: time.Hour}
		g.apply(g.create(1))
		require.Equal(t, time.Hour, g.once())
		require.Equal(t, "Unknown Unfollowable", condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "Check the controller's origins")
		require.Contains(t, g.message(conditionProgressing), "widgets.trafficmanager.example")
		require.Equal(t, time.Hour, g.once()) // another attempt fails too
		g.r.Options.Origins = append(g.r.Options.Origins, quirks.OtherOrigin)
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestForbidden checks that the controller keeps the token while the service forbids reads of the
// status, and follows the operation once the service allows them again.
func TestForbidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 3, Do: fakes.Status(http.StatusForbidden)})
		g.apply(g.create(1))
		time.Sleep(g.once())
		require.Equal(t, time.Hour, g.once())
		require.Equal(t, "Unknown Refused", condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "403 Forbidden")
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestResourceOfAnotherOwner checks that the controller neither writes nor deletes another owner's
// resource.
func TestResourceOfAnotherOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Put(path, map[string]any{"properties": map[string]any{"size": 99}})
		g.apply(g.create(1))
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False Occupied", condition(g.widget(), conditionReady))
		g.apply(g.remove)
		require.NoError(t, g.reconcile())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
		require.Empty(t, g.started())
		_, exists := g.svc.Resource(path)
		require.True(t, exists)
	})
}

// TestBadToken checks that the controller drops a damaged token and reads the resource to find the
// operation again.
func TestBadToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
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
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestNewerToken checks that after a rollback, the controller keeps a token from a later release
// and starts no other operation.
func TestNewerToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.apply(g.create(1))
		g.once()
		g.apply(func(w *Widget) error {
			w.Status.Operation.Token = `{"lro":99}`
			return g.cluster.Status().Update(t.Context(), w)
		})
		require.Equal(t, time.Hour, g.once())
		require.Equal(t, "Unknown Unfollowable", condition(g.widget(), conditionProgressing))
		require.Contains(t, g.message(conditionProgressing), "later release")
		require.Equal(t, `{"lro":99}`, g.widget().Status.Operation.Token)
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestResultUnread checks that the controller retries a failed read of the result, once per call.
func TestResultUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Nth: 2, Times: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
		g.svc.Default = fakes.Plan{Duration: time.Minute}
		g.apply(g.create(5))
		time.Sleep(g.once())
		for _, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
			require.Equal(t, pause, g.once())
			require.Equal(t, "True ResultUnread", condition(g.widget(), conditionProgressing))
			time.Sleep(pause)
		}
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
		require.EqualValues(t, 5, g.widget().Status.Size)
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestDeletionFails checks that the controller retries a failed deletion and that the Widget
// remains until a deletion succeeds.
func TestDeletionFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Plan(fakes.Plan{Method: http.MethodDelete, Times: 2, Ending: fakes.Failed, Error: fakes.Error{Code: "InUse", Message: "It is in use."}})
		g.apply(g.create(1))
		require.NoError(t, g.reconcile())
		g.apply(g.remove)
		for condition(g.widget(), conditionReady) != "False OperationFailed" {
			time.Sleep(g.once())
		}
		require.NoError(t, g.reconcile())
		require.Equal(t, []string{"PUT", "DELETE", "DELETE", "DELETE"}, g.started())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
	})
}

// TestManagerStops checks two cases. If the manager stops just before a PUT, the controller still
// sends it and stores the operation's token. If the manager stops before a read of the status, the
// Widget does not change.
func TestManagerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
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
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestResultUndecodable checks that if the result cannot be decoded, the controller reads the
// resource and starts no new operation.
func TestResultUndecodable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default.Polls = -1
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Nth: 2, Do: fakes.Respond(http.StatusOK, `{"properties": {"size": "large"}}`)})
		g.apply(g.create(5))
		time.Sleep(g.once())
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, "False ResultUnread", condition(g.widget(), conditionReady))
		require.NoError(t, g.reconcile())
		require.EqualValues(t, 5, g.widget().Status.Size)
		require.Equal(t, []string{"PUT"}, g.started())
	})
}

// TestDeleteDuringPut checks that the controller sends a DELETE during a PUT if the resource is
// visible.
func TestDeleteDuringPut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Plan(fakes.Plan{Method: http.MethodDelete, Duration: time.Hour})
		g.svc.Default = fakes.Plan{Duration: fakes.Forever}
		g.apply(g.create(1))
		g.once()
		g.apply(g.remove)
		g.once()
		require.Equal(t, []string{"PUT", "DELETE"}, g.started())
		require.NoError(t, g.reconcile())
		require.Error(t, g.cluster.Get(t.Context(), key, &Widget{}))
	})
}

// TestSpecChangedBeforeFailure checks that if the old spec's operation fails, the controller
// applies a new spec without a pause.
func TestSpecChangedBeforeFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Plan(fakes.Plan{Times: 1, Polls: -1, Ending: fakes.Failed})
		g.apply(g.create(1))
		pause := g.once()
		g.apply(g.resize(2))
		time.Sleep(pause)
		require.Equal(t, time.Millisecond, g.once())
		require.Equal(t, time.Minute, g.once()) // the pause before the first read
		require.Equal(t, []string{"PUT", "PUT"}, g.started())
	})
}
