package migrate

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/lro-go/lro/fakes"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

// endless checks that go-azure-sdk waits until its context ends after an hour. The wait leaves
// behind a goroutine that writes to the caller's Poller. This is a data race, so endless does
// nothing under the race detector. The gate, .ci/run, also runs these tests without the race
// detector.
func endless(t *testing.T, svc *fakes.Service, do func(context.Context, *hcbefore.Client) error) {
	t.Helper()
	if raced {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	start := time.Now()
	require.Equal(t, context.DeadlineExceeded, do(ctx, goAzureSDKClient(t, svc)))
	require.Equal(t, time.Hour, time.Since(start))
}

// counting is a credential that counts how many times a token is requested.
type counting struct {
	credential
	n *int
}

func (c counting) Token(ctx context.Context, req *http.Request) (*oauth2.Token, error) {
	*c.n++
	return c.credential.Token(ctx, req)
}

// TestGoroutineOutlivesCall checks that a goroutine of go-azure-sdk keeps running after
// PollUntilDone has returned, sleeps until its pause is over, and then sends another request.
func TestGoroutineOutlivesCall(t *testing.T) {
	if raced {
		t.Skip("the goroutine writes to the caller's Poller")
	}
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{RetryAfter: time.Hour}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tokens := 0
		c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", host, nil), counting{n: &tokens})
		require.NoError(t, err)
		c.SetTransport(&fakes.Transport{Handler: svc})
		require.ErrorIs(t, c.CreateThenPoll(ctx, "alpha", widgets.Of(1)), context.DeadlineExceeded)
		require.Equal(t, 1, tokens)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 2, tokens)
	})
}
