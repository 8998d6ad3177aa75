package migrate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

// The tests in this file check the differences that the migration guides list but docs/compared.md
// does not.

// TestPace checks when each client reads the status without Retry-After, with 15 s, and with 1 s.
func TestPace(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		retryAfter               time.Duration
		azcore, goAzureSDK, ours []time.Duration
	}{
		{0, []time.Duration{0, 30 * s, 60 * s}, []time.Duration{10 * s, 20 * s, 30 * s}, []time.Duration{60 * s, 120 * s, 180 * s}},
		{15 * s, []time.Duration{15 * s, 30 * s, 45 * s}, []time.Duration{15 * s, 30 * s, 45 * s}, []time.Duration{15 * s, 30 * s, 45 * s}},
		{1 * s, []time.Duration{1 * s, 2 * s, 3 * s}, []time.Duration{1 * s, 2 * s, 3 * s}, []time.Duration{10 * s, 20 * s, 30 * s}},
	} {
		plan := fakes.Plan{RetryAfter: tt.retryAfter}
		require.Equal(t, tt.azcore, reads(t, plan, func(ctx context.Context, svc *fakes.Service) error {
			_, err := azcoreBefore(svc).Create(ctx, "alpha", widgets.Of(1))
			return err
		}), "azcore, Retry-After %s", tt.retryAfter)
		require.Equal(t, tt.goAzureSDK, reads(t, plan, func(ctx context.Context, svc *fakes.Service) error {
			return goAzureSDKBefore(t, svc).CreateThenPoll(ctx, "alpha", widgets.Of(1))
		}), "go-azure-sdk, Retry-After %s", tt.retryAfter)
		require.Equal(t, tt.ours, reads(t, plan, func(ctx context.Context, svc *fakes.Service) error {
			_, err := azcoreAfter(svc).Create(ctx, "alpha", widgets.Of(1))
			return err
		}), "ours, Retry-After %s", tt.retryAfter)
	}
}

// reads calls the function do, which follows an operation of a fake service. It returns how long
// after the start each status read took place.
func reads(t *testing.T, plan fakes.Plan, do func(context.Context, *fakes.Service) error) (at []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		svc := &fakes.Service{Default: plan}
		start := time.Now()
		require.NoError(t, do(ctx, svc))
		for _, r := range svc.Requests() {
			if r.Kind == fakes.Poll {
				at = append(at, r.Time.Sub(start))
			}
		}
	})
	return at
}

// TestDeadline checks what a wait returns at its deadline. lro's error contains a token from which
// another process can continue. azcore returns only context.DeadlineExceeded.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_, err := azcoreBefore(svc).Create(ctx, "alpha", widgets.Of(1))
		require.Equal(t, context.DeadlineExceeded, err)

		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		client := azcoreAfter(svc)
		_, err = client.Create(ctx, "beta", widgets.Of(1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		token, err := wait.ResumeToken()
		require.Equal(t, "beta, size 1, Succeeded", reconcile(t.Context(), token, err, client.Reconcile))
	})
}

// go-azure-sdk rejects a context without a deadline. lro accepts it.
func TestNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 12 * time.Hour}}
		require.ErrorContains(t, goAzureSDKBefore(t, svc).CreateThenPoll(t.Context(), "alpha", widgets.Of(1)), "must have a deadline")
		require.Empty(t, svc.Requests())
		_, err := goAzureSDKAfter(t, svc).Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
	})
}
