package migrate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	hcafter "github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/transport"
)

// TestDeadline checks what a wait returns at its deadline: our poller returns an error with a token
// from which another wait can resume; azcore returns only context.DeadlineExceeded.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
		short := func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), 10*time.Minute) }

		ctx, cancel := short()
		_, err := azcoreClient(svc).Create(ctx, "alpha", widgets.Of(1))
		require.Equal(t, context.DeadlineExceeded, err)
		cancel()

		ctx, cancel = short()
		client := ourClient(svc)
		_, err = client.Create(ctx, "gamma", widgets.Of(1))
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok)
		token, err := wait.ResumeToken()
		require.NoError(t, err)
		w, err := client.Resume(t.Context(), token)
		require.NoError(t, err)
		require.Equal(t, "gamma, size 1, Succeeded", w.String())
	})
}

// TestNoDeadline checks that go-azure-sdk rejects a context without a deadline, and that our poller
// accepts such a context.
func TestNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 12 * time.Hour}}
		require.ErrorContains(t, goAzureSDKClient(t, svc).CreateThenPoll(t.Context(), "alpha", widgets.Of(1)), "must have a deadline")
		require.Empty(t, svc.Requests())
		_, err := ourClient(svc).Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
	})
}

// TestDeletionFails checks that our poller reports that a deletion has failed, and that
// go-azure-sdk waits for the resource to disappear, which never happens.
func TestDeletionFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: failing}
		svc.Put(widgets.Collection+"/alpha", widgets.Of(1))
		ours, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{},
			&transport.Options{Base: &fakes.Transport{Handler: svc}}, nil)
		require.NoError(t, err)
		start := time.Now()
		err = ours.Delete(t.Context(), "alpha")
		failure, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "QuotaExceeded", failure.Detail.Code)
		require.Equal(t, 3*time.Minute, time.Since(start))

		endless(t, svc, func(ctx context.Context, c *hcbefore.Client) error { return c.Delete(ctx, "alpha") })
	})
}

// TestDeleteSurely checks that DeleteSurely does not return before a GET of the resource has
// returned 404. This is also how go-azure-sdk's Delete works.
func TestDeleteSurely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Put(widgets.Collection+"/alpha", widgets.Of(1))
		svc.Quirk(quirks.SeenAfterDelete, "")
		ours, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{},
			&transport.Options{Base: &fakes.Transport{Handler: svc}}, nil)
		require.NoError(t, err)
		require.NoError(t, ours.DeleteSurely(t.Context(), "alpha"))
		_, there := svc.Resource(widgets.Collection + "/alpha")
		require.False(t, there)
		last := svc.Requests()[len(svc.Requests())-1]
		require.Equal(t, []any{"GET", 404}, []any{last.Method, last.StatusCode})
	})
}

// TestTokens checks that our poller returns a token for an operation that has ended, and that
// azcore does not.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Synchronous}}
		_, err := azcoreClient(svc).Begin(t.Context(), "alpha", widgets.Of(1))
		require.ErrorContains(t, err, "terminal state")

		client := ourClient(svc)
		token, err := client.Begin(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		w, err := client.Resume(t.Context(), token)
		require.NoError(t, err)
		require.Equal(t, "alpha", w.Name)
	})
}
