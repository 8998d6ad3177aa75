package after_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/migrate/azcore/after"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

// A turn says when the next one is due. A read that fails costs one turn, and is
// counted in the token.
func TestReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{RetryAfter: 20 * time.Second}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)

		var pauses []time.Duration
		for token != "" {
			step, err := c.Reconcile(t.Context(), token)
			require.NoError(t, err)
			pauses = append(pauses, step.After)
			if step.Widget != nil {
				require.Equal(t, "alpha, size 1, Succeeded", step.Widget.String())
			}
			time.Sleep(step.After)
			token = step.Token
		}
		require.Len(t, pauses, 5)                            // the first turn is not due
		require.GreaterOrEqual(t, pauses[2], 10*time.Second) // a back-off of our own, drawn at random
		pauses[2] = 0
		require.Equal(t, []time.Duration{20 * time.Second, 20 * time.Second, 0, 20 * time.Second, 0}, pauses)
	})
}

// A failed operation leaves nothing to store, and its reason in the error.
func TestReconcileFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(&fakes.Service{Default: fakes.Plan{Polls: -1, Ending: fakes.Failed}})
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		step, err := c.Reconcile(t.Context(), token)
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)
		require.Zero(t, step)
	})
}

// A result that cannot be read is asked for again in a later turn.
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
		require.Equal(t, "alpha", step.Widget.Name)
	})
}

// While the result cannot be read, a turn makes one attempt and does not wait.
func TestReconcileResultLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 6, Do: fakes.Status(http.StatusServiceUnavailable)})
		c := client(svc)
		token, err := c.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		turns := 0
		for step := (after.Step{Token: token}); step.Widget == nil; turns++ {
			time.Sleep(step.After)
			start := time.Now()
			step, err = c.Reconcile(t.Context(), step.Token)
			require.NoError(t, err)
			require.Zero(t, time.Since(start))
			require.True(t, step.After > 0 || step.Widget != nil)
			require.Less(t, turns, 20)
		}
		require.Greater(t, turns, 2)
	})
}

// One that takes its time is read all the same.
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
		require.NotNil(t, step.Widget)
	})
}
