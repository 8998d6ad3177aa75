package lroazcore_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

func TestPollerOverPipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{}, time.Now()
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 1, Do: fakes.Throttle(20 * time.Second)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, 200*time.Second, time.Since(start), "the wait must consist of azcore's retry, 20 s, and three of our pauses")
		for i, r := range svc.Requests() {
			require.Equal(t, "Bearer token-1", r.Header.Get("Authorization"))
			require.Contains(t, r.Header.Get("User-Agent"), "azsdk-go-lroazcore/v0.1.0", "the request must have azcore's telemetry header")
			if i < 2 {
				require.JSONEq(t, `{"kind":"StorageV2"}`, string(r.Body), "both attempts must have the same body")
				require.Equal(t, "application/json", r.Header.Get("Content-Type"))
			}
		}
	})
}

// TestThrottled checks that the pipeline retries a pager's throttled request, but not a throttled
// read by Poll, which the poller reschedules.
func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Throttle(30 * time.Second)})
		svc.Fault(fakes.Fault{Kind: fakes.List, Nth: 1, Do: fakes.Throttle(30 * time.Second)})
		doer := lroazcore.Doer(newPipeline(t, svc))
		p, err := poller.Begin[Account](newRequest(t), doer, nil)
		require.NoError(t, err)

		start := time.Now()
		_, err = p.Poll(t.Context())
		var status *lroerrors.StatusError
		require.ErrorAs(t, err, &status)
		require.Equal(t, http.StatusTooManyRequests, status.StatusCode)
		require.Zero(t, time.Since(start), "Poll must not wait")
		require.Equal(t, 30*time.Second, time.Until(p.NextPoll()), "the next read must follow the pause that the service asked for")

		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/widgets", http.NoBody)
		require.NoError(t, err)
		_, err = pager.New[Account](req, doer, nil).NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}

// TestRetryOptionsOfCaller checks that the caller's retry options control which polls azcore
// retries and how long it pauses.
func TestRetryOptionsOfCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Times: 2, Do: fakes.Status(http.StatusConflict)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		start := time.Now()
		ctx := policy.WithRetryOptions(t.Context(), policy.RetryOptions{MaxRetries: 2, MaxRetryDelay: 20 * time.Second, RetryDelay: 20 * time.Second, StatusCodes: []int{http.StatusConflict}})
		got, err := p.PollUntilDone(ctx)
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		polls := at(svc, fakes.Poll, start)
		require.Equal(t, []time.Duration{60 * time.Second, 20 * time.Second}, []time.Duration{polls[0], polls[2] - polls[1]})
	})
}

// TestRetryOptionsOfPipeline checks that the Retry field of the pipeline's ClientOptions applies to
// polls. Without a retry, a 409 at a Location would mean that the operation has failed.
func TestRetryOptionsOfPipeline(t *testing.T) {
	ways := map[string]func(*testing.T, runtime.Pipeline, policy.RetryOptions) (Account, error){
		"PollUntilDone": func(t *testing.T, pl runtime.Pipeline, _ policy.RetryOptions) (Account, error) {
			p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(pl), nil)
			require.NoError(t, err)
			return p.PollUntilDone(t.Context())
		},
		"Poll of azcore's poller": func(t *testing.T, pl runtime.Pipeline, _ policy.RetryOptions) (Account, error) {
			p, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
			require.NoError(t, err)
			return p.PollUntilDone(t.Context(), nil)
		},
		"Poll, with the options": func(t *testing.T, pl runtime.Pipeline, retry policy.RetryOptions) (Account, error) {
			p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(pl), nil)
			require.NoError(t, err)
			_, err = p.Poll(policy.WithRetryOptions(t.Context(), retry))
			require.NoError(t, err)
			return p.PollUntilDone(t.Context())
		},
	}
	for name, wait := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, start := &fakes.Service{Default: fakes.Plan{Style: fakes.Location}}, time.Now()
				svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Times: 2, Do: fakes.Respond(http.StatusConflict, `{"error":{"code":"AnotherOperationInProgress"}}`)})
				retry := policy.RetryOptions{RetryDelay: 20 * time.Second, MaxRetryDelay: 20 * time.Second, ShouldRetry: func(resp *http.Response, err error) bool {
					return err != nil || resp.StatusCode == http.StatusConflict
				}}
				got, err := wait(t, pipelineOver(t, policy.ClientOptions{Transport: transporter(svc), Retry: retry}), retry)
				require.NoError(t, err)
				require.Equal(t, "a", got.Name)
				polls := at(svc, fakes.Poll, start)
				require.Equal(t, 20*time.Second, polls[2]-polls[1])
			})
		})
	}
}

// TestConflictEndsWait checks that a 409 ends the wait if the caller sets no retry options.
func TestConflictEndsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusConflict)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.ErrorContains(t, err, "Refused")
	})
}

// TestNoRetryInGroup checks that the Group, not azcore, schedules the next read after a failed one.
func TestNoRetryInGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusServiceUnavailable)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		g := poller.NewGroup[*poller.Poller[Account]](nil)
		g.Add(p)
		g.Close()
		start := time.Now()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		polls := at(svc, fakes.Poll, start)
		require.GreaterOrEqual(t, polls[1]-polls[0], 10*time.Second, "the second read must follow the schedule of the Group")
	})
}

func TestMaxStatusBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Endless(" ", 0)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), &poller.Options{MaxStatusBytes: 1000})
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.ErrorContains(t, err, "MaxStatusBytes")
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestRedirectToOtherOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: func(http.Handler) http.Handler {
			return http.RedirectHandler("https://evil.test/op", http.StatusTemporaryRedirect)
		}})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		for _, r := range svc.Requests() {
			require.Contains(t, r.URL, origin)
		}
	})
}

func TestUnauthorized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusUnauthorized)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		last := svc.Requests()[2]
		require.Equal(t, "Bearer token-2", last.Header.Get("Authorization"))
	})
}

// TestClaimsChallenge checks that azcore answers a claims challenge (continuous access evaluation)
// with a new token, within the same read.
func TestClaimsChallenge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_claims", claims="LWNsYWltcw=="`)
				w.WriteHeader(http.StatusUnauthorized)
			})
		}})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, "Bearer token-2-claims", svc.Requests()[2].Header.Get("Authorization"))
	})
}

// TestClientOptions checks that azcore's pipeline does not retry, because the lro transport below
// it does.
func TestClientOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(http.StatusServiceUnavailable)})
		pl := pipelineOver(t, lroazcore.ClientOptions(&transport.Options{Base: &fakes.Transport{Handler: svc}}))
		resp := put(t, pl)
		defer resp.Body.Close()
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		require.Len(t, svc.Requests(), 4)
	})
}

// TestErrorsHaveNoQuery checks that errors omit a URL's query, which may contain a signature.
func TestErrorsHaveNoQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Drop()})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.Error(t, err)
		require.NotContains(t, err.Error(), "api-version")
	})
}

func TestUnreadableRequestBody(t *testing.T) {
	req := newRequest(t)
	req.Body = http.MaxBytesReader(nil, req.Body, 1)
	resp, err := lroazcore.Doer(runtime.NewPipeline("lroazcore", "v0.1.0", runtime.PipelineOptions{}, &policy.ClientOptions{})).Do(req)
	if err == nil {
		resp.Body.Close()
	}
	require.Error(t, err)
}
