package lroazcore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
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
	group  = origin + "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/"
	url    = group + "a?api-version=2025-01-01"
)

// An Account is the result of an operation. azcore's tokens contain the name of this type.
type Account struct {
	Name       string
	Properties struct{ ProvisioningState string }
}

// A credential returns a new token for each call.
type credential struct {
	asked []policy.TokenRequestOptions
	err   error
}

func (c *credential) GetToken(_ context.Context, opts policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.asked = append(c.asked, opts)
	return azcore.AccessToken{Token: fmt.Sprintf("token-%d%s", len(c.asked), opts.Claims), ExpiresOn: time.Now().Add(time.Hour)}, c.err
}

// newPipeline returns the pipeline of an azcore ARM client. The pipeline sends requests directly to
// h, without a network.
func newPipeline(t *testing.T, h http.Handler) runtime.Pipeline {
	t.Helper()
	return pipelineOver(t, policy.ClientOptions{Transport: transporter(h)})
}

func transporter(h http.Handler) *http.Client {
	client := fakes.Client(h)
	client.CheckRedirect = transport.CheckRedirect()
	return client
}

func pipelineOver(t *testing.T, opts policy.ClientOptions) runtime.Pipeline {
	t.Helper()
	pl, err := armruntime.NewPipeline("lroazcore", "v0.1.0", &credential{}, runtime.PipelineOptions{}, &armpolicy.ClientOptions{ClientOptions: opts})
	require.NoError(t, err)
	return pl
}

// put sends a PUT request for the account, as an azcore client does.
func put(t *testing.T, pl runtime.Pipeline) *http.Response {
	t.Helper()
	req, err := runtime.NewRequest(t.Context(), http.MethodPut, url)
	require.NoError(t, err)
	resp, err := pl.Do(req)
	require.NoError(t, err)
	return resp
}

// newRequest returns a PUT request for the same account, for use with poller.Begin.
func newRequest(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader(`{"kind":"StorageV2"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// allowOrigin returns options that allow the service's origin.
func allowOrigin() *poller.Options { return &poller.Options{Origins: []string{origin}} }

// at returns the times of the requests of the given kind, as durations since start.
func at(svc *fakes.Service, kind fakes.Kind, start time.Time) (times []time.Duration) {
	for _, r := range svc.Requests() {
		if r.Kind == kind {
			times = append(times, r.Time.Sub(start))
		}
	}
	return times
}

// started returns the number of requests that started an operation.
func started(svc *fakes.Service) int { return len(at(svc, fakes.Begin, time.Time{})) }

// An AccountsClient hides its pipeline, as a generated client does.
type AccountsClient struct{ internal *arm.Client }

type (
	BeginOptions       struct{ ResumeToken string }
	ClientPutResponse  struct{ Account }
	ClientPostResponse struct{ Account }
)

func newAccounts(t *testing.T, h http.Handler) *AccountsClient {
	t.Helper()
	client, err := arm.NewClient("accounts", "v0.1.0", &credential{}, &arm.ClientOptions{ClientOptions: policy.ClientOptions{Transport: transporter(h)}})
	require.NoError(t, err)
	return &AccountsClient{client}
}

// BeginPut creates an account.
func (c *AccountsClient) BeginPut(ctx context.Context, name string, options *BeginOptions) (*runtime.Poller[ClientPutResponse], error) {
	return beginAs[ClientPutResponse](ctx, c, http.MethodPut, name, "", options)
}

// BeginPost sends a POST to an account. The parameter via is the final-state-via from the service's
// API description.
func (c *AccountsClient) BeginPost(ctx context.Context, name string, via runtime.FinalStateVia, options *BeginOptions) (*runtime.Poller[ClientPostResponse], error) {
	return beginAs[ClientPostResponse](ctx, c, http.MethodPost, name, via, options)
}

func beginAs[T any](ctx context.Context, c *AccountsClient, method, name string, via runtime.FinalStateVia, options *BeginOptions) (*runtime.Poller[T], error) {
	if options != nil && options.ResumeToken != "" {
		return runtime.NewPollerFromResumeToken(options.ResumeToken, c.internal.Pipeline(), &runtime.NewPollerFromResumeTokenOptions[T]{Tracer: c.internal.Tracer()})
	}
	ctx = context.WithValue(ctx, runtime.CtxAPINameKey{}, "AccountsClient.Begin")
	req, err := runtime.NewRequest(ctx, method, group+name+"?api-version=2025-01-01")
	if err != nil {
		return nil, err
	}
	resp, err := c.internal.Pipeline().Do(req) //nolint:bodyclose // azcore has read the body
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(resp, http.StatusOK, http.StatusCreated, http.StatusAccepted) {
		return nil, runtime.NewResponseError(resp)
	}
	return runtime.NewPoller(resp, c.internal.Pipeline(), &runtime.NewPollerOptions[T]{FinalStateVia: via, Tracer: c.internal.Tracer()})
}

var errDown = errors.New("down")
