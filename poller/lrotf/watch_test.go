package lrotf_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// If the Poller comes from a Watch and so has no token, the next plan and apply read the resource.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.c.watches = true
		start := time.Now()
		result := r.interrupted(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
		require.False(t, r.Tainted())
		require.NotContains(t, texts(result), "no resume token", "the provider must not warn, because a Watch never has a token")

		require.Equal(t, "update", r.plan(w1(1)).Action)
		result, _ = r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
		require.Less(t, time.Since(start)-days, 10*time.Minute)

		r.interrupted(w1(2))
		result, _ = r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, "2", r.Attribute("size"))
		require.Equal(t, 2, r.started(put))
	})
}

// Read keeps a resource in the state if its creation was interrupted and the resource is not
// visible yet.
func TestWatchNotVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.c.watches = true
		r.interrupted(w1(1))
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusNotFound)})
		require.Equal(t, "update", r.plan(w1(1)).Action)
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 1, r.started(put))
	})
}

// Destroy succeeds if a deletion without a token was interrupted and has since ended. The refresh
// does not find the widget.
func TestWatchDeletion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Polls: -1})
		r.c.watches = true
		r.apply(w1(1))
		result := r.interrupted(nil)
		require.True(t, result.Failed())
		require.True(t, r.HasState())
		time.Sleep(days)
		result, _ = r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.False(t, r.HasState())
	})
}

// A Watch has no token, so the next destroy repeats the request for an interrupted deletion. This
// service refuses the second request.
func TestWatchDeletionInProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Polls: -1})
		r.c.watches = true
		r.apply(w1(1))
		r.interrupted(nil)
		result, took := r.apply(nil)
		require.Contains(t, texts(result), `Deleting widget "w1": refused with 409`)
		require.Zero(t, took)
		require.True(t, r.HasState())
		require.Equal(t, 2, r.started(remove))
	})
}

// Destroy waits for a creation that it follows with a Watch, because this Watch cannot cancel the
// creation.
func TestWatchDestroyWhileCreating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: http.MethodDelete, Polls: -1})
		r.c.watches = true
		r.interrupted(w1(1))
		result, took := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.InDelta(t, days-time.Hour, took, float64(10*time.Minute))
		require.False(t, r.HasState())
	})
}

// If a creation ends between the plan and the call to Update, Update sends the request again only
// if the creation failed.
func TestWatchEndsBeforeUpdate(t *testing.T) {
	t.Parallel()
	for ending, puts := range map[fakes.Ending]int{fakes.Succeeded: 1, fakes.Failed: 2} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakes.Plan{Times: 1, Duration: days, Ending: ending})
			r.c.watches = true
			r.interrupted(w1(1))
			r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					next.ServeHTTP(w, req)
					r.svc.Finish(widgetPath + "w1")
				})
			}})
			result, _ := r.apply(w1(1))
			require.False(t, result.Failed(), "%s", texts(result))
			require.Equal(t, puts, r.started(put), "Update must request a failed creation again")
			require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		})
	}
}

// TestWatchDeletionFailsBeforeUpdate checks that Update does not create a widget again if its
// deletion failed.
func TestWatchDeletionFailsBeforeUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Polls: -1}, fakes.Plan{Method: http.MethodDelete, Times: 1, Duration: days, Ending: fakes.Failed})
		r.c.watches = true
		r.apply(w1(1))
		r.interrupted(nil)
		// Nth is 2, because the refresh makes the first read.
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 2, Times: -1, Do: fakes.Respond(http.StatusOK,
			`{"id": "`+widgetPath+`w1", "name": "w1", "properties": {"size": 1, "provisioningState": "Succeeded"}}`)})
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 1, r.started(put))
	})
}

// If the widget never becomes visible after its creation, the next apply sends the PUT again.
func TestWatchNeverVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.c.watches = true
		r.interrupted(w1(1))
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: fakes.Status(http.StatusNotFound)})
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Respond(http.StatusOK, `{"id": "`+widgetPath+`w1", "name": "w1", "properties": {"size": 1, "provisioningState": "Succeeded"}}`)})
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, "update", result.Action)
		require.Equal(t, 2, r.started(put))
		require.Empty(t, r.Private())
	})
}

// TestDeletionResult checks that a deletion succeeds even if its result is not a widget.
func TestDeletionResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Polls: -1}, fakes.Plan{Method: http.MethodDelete, Style: fakes.Location, Polls: 1})
		r.apply(w1(1))
		r.svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Times: -1, Do: fakes.Respond(http.StatusOK, `{"properties": 5}`)})
		result, _ := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.False(t, r.HasState())
	})
}
