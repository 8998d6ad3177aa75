package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/lroazcore"
)

// A generatedClient is like the generated clients of the Azure SDK: its callers cannot reach the
// pipeline.
type generatedClient struct{ pl runtime.Pipeline }

func newGeneratedClient(service http.Handler, retry policy.RetryOptions) generatedClient {
	return generatedClient{runtime.NewPipeline("stranger", "v1.0.0", runtime.PipelineOptions{}, &policy.ClientOptions{Transport: fakes.Client(service), Retry: retry})}
}

func (g generatedClient) beginPost(ctx context.Context, token string) (*runtime.Poller[widget], error) {
	if token != "" {
		return runtime.NewPollerFromResumeToken[widget](token, g.pl, nil)
	}
	req, err := runtime.NewRequest(ctx, http.MethodPost, "https://a.test/widgets/w1/start?api-version=1")
	if err != nil {
		return nil, err
	}
	resp, err := g.pl.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		return nil, runtime.NewResponseError(resp)
	}
	return runtime.NewPoller[widget](resp, g.pl, nil)
}

func withWidget(plan fakes.Plan) *fakes.Service {
	service := &fakes.Service{Default: plan}
	service.Put("/widgets/w1", map[string]any{})
	return service
}

// ResponseError converts the error of a failed operation or a refused request to an
// *azcore.ResponseError whose RawResponse contains the host of the request. ErrorOf converts it
// back.
func TestErrorsOnAzcore(t *testing.T) {
	for code, fault := range map[int]fakes.Fault{
		200: {},
		400: {Kind: fakes.Poll, Do: fakes.Status(400)},
		403: {Kind: fakes.Poll, Do: fakes.Status(403)},
		404: {Kind: fakes.Poll, Do: fakes.Status(404)},
		409: {Kind: fakes.Begin, Do: fakes.Status(409)},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := withWidget(fakes.Plan{Ending: fakes.Failed})
			if fault.Do != nil {
				service.Fault(fault)
			}
			p, err := lroazcore.Follow(t.Context(), newGeneratedClient(service, policy.RetryOptions{}).beginPost, nil)
			if err == nil {
				_, err = p.PollUntilDone(t.Context())
			}
			theirs, ok := lroazcore.ResponseError(err).(*azcore.ResponseError)
			if !ok || theirs.StatusCode != code || theirs.RawResponse.Request.Host != "a.test" {
				t.Fatalf("%d: ResponseError = %v", code, theirs)
			}
			if poller.Classify(lroazcore.ErrorOf(theirs)) != poller.Classify(err) {
				t.Errorf("%d: ErrorOf = %v, want %v", code, lroazcore.ErrorOf(theirs), err)
			}
		})
	}
}

// If a poll gets a 503, Poll returns the response, with its Retry-After, and no error. lroazcore.Of
// returns the lro poller behind azcore's poller. The lro poller waits as long as the Retry-After
// says.
func TestPollerOfAzcore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := withWidget(fakes.Plan{})
		service.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Edit(func(a *fakes.Answer) {
			a.StatusCode = http.StatusServiceUnavailable
			a.Header.Set("Retry-After", "120")
		})})
		p, err := lroazcore.FollowPoller(t.Context(), newGeneratedClient(service, policy.RetryOptions{}).beginPost, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := p.Poll(t.Context())
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "120" || resp.Header.Get("Retry-After-Ms") != "120000" {
			t.Fatalf("Poll = %v, %v", resp, err)
		}
		resp.Body.Close()
		ours, err := lroazcore.Of(p)
		if err != nil || time.Until(ours.NextPoll()) != 2*time.Minute || ours.Status().State != poller.InProgress {
			t.Errorf("Of = %v, %v", ours, err)
		}
		if _, err := p.PollUntilDone(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

// The pipeline's retry options apply to polls.
func TestRetryOptionsOfAzcore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := withWidget(fakes.Plan{Style: fakes.Location})
		service.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Respond(409, `{"error":{"code":"AnotherOperationInProgress"}}`)})
		retry := policy.RetryOptions{ShouldRetry: func(resp *http.Response, err error) bool { return err != nil || resp.StatusCode == 409 }}
		p, err := lroazcore.Follow(t.Context(), newGeneratedClient(service, retry).beginPost, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.PollUntilDone(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Follow returns an error if the Begin function ignores the resume token, or if the status URL has
// an origin that is not allowed.
func TestMistakesOnAzcore(t *testing.T) {
	service := withWidget(fakes.Plan{})
	service.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://elsewhere.test/op")})
	g := newGeneratedClient(service, policy.RetryOptions{})
	_, err := lroazcore.Follow(t.Context(), func(ctx context.Context, _ string) (*runtime.Poller[widget], error) { return g.beginPost(ctx, "") }, nil)
	if err == nil || errors.Is(err, context.Canceled) || len(service.Requests()) > 0 {
		t.Errorf("Follow without a token = %v, after %d requests", err, len(service.Requests()))
	}
	_, err = lroazcore.Follow(t.Context(), g.beginPost, nil)
	if !errors.Is(err, lroerrors.ErrUnfollowable) {
		t.Errorf("Follow of a foreign status = %v", err)
	}
}

// With KeepAPIVersion, a poller adds the api-version of the first request to a Location URL that
// has none.
func TestKeepAPIVersionOnAzcore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := withWidget(fakes.Plan{Style: fakes.Location})
		service.Quirk(quirks.LocationUnversioned, "/widgets/w1")
		p, err := lroazcore.Follow(t.Context(), newGeneratedClient(service, policy.RetryOptions{}).beginPost, &poller.Options{Strategy: arm.KeepAPIVersion(nil)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.PollUntilDone(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
