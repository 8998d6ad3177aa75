package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lro-go/lro/fakes"
)

// TestResourceUnreadable checks that if a read of the resource returns an unreadable response, such
// as an HTML page, the controller starts no operation and tries again later.
func TestResourceUnreadable(t *testing.T) {
	for _, do := range []func(http.Handler) http.Handler{fakes.HTML(http.StatusOK), fakes.Truncate(20), fakes.Status(http.StatusBadGateway)} {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t)
			g.svc.Default.Polls = -1
			g.apply(g.create(1))
			require.NoError(t, g.reconcile())

			g.svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: do})
			g.apply(g.resize(2))
			require.Equal(t, time.Minute, g.once())
			require.Contains(t, condition(g.widget(), conditionReady), "False ")
			require.Empty(t, g.widget().Status.Operation.Token)
			require.NoError(t, g.reconcile())
			require.EqualValues(t, 2, g.widget().Status.Size)

			g.svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: do})
			g.apply(g.remove)
			require.NoError(t, g.reconcile())
			require.Equal(t, []string{"PUT", "PUT", "DELETE"}, g.started())
			_, exists := g.svc.Resource(path)
			require.False(t, exists)
		})
	}
}

// TestDeletedBeforeVisible checks that if the Widget is deleted during a PUT, the controller sends
// no DELETE until the resource is visible. Before then, the service would find nothing to delete.
func TestDeletedBeforeVisible(t *testing.T) {
	for _, ending := range []fakes.Ending{fakes.Succeeded, fakes.Failed} {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t)
			g.svc.Plan(fakes.Plan{Method: http.MethodPut, Style: fakes.Location, Duration: time.Hour, Ending: ending})
			g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Method: http.MethodDelete, Do: g.notFound})
			g.svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 2, Do: fakes.Status(http.StatusBadGateway)})
			g.svc.Default.Polls = -1
			g.apply(g.create(1))
			g.once()
			g.apply(g.remove)
			require.NoError(t, g.reconcile())
			require.True(t, apierrors.IsNotFound(g.cluster.Get(t.Context(), key, &Widget{})))
			time.Sleep(2 * time.Hour)
			_, exists := g.svc.Resource(path)
			require.False(t, exists, "the resource must not remain")
		})
	}
}

// notFound responds with 404 if the resource does not exist, and otherwise calls next.
func (g *rig) notFound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, exists := g.svc.Resource(path); !exists {
			http.NotFound(w, req)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// TestSlowStart checks that the controller waits for a slow response to a PUT.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Slow(50 * time.Second)})
		g.apply(g.create(1))
		start := time.Now()
		require.Equal(t, time.Minute, g.once())
		require.Equal(t, 50*time.Second, time.Since(start))
		require.Equal(t, "True InProgress", condition(g.widget(), conditionProgressing))
	})
}

// TestManagerStopsDuringStart checks that stopping the manager does not interrupt the request that
// starts an operation. The transport limits the duration of that request.
func TestManagerStopsDuringStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default = fakes.Plan{Duration: time.Hour}
		g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 1, Do: fakes.Hang()})
		g.apply(g.create(1))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		res, err := g.call(ctx)
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, time.Minute, res.RequeueAfter)
		require.Equal(t, "False StartUnknown", condition(g.widget(), conditionReady))
	})
}

// TestManagerStopsBeforeResult checks that if a manager stops while reading the result, the next
// manager reads it.
func TestManagerStopsBeforeResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default.Polls = -1
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Nth: 2, Do: fakes.Hang()})
		g.apply(g.create(1))
		time.Sleep(g.once())
		before := g.widget()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := g.call(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, before, g.widget())
		require.NoError(t, g.reconcile())
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
	})
}

// TestSlowResult checks that the controller waits if the service is slow to return the result.
func TestSlowResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.svc.Default.Polls = -1
		g.svc.Fault(fakes.Fault{Kind: fakes.Read, Method: http.MethodGet, Times: -1, Do: fakes.Slow(20 * time.Second)})
		g.apply(g.create(5))
		start := time.Now()
		require.NoError(t, g.reconcile())
		require.Equal(t, 20*time.Second+time.Minute+20*time.Second, time.Since(start))
		require.Equal(t, "True Succeeded", condition(g.widget(), conditionReady))
	})
}

type leaky struct{}

func (l leaky) Do(*http.Request) (*http.Response, error) {
	return nil, errors.New(`malformed HTTP response "see https://a.test/x?sig=c2VjcmV0"`)
}

// TestNoSecretInConditions checks that conditions contain no secrets, even if an error from
// net/http quotes a signed URL.
func TestNoSecretInConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.r.Service = leaky{}
		g.apply(g.create(1))
		g.once()
		require.Contains(t, g.message(conditionReady), "malformed HTTP response")
		require.NotContains(t, g.message(conditionReady), "c2VjcmV0")
	})
}

// TestDeletedWithoutResource checks that the Widget is deleted even if the service responds to the
// DELETE with 404 or 204.
func TestDeletedWithoutResource(t *testing.T) {
	for _, code := range []int{http.StatusNotFound, http.StatusNoContent} {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t)
			g.svc.Plan(fakes.Plan{Method: http.MethodPut, Style: fakes.Synchronous, Ending: fakes.Failed})
			g.svc.Fault(fakes.Fault{Kind: fakes.Begin, Method: http.MethodDelete, Do: fakes.Status(code)})
			g.apply(g.create(1))
			g.once()
			g.apply(g.remove)
			require.Zero(t, g.once())
			require.True(t, apierrors.IsNotFound(g.cluster.Get(t.Context(), key, &Widget{})))
		})
	}
}
