package lrotf_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// After an interrupted creation, the next run ends right away if the widget is ready, even if the
// service has deleted the status.
func TestStatusExpired(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Expire = time.Hour
		r.interrupted(w1(1))
		time.Sleep(2 * days)
		require.Equal(t, "no-op", r.plan(w1(1)).Action)

		result, took := r.apply(w1(1))
		require.Empty(t, texts(result))
		require.Zero(t, took)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Equal(t, widgetPath+"w1", r.Attribute("id"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
	})
}

// The next apply succeeds if the widget matches the plan, even if the status of the interrupted
// update has expired.
func TestStatusExpiredOfUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Expire = time.Hour
		r.apply(w1(1))
		r.interrupted(w1(2))
		time.Sleep(2 * days)
		result, took := r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 10*time.Second, took)
		require.Equal(t, "2", r.Attribute("size"))
		require.Empty(t, r.Private())
		require.Equal(t, 2, r.started(put), "there must be one creation and one update")
	})
}

// Ctrl-C comes before the first read of the status. A day later, the status has expired but the
// widget is ready, so the plan must be empty.
func TestStatusExpiredBeforeFirstRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{RetryAfter: 5 * time.Minute, Duration: time.Hour})
		r.svc.Expire = time.Hour
		time.AfterFunc(time.Minute, func() { _ = r.Stop(t.Context()) })
		r.apply(w1(1))
		r.restart()
		time.Sleep(24 * time.Hour)
		require.Equal(t, "no-op", r.plan(w1(1)).Action)
	})
}

// A refresh that comes before the next read is due sends nothing, and does not restart the 12 hours
// after which a 404 means that the status has expired.
func TestStatusExpiredAndInterruptedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Expire = time.Hour
		r.apply(w1(1))
		r.interrupted(w1(2))
		time.Sleep(2 * days)
		time.AfterFunc(5*time.Second, func() { _ = r.Stop(t.Context()) })
		result, _ := r.apply(w1(2))
		require.True(t, result.Failed())
		r.restart()
		result, took := r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.LessOrEqual(t, took, 10*time.Second)
	})
}

// An apply succeeds even if the status expires during the wait. After five minutes of 404s, the
// apply reads the widget.
func TestStatusExpiresDuringUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		time.AfterFunc(days-time.Hour-time.Second, func() { r.svc.Fault(statusLost) })
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour+5*time.Minute+10*time.Second, took)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
	})
}

// If the service deletes the status before the creation ends, Update follows the creation by
// reading the widget.
func TestStatusLostWhileCreating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.svc.Fault(statusLost)
		require.Equal(t, "update", r.plan(w1(1)).Action)
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour+10*time.Second, took, "Update must read the widget every five minutes after the last failed read of the status")
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
	})
}

// After an interrupted deletion, the next destroy succeeds right away if the widget is gone and the
// service has deleted the status.
func TestStatusExpiredOfDelete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Expire = time.Hour
		r.apply(w1(1))
		r.interrupted(nil)
		time.Sleep(2 * days)
		result, took := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.Zero(t, took)
		require.False(t, r.HasState())
		require.Equal(t, 1, r.started(remove))
	})
}

// If both the status and the widget are gone, the provider reports an error and does not start a
// second creation. The next apply would create the widget.
func TestStatusAndResourceLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.svc.Fault(statusLost)
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: -1, Do: fakes.Status(http.StatusNotFound)})
		result, _ := r.apply(w1(1))
		require.True(t, result.Failed())
		require.Contains(t, texts(result), "It is unknown how the operation ended")
		require.Empty(t, r.Private())
		require.Equal(t, "create", r.plan(w1(1)).Action)
		require.Equal(t, 1, r.started(put))
	})
}

// If the endpoint in the configuration changes during a creation, the provider follows the creation
// by reading the widget at the new endpoint.
func TestNewEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(impatient(1)) // times out
		asked := len(r.svc.Requests())
		r.changeEndpoint()
		result := r.plan(w1(1))
		require.Equal(t, "update", result.Action)
		require.Contains(t, texts(result), "WARNING: An operation cannot be resumed\nThe provider reads the resource instead.")
		require.Contains(t, texts(result), "https://a.test is not an allowed origin")
		require.Contains(t, texts(result), "The provider sends nothing there.")
		for _, q := range r.svc.Requests()[asked:] {
			require.Equal(t, fakes.Read, q.Kind)
			require.Contains(t, q.URL, "https://b.test/")
		}

		start := time.Now()
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days, time.Since(start)+time.Hour-5*time.Minute, "%s", took)
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, 1, r.started(put))
	})
}

// The plan is empty if the creation ended before the endpoint changed.
func TestNewEndpointAfterEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		time.Sleep(days)
		r.changeEndpoint()
		result, took := r.apply(w1(1))
		require.Equal(t, "no-op", result.Action)
		require.Contains(t, texts(result), "WARNING: An operation cannot be resumed")
		require.Zero(t, took)
		require.Empty(t, r.Private())
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
	})
}

// TestDestroyAtNewEndpoint checks that destroy sends nothing to the old endpoint and deletes the widget.
func TestDestroyAtNewEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.changeEndpoint()
		asked := len(r.svc.Requests())
		result, _ := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.False(t, r.HasState())
		for _, q := range r.svc.Requests()[asked:] {
			require.Contains(t, q.URL, "https://b.test/")
		}
	})
}

// At an endpoint that does not know the widget, the provider neither creates it again nor loses
// track of the first creation.
func TestNewEndpointWithoutResource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.changeEndpoint()
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 3, Do: fakes.Status(http.StatusNotFound)})
		require.Equal(t, "update", r.plan(w1(1)).Action)
		result, took := r.apply(w1(1))
		require.Zero(t, took)
		require.True(t, result.Failed())
		require.Contains(t, texts(result), `ERROR: Creating widget "w1"`)
		require.Contains(t, texts(result), "run apply with -replace")

		r.c.endpoint = ""
		r.restart()
		result, took = r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour, took)
		require.Equal(t, 1, r.started(put))
	})
}

// A destroy succeeds if the endpoint does not know the widget. A run with -replace starts with such
// a destroy.
func TestReplaceAtNewEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.changeEndpoint()
		r.c.Doer = fakes.Client(new(fakes.Service)) // another service
		result, took := r.apply(nil)
		require.False(t, result.Failed(), "%s", texts(result))
		require.Zero(t, took)
		require.False(t, r.HasState())
		_, there := r.svc.Resource(widgetPath + "w1")
		require.True(t, there)
		require.Zero(t, r.started(remove))
	})
}

// statusLost makes every status URL return 404.
var statusLost = fakes.Fault{Kind: fakes.Poll, Times: -1, Do: fakes.Status(http.StatusNotFound)}

// changeEndpoint changes the endpoint in the provider's configuration and restarts the provider.
func (r *rig) changeEndpoint() {
	r.t.Helper()
	r.c.endpoint = "https://b.test"
	r.restart()
}

// The provider keeps a token written by a later release, and does not start a second creation.
func TestNewerToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		private := r.Private()
		r.Damage(withVersion(t, private, 99))
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: fakes.Status(http.StatusNotFound)})
		result, _ := r.apply(w1(1))
		require.True(t, result.Failed())
		require.Contains(t, texts(result), "the resume token is from a later release")
		require.Equal(t, withVersion(t, private, 99), r.Private())

		r.Damage(private)
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, days-time.Hour, took)
		require.Equal(t, 1, r.started(put))
	})
}

// withVersion returns a copy of the private state whose token has the given version.
func withVersion(t *testing.T, private string, version int) string {
	t.Helper()
	var all map[string][]byte
	require.NoError(t, json.Unmarshal([]byte(private), &all))
	var op struct {
		Verb  string         `json:"verb"`
		Token map[string]any `json:"token"`
	}
	require.NoError(t, json.Unmarshal(all["lro"], &op))
	require.Contains(t, op.Token, "lro")
	op.Token["lro"] = version
	changed, err := json.Marshal(op)
	require.NoError(t, err)
	b, err := json.Marshal(map[string][]byte{"lro": changed})
	require.NoError(t, err)
	return string(b)
}
