package main

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	hcbefore "github.com/lro-go/lro/examples/migrate/goazuresdk/before"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

// endless has go-azure-sdk wait for an hour, and expects that it does not end by
// itself. It leaves a goroutine behind then, which writes to the Poller that the
// caller has: a race, so that this is left out where the race detector looks on. The
// gate runs these tests without it as well.
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

// A counting credential sees who still asks.
type counting struct {
	credential
	asked *int
}

func (c counting) Token(ctx context.Context, req *http.Request) (*oauth2.Token, error) {
	*c.asked++
	return c.credential.Token(ctx, req)
}

// When go-azure-sdk has given up, its goroutine sleeps on, and then asks once more.
func TestGoroutineThatStays(t *testing.T) {
	if raced {
		t.Skip("it writes to a Poller that the caller has")
	}
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{RetryAfter: time.Hour}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		asked := 0
		c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", host, nil), counting{asked: &asked})
		require.NoError(t, err)
		c.SetTransport(&fakes.Transport{Handler: svc})
		require.ErrorIs(t, c.CreateThenPoll(ctx, "alpha", widgets.Of(1)), context.DeadlineExceeded)
		require.Equal(t, 1, asked)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 2, asked)
	})
}
