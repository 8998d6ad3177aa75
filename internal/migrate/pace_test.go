package migrate

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/internal/migrate/azcore/before"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/transport"
)

const host = "https://management.test"

// These functions return clients with default options. Their requests are handled by h, in memory.

func azcoreClient(h http.Handler) *azbefore.Client {
	return azbefore.NewClient(host, &fake.TokenCredential{}, &policy.ClientOptions{Transport: fakes.Client(h)})
}

func goAzureSDKClient(t *testing.T, h http.Handler) *hcbefore.Client {
	t.Helper()
	c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{})
	require.NoError(t, err)
	c.SetTransport(&fakes.Transport{Handler: h})
	return c
}

func ourClient(h http.Handler) *azafter.Client {
	return azafter.NewClient(host, &fake.TokenCredential{}, &transport.Options{Base: &fakes.Transport{Handler: h}}, nil)
}

// TestPace checks when each client reads the status, measured from the start, for three values of
// Retry-After.
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
			_, err := azcoreClient(svc).Create(ctx, "alpha", widgets.Of(1))
			return err
		}), "azcore, Retry-After %s", tt.retryAfter)
		require.Equal(t, tt.goAzureSDK, reads(t, plan, func(ctx context.Context, svc *fakes.Service) error {
			return goAzureSDKClient(t, svc).CreateThenPoll(ctx, "alpha", widgets.Of(1))
		}), "go-azure-sdk, Retry-After %s", tt.retryAfter)
		require.Equal(t, tt.ours, reads(t, plan, func(ctx context.Context, svc *fakes.Service) error {
			_, err := ourClient(svc).Create(ctx, "alpha", widgets.Of(1))
			return err
		}), "ours, Retry-After %s", tt.retryAfter)
	}
}

// reads follows an operation with do and returns the times at which its status was read.
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
