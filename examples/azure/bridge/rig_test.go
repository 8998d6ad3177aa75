package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	armpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/policy"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

const (
	origin = "https://management.azure.com"
	url    = origin + "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a?api-version=2025-01-01"
)

// An Account is a result; azcore's tokens have the name of its type.
type Account struct {
	Name       string
	Properties struct{ ProvisioningState string }
}

// A credential gives out a new token each time it is asked.
type credential struct{ asked int }

func (c *credential) GetToken(_ context.Context, opts policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.asked++
	return azcore.AccessToken{Token: fmt.Sprintf("token-%d%s", c.asked, opts.Claims), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// newPipeline is that of an ARM client for azcore, over h in memory.
func newPipeline(t *testing.T, h http.Handler) runtime.Pipeline {
	t.Helper()
	client := fakes.Client(h)
	client.CheckRedirect = transport.CheckRedirect()
	return pipelineOver(t, policy.ClientOptions{Transport: client})
}

func pipelineOver(t *testing.T, opts policy.ClientOptions) runtime.Pipeline {
	t.Helper()
	pl, err := armruntime.NewPipeline("bridge", "v0.1.0", &credential{}, runtime.PipelineOptions{}, &armpolicy.ClientOptions{ClientOptions: opts})
	require.NoError(t, err)
	return pl
}

// put is a PUT of the account as a client for azcore sends it.
func put(t *testing.T, pl runtime.Pipeline) *http.Response {
	t.Helper()
	req, err := runtime.NewRequest(t.Context(), http.MethodPut, url)
	require.NoError(t, err)
	resp, err := pl.Do(req)
	require.NoError(t, err)
	return resp
}

// newRequest is the same PUT for poller.Begin.
func newRequest(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader(`{"kind":"StorageV2"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// trusting are the options of one who resumes.
func trusting() *poller.Options { return &poller.Options{Origins: []string{origin}} }

// at is when the requests of a kind came.
func at(svc *fakes.Service, kind fakes.Kind, start time.Time) (times []time.Duration) {
	for _, r := range svc.Requests() {
		if r.Kind == kind {
			times = append(times, r.Time.Sub(start))
		}
	}
	return times
}
