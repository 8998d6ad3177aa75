package after_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// TestReconcile checks that each turn returns the pause before the next one, and that after a
// failed read the next turn reads again.
func TestReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{RetryAfter: 20 * time.Second}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)

		step := poller.Step[widgets.Widget]{Token: token}
		var pauses []time.Duration
		for !step.Done {
			step, err = c.Reconcile(t.Context(), step.Token)
			require.NoError(t, err)
			pauses = append(pauses, max(time.Until(step.Next), 0))
			time.Sleep(time.Until(step.Next))
		}
		require.Equal(t, "alpha, size 1, Succeeded", step.Result.String())
		require.Len(t, pauses, 5)                            // including the first turn, which is too early
		require.GreaterOrEqual(t, pauses[2], 10*time.Second) // after the failed read, the pause is random
		pauses[2] = 0
		require.Equal(t, []time.Duration{20 * time.Second, 20 * time.Second, 0, 20 * time.Second, 0}, pauses)
	})
}

// TestReconcileFailure checks that nothing is left to do after an operation has failed, and that the
// error gives the reason.
func TestReconcileFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(&fakes.Service{Default: fakes.Plan{Polls: -1, Ending: fakes.Failed}})
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		step, err := c.Reconcile(t.Context(), token)
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)
		require.True(t, step.Done)
	})
}

// TestReconcileResult checks that a later turn can read a result that an earlier turn could not
// read.
func TestReconcileResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusBadRequest)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		step, err := c.Reconcile(t.Context(), token)
		var unread *lroerrors.ResultError
		require.ErrorAs(t, err, &unread)
		step, err = c.Reconcile(t.Context(), step.Token)
		require.NoError(t, err)
		require.Equal(t, "alpha", step.Result.Name)
	})
}

// TestReconcileResultLater checks that each turn makes only one attempt to read the result, and
// never waits.
func TestReconcileResultLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 6, Do: fakes.Status(http.StatusServiceUnavailable)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		turns := 0
		for step := (poller.Step[widgets.Widget]{Token: token}); !step.Done; turns++ {
			time.Sleep(time.Until(step.Next))
			start := time.Now()
			step, err = c.Reconcile(t.Context(), step.Token)
			require.NoError(t, err)
			require.Zero(t, time.Since(start))
			require.True(t, step.Done || time.Until(step.Next) > 0)
			require.Less(t, turns, 20)
		}
		require.Greater(t, turns, 2)
	})
}

// TestReconcileResultSlow checks that a turn can read a result even if the response takes 8 s.
func TestReconcileResultSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Times: -1, Do: fakes.Slow(8 * time.Second)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		step, err := c.Reconcile(t.Context(), token)
		require.NoError(t, err)
		require.True(t, step.Done)
	})
}
