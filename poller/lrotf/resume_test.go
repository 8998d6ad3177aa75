package lrotf_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

func TestCreateInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		result := r.interrupted(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
		require.False(t, r.Tainted())
		require.Equal(t, widgetPath+"w1", r.Attribute("id"))
		require.Equal(t, "Working", r.Attribute("provisioning_state"))
		require.Contains(t, r.Private(), `"lro"`)

		result = r.plan(w1(1))
		require.Equal(t, "update", result.Action)
		require.Contains(t, texts(result), `WARNING: An operation on widget "w1" is in progress`)

		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour, took)
		require.Equal(t, days, time.Since(start))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
		require.Equal(t, "no-op", r.plan(w1(1)).Action)
	})
}

// TestCreateInterruptedBeforeResponse checks that Ctrl-C does not interrupt the request that starts an
// operation.
func TestCreateInterruptedBeforeResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: 1, Do: fakes.Slow(30 * time.Second)})
		time.AfterFunc(time.Second, func() { _ = r.Stop(context.Background()) })
		result, took := r.apply(w1(1))
		require.Equal(t, 30*time.Second, took)
		require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
		r.restart()
		result, _ = r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 1, r.started(put))
	})
}

// Several applies can wait for one creation. All but the last one time out, and the creation ends
// during the last one.
func TestCreateTimesOutRepeatedly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		result, took := r.apply(impatient(1))
		require.False(t, result.Failed(), "a timeout must not be an error, which would taint the widget: %s", texts(result))
		require.LessOrEqual(t, took, time.Hour)
		require.Greater(t, took, 50*time.Minute)
		for r.Attribute("provisioning_state") != "Succeeded" {
			r.restart()
			result, took = r.apply(impatient(1))
			require.LessOrEqual(t, took, time.Hour)
			require.Equal(t, r.Attribute("provisioning_state") != "Succeeded", result.Failed(), "%s", texts(result))
			require.False(t, r.Tainted())
		}
		require.Equal(t, 1, r.started(put))
		require.Less(t, time.Since(start)-days, 10*time.Minute)
	})
}

// A refresh reads the result of a creation that has ended since the last run.
func TestCreateEndsBetweenRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		time.Sleep(days)
		require.Equal(t, "no-op", r.plan(w1(1)).Action)
		_, took := r.apply(w1(1))
		require.Zero(t, took)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
	})
}

// A refresh sends nothing during the pause that the service asked for.
func TestPlanBeforePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Duration: days, RetryAfter: 7 * time.Minute})
		r.interrupted(w1(1)) // four minutes after the last read
		sent := len(r.svc.Requests())
		time.Sleep(2 * time.Minute)
		require.Equal(t, "update", r.plan(w1(1)).Action)
		require.Equal(t, sent, len(r.svc.Requests()))
		time.Sleep(time.Minute)
		require.Equal(t, "update", r.plan(w1(1)).Action)
		require.Equal(t, sent+1, len(r.svc.Requests()))
	})
}

// A refresh does not wait for a result that cannot be read yet.
func TestResultNotVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		time.Sleep(days)
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusNotFound)})
		start := time.Now()
		result := r.plan(w1(1))
		require.Zero(t, time.Since(start))
		require.Equal(t, "update", result.Action)
		require.Contains(t, texts(result), "it has not finished: Succeeded")

		result, _ = r.apply(w1(1))
		require.Equal(t, "no-op", result.Action)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
	})
}

func TestCreateFailsBetweenRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{
			Method: put, Times: 1, Duration: days, Ending: fakes.Failed,
			Error: fakes.Error{Code: "NoRoom", Message: "No more widgets."},
		})
		r.interrupted(w1(1))
		time.Sleep(days)
		result := r.plan(w1(1))
		require.Equal(t, "update", result.Action)
		require.Contains(t, texts(result), `WARNING: Creating widget "w1": failed: NoRoom`)
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days, took)
		require.Equal(t, 2, r.started(put))
	})
}

// If a resumed creation fails, the provider reports an error, and the next apply updates the
// widget.
func TestCreateFailsAfterResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Times: 1, Duration: days, Ending: fakes.Failed})
		r.interrupted(w1(1))
		result, _ := r.apply(w1(1))
		require.True(t, result.Failed())
		require.Contains(t, texts(result), `ERROR: Creating widget "w1": failed`)
		require.Empty(t, r.Private())
		result, _ = r.apply(w1(1))
		require.Equal(t, "update", result.Action)
		require.False(t, result.Failed(), "%s", texts(result))
	})
}

// TestNewSizeWhileCreating checks that Update waits for the creation before it sends a new size.
func TestNewSizeWhileCreating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		result, took := r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 2*days-time.Hour, took)
		require.Equal(t, "2", r.Attribute("size"))
		require.Equal(t, 2, r.started(put))
	})
}

func TestUpdateInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(w1(1))
		result := r.interrupted(w1(2))
		require.True(t, result.Failed(), "Update must return an error, which does not taint")
		require.False(t, r.Tainted())
		require.Equal(t, "1", r.Attribute("size"), "the state must have the old size until the update has ended")
		require.Equal(t, "update", r.plan(w1(2)).Action)
		result, took := r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour, took)
		require.Equal(t, "2", r.Attribute("size"))
		require.Equal(t, 2, r.started(put), "one creation, one update")
	})
}

// If the configuration is changed back during an update, Update waits for that update to end, and
// then sends the old size.
func TestUpdateReverted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(w1(1))
		r.interrupted(w1(2))
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 2*days-time.Hour, took)
		require.Equal(t, "1", r.Attribute("size"))
		require.Equal(t, 3, r.started(put))
	})
}

func TestDeleteInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(w1(1))
		result := r.interrupted(nil)
		require.True(t, result.Failed())
		require.True(t, r.HasState())
		result, took := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour, took)
		require.False(t, r.HasState())
		require.Equal(t, 1, r.started(remove))
	})
}

// Update waits for a deletion in progress and then creates the widget again, even if the
// configuration matches the old widget.
func TestCreateWhileDeleting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(w1(0))
		r.interrupted(nil)
		require.Equal(t, "update", r.plan(w1(0)).Action)
		result, took := r.apply(w1(0))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 2*days-time.Hour, took)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Equal(t, 2, r.started(put))
	})
}

// After an interrupted run, the status reads of the next run are still five minutes apart, as the
// service asked.
func TestPauseAcrossRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		before := len(r.svc.Requests())
		r.apply(w1(1))
		var polls []time.Time
		for _, q := range r.svc.Requests()[before:] {
			if q.Kind == fakes.Poll {
				polls = append(polls, q.Time)
			}
		}
		for i := range polls[1:] {
			require.Equal(t, 5*time.Minute, polls[i+1].Sub(polls[i]))
		}
	})
}

// TestDestroyWhileCreating checks that destroy cancels a creation that is in progress.
func TestDestroyWhileCreating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		result, took := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days, took, "only the deletion must take time, because the creation is canceled")
		require.False(t, r.HasState())
		var kinds []fakes.Kind
		for _, q := range r.svc.Requests() {
			if q.Kind == fakes.Begin || q.Kind == fakes.Cancel {
				kinds = append(kinds, q.Kind)
			}
		}
		require.Equal(t, []fakes.Kind{fakes.Begin, fakes.Cancel, fakes.Begin}, kinds)
	})
}

// Destroy deletes the widget even if its creation's result cannot be read, or if the service has
// lost track of the creation.
func TestDestroyAfterOtherEnding(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakes.Fault{
		"unreadable": {Kind: fakes.Read, Times: -1, Do: fakes.Status(http.StatusForbidden)},
		"gone":       {Kind: fakes.Poll, Method: http.MethodGet, Times: 1, Do: fakes.Status(http.StatusGone)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.svc.Fault(fakes.Fault{Kind: fakes.Cancel, Do: fakes.Status(http.StatusMethodNotAllowed)})
				r.interrupted(w1(1))
				time.AfterFunc(time.Minute, func() { r.svc.Fault(fault) }) // after the refresh
				result, _ := r.apply(nil)
				require.False(t, result.Failed(), "%s", texts(result))
				require.False(t, r.HasState())
				require.Equal(t, 1, r.started(remove))
			})
		})
	}
}

// Delete does not treat a 404 from the status URL as the end of the deletion.
func TestDeletionStatusNotFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(w1(1))
		hasty := w1(1)
		hasty["timeouts"] = lrotftest.Config{"delete": "4m"}
		r.apply(hasty)
		r.svc.Fault(fakes.Fault{Kind: fakes.Poll, Method: http.MethodGet, Times: -1, Do: fakes.Status(http.StatusNotFound)})
		r.svc.Plan(fakes.Plan{Method: remove, Duration: days})
		result, took := r.apply(nil)
		require.LessOrEqual(t, took, 4*time.Minute)
		require.Contains(t, texts(result), `ERROR: Deleting widget "w1": not finished`)
		require.True(t, r.HasState())
		require.Contains(t, r.Private(), `"lro"`)
	})
}

func TestDamagedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.Damage(`{"lro":"` + base64.StdEncoding.EncodeToString([]byte(`{"verb":"create","token":{}}`)) + `"}`)
		result := r.plan(w1(1))
		require.Contains(t, texts(result), "WARNING: An operation cannot be resumed")
		require.Equal(t, "update", result.Action, "the plan must show the creation that the widget reports")
		result, _ = r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 1, r.started(put))
	})
}
