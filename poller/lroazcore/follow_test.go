package lroazcore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

type putMethod = func(context.Context, string) (*runtime.Poller[ClientPutResponse], error)

// beginPut returns a begin function like the one in Follow's documentation.
func beginPut(c *AccountsClient) putMethod {
	return func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
		return c.BeginPut(ctx, "a", &BeginOptions{ResumeToken: token})
	}
}

func TestFollow(t *testing.T) {
	for name, style := range map[string]fakes.Style{
		"Azure-AsyncOperation": fakes.AzureAsyncOperation, "Operation-Location": fakes.OperationLocation,
		"Location": fakes.Location, "provisioningState": fakes.ProvisioningState,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, start := &fakes.Service{Default: fakes.Plan{Style: style, Duration: 10 * time.Minute}}, time.Now()
				svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)}) // quirk W1: azcore's own poller would give up here
				p, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), nil)
				require.NoError(t, err)
				require.Equal(t, time.Minute, p.NextPoll().Sub(start))
				got, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, "a", got.Name)
				require.Equal(t, "Succeeded", got.Properties.ProvisioningState)
				require.Equal(t, 1, started(svc))
				for _, r := range svc.Requests() {
					require.Equal(t, "Bearer token-1", r.Header.Get("Authorization"))
					require.Contains(t, r.Header.Get("User-Agent"), "azsdk-go-accounts/v0.1.0")
				}
			})
		})
	}
}

// TestFollowFindsResult checks that Follow learns from the client where the result is. By default,
// the result of a POST is read from the Location.
func TestFollowFindsResult(t *testing.T) {
	for via, want := range map[runtime.FinalStateVia]string{
		runtime.FinalStateViaAzureAsyncOp: "status", runtime.FinalStateViaLocation: "location",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newAccounts(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.Method == http.MethodGet {
					_, _ = fmt.Fprintf(w, `{"name": %q, "status": "Succeeded"}`, r.URL.Path[1:])
					return
				}
				w.Header().Set("Azure-AsyncOperation", origin+"/status")
				w.Header().Set("Location", origin+"/location")
				w.WriteHeader(http.StatusAccepted)
			}))
			p, err := lroazcore.Follow(t.Context(), func(ctx context.Context, token string) (*runtime.Poller[ClientPostResponse], error) {
				return c.BeginPost(ctx, "a", via, &BeginOptions{ResumeToken: token})
			}, nil)
			require.NoError(t, err)
			got, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got.Name)
		})
	}
}

// TestFollowWithoutToken checks that Follow fails if begin does not pass on its token, because each
// read would then start another operation.
func TestFollowWithoutToken(t *testing.T) {
	svc := &fakes.Service{}
	c := newAccounts(t, svc)
	for name, begin := range map[string]putMethod{
		"nil": nil,
		"ignored": func(ctx context.Context, _ string) (*runtime.Poller[ClientPutResponse], error) {
			return c.BeginPut(ctx, "a", nil)
		},
		"nothing": func(context.Context, string) (*runtime.Poller[ClientPutResponse], error) { return nil, nil }, //nolint:nilnil // the mistake
		"another": func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
			return runtime.NewPollerFromResumeToken[ClientPutResponse](`{"type":"ClientPutResponse","token":{"type":"loc","pollURL":"https://a.test"}}`, runtime.Pipeline{}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lroazcore.Follow(t.Context(), begin, nil)
			var status *lroerrors.StatusError
			require.ErrorAs(t, err, &status)
			require.ErrorContains(t, err, "begin")
			require.NotErrorIs(t, err, context.Canceled, "the caller has canceled nothing")
			if name == "ignored" || name == "another" {
				require.ErrorContains(t, err, "begin must pass its token to the method")
			}
			require.Empty(t, svc.Requests())
		})
	}
	_, err := lroazcore.DoerOf(func(ctx context.Context, _ string) (*runtime.Poller[ClientPutResponse], error) {
		return c.BeginPut(ctx, "a", nil)
	}).Do(newGet(t)) //nolint:bodyclose // there is no response
	require.ErrorContains(t, err, "begin must pass its token to the method")
	require.NotErrorIs(t, err, context.Canceled)
	require.Empty(t, svc.Requests())
}

func newGet(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	return req
}

// TestFollowPoller checks that an azcore poller from FollowPoller tolerates a 404 and works with
// Of, and that Resume accepts its token.
func TestFollowPoller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{Default: fakes.Plan{RetryAfter: 5 * time.Minute}}, time.Now()
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)}) // azcore's own poller would give up here
		begin := beginPut(newAccounts(t, svc))
		theirs, err := lroazcore.FollowPoller(t.Context(), begin, nil)
		require.NoError(t, err)
		ours, err := lroazcore.Of(theirs)
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, ours.NextPoll().Sub(start))
		require.Equal(t, poller.InProgress, ours.Status().State)

		resp, err := theirs.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, resp.StatusCode)
		requireRequest(t, resp.Request)
		resp.Body.Close()
		token, err := theirs.ResumeToken()
		require.NoError(t, err)
		got, err := theirs.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)

		again, err := lroazcore.Resume[ClientPutResponse](token, lroazcore.DoerOf(begin), allowOrigin())
		require.NoError(t, err)
		got, err = again.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, 1, started(svc))
	})
}

// TestFollowPollerErrors checks that FollowPoller returns a bare *azcore.ResponseError for a
// refused request, and an error with a token for an operation that cannot be followed.
func TestFollowPollerErrors(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Nth: 1, Do: fakes.Status(http.StatusConflict)})
	svc.Fault(fakes.Fault{Nth: 2, Do: fakes.Header("Azure-AsyncOperation", "https://elsewhere.test/op")})
	begin := beginPut(newAccounts(t, svc))
	_, err := lroazcore.FollowPoller(t.Context(), begin, nil)
	theirs, ok := err.(*azcore.ResponseError) //nolint:errorlint // callers of azcore assert the type
	require.True(t, ok, err)
	require.Equal(t, http.StatusConflict, theirs.StatusCode)

	_, err = lroazcore.FollowPoller(t.Context(), begin, nil)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	require.True(t, ok, err)
	_, err = wait.ResumeToken()
	require.NoError(t, err)

	_, err = lroazcore.FollowPoller(t.Context(), func(ctx context.Context, _ string) (*runtime.Poller[ClientPutResponse], error) {
		return begin(ctx, "")
	}, nil)
	require.ErrorContains(t, err, "begin must pass its token to the method")
	require.NotErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, len(svc.Requests()))
}

func TestFollowRejected(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Respond(http.StatusConflict, `{"error": {"code": "Taken", "message": "The name is taken."}}`)})
	_, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), nil)
	var status *lroerrors.StatusError
	require.ErrorAs(t, err, &status)
	require.Equal(t, "Taken", status.Detail.Code)
	requireResponseError(t, err, http.StatusConflict)
}

func TestFollowWithoutResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Do: fakes.Drop()})
		_, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), nil)
		var status *lroerrors.StatusError
		require.ErrorAs(t, err, &status)
		require.Zero(t, status.StatusCode)
		require.NotContains(t, err.Error(), "api-version")
		_, hasQuery := errors.AsType[*neturl.Error](err)
		require.False(t, hasQuery)
	})
}

// TestFollowAfterBeginError checks that Follow follows an accepted operation even if begin fails.
// azcore returns an error for a relative status URL.
func TestFollowAfterBeginError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Edit(func(a *fakes.Answer) {
			a.Header.Set("Azure-AsyncOperation", a.Header.Get("Azure-AsyncOperation")[len(origin):])
		})})
		begin := beginPut(newAccounts(t, svc))
		p, err := lroazcore.Follow(t.Context(), func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
			p, err := begin(ctx, token)
			if token == "" {
				require.Error(t, err)
			}
			return p, err
		}, nil)
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
	})
}

// TestFollowUnfollowable checks that the error for an accepted operation that cannot be followed
// contains a resume token.
func TestFollowUnfollowable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://elsewhere.test/op")})
		begin := beginPut(newAccounts(t, svc))
		_, err := lroazcore.Follow(t.Context(), begin, nil)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonUnfollowable, wait.Reason)
		token, err := wait.ResumeToken()
		require.NoError(t, err)
		_, err = poller.Resume[ClientPutResponse](token, lroazcore.DoerOf(begin), &poller.Options{Origins: []string{origin, "https://elsewhere.test"}})
		require.NoError(t, err)

		// This begin function sends nothing with Follow's context, so Follow captures no response.
		pl := newPipeline(t, svc)
		_, err = lroazcore.Follow(t.Context(), func(_ context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
			if token == "" {
				token = `{"type":"ClientPutResponse","token":{"type":"loc","pollURL":"` + origin + `/op","state":"InProgress"}}`
			}
			return runtime.NewPollerFromResumeToken[ClientPutResponse](token, pl, nil)
		}, nil)
		wait, ok = errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		token, err = wait.ResumeToken()
		require.NoError(t, err)
		_, err = poller.Resume[ClientPutResponse](token, lroazcore.DoerOf(begin), allowOrigin())
		require.NoError(t, err)
	})
}

// TestDoerOf checks that another process can resume an operation with its token and a begin
// function for the same method.
func TestDoerOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		p, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), nil)
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)
		again, err := poller.Resume[ClientPutResponse](token, lroazcore.DoerOf(beginPut(newAccounts(t, svc))), allowOrigin())
		require.NoError(t, err)
		got, err := again.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, 1, started(svc))
	})
}

func TestDoerOfSendsOnlyGET(t *testing.T) {
	svc := &fakes.Service{}
	p, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), &poller.Options{
		CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: url}, nil
		},
	})
	require.NoError(t, err)
	require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
	require.Len(t, svc.Requests(), 1)
}

// TestFollowContext checks that a request has the poller's headers and those from the caller's
// context, which take precedence, and that the caller's retry options apply.
func TestFollowContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusConflict)})
		p, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, svc)), &poller.Options{Header: http.Header{"X-Ours": {"1"}, "X-Both": {"ours"}}})
		require.NoError(t, err)
		ctx := policy.WithHTTPHeader(t.Context(), http.Header{"x-theirs": {"2"}, "x-both": {"theirs"}})
		ctx = policy.WithRetryOptions(ctx, policy.RetryOptions{StatusCodes: []int{http.StatusConflict}})
		_, err = p.Poll(ctx)
		require.NoError(t, err)
		polls := svc.Requests()[1:]
		require.Len(t, polls, 2)
		require.Equal(t, []string{"1", "2", "theirs"}, []string{polls[1].Header.Get("X-Ours"), polls[1].Header.Get("X-Theirs"), polls[1].Header.Get("X-Both")})
	})
}

func TestFollowResultType(t *testing.T) {
	_, err := lroazcore.Follow(t.Context(), func(context.Context, string) (*runtime.Poller[struct{}], error) { return nil, errDown }, nil)
	require.ErrorContains(t, err, "nameless")
	_, err = lroazcore.Follow(t.Context(), func(context.Context, string) (*runtime.Poller[*runtime.Pager[Account]], error) { return nil, errDown }, nil)
	require.ErrorContains(t, err, "runtime.Pager")
}

// fakeServer speaks the protocol of azcore's fake servers.
type fakeServer struct{ reads, failing, code int }

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Fake-Poller-Status", "InProgress")
	if r.Method == http.MethodGet {
		f.reads++
	}
	switch {
	case f.reads == f.failing:
		w.WriteHeader(f.code)
	case f.reads > 2:
		w.Header().Set("Fake-Poller-Status", "Succeeded")
		_, _ = fmt.Fprint(w, `{"name": "a"}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// TestFakeServer checks that Follow, FollowPoller and NewPoller work with azcore's fake servers.
func TestFakeServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := lroazcore.Follow(t.Context(), beginPut(newAccounts(t, &fakeServer{failing: 2, code: http.StatusNotImplemented})), &poller.Options{Cadence: poller.Cadence{Default: 20 * time.Second}})
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)

		p, err = lroazcore.Follow(t.Context(), beginPut(newAccounts(t, &fakeServer{failing: 2, code: http.StatusConflict})), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		failed, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok, err)
		var conflict *azcore.ResponseError
		require.ErrorAs(t, failed, &conflict)
		require.Equal(t, http.StatusConflict, conflict.StatusCode)
		_, ok = lroazcore.ResponseError(err).(*azcore.ResponseError) //nolint:errorlint // callers of azcore assert the type
		require.True(t, ok, err)

		azcores, err := lroazcore.FollowPoller(t.Context(), beginPut(newAccounts(t, &fakeServer{failing: -1})), nil)
		require.NoError(t, err)
		got, err = azcores.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)

		pl := newPipeline(t, &fakeServer{failing: -1})
		req, err := runtime.NewRequest(context.WithValue(t.Context(), runtime.CtxAPINameKey{}, "Begin"), http.MethodPut, url)
		require.NoError(t, err)
		resp, err := pl.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		theirs, err := lroazcore.NewPoller[Account](resp, pl, nil)
		require.NoError(t, err)
		token, err := theirs.ResumeToken()
		require.NoError(t, err)
		theirs, err = lroazcore.NewPollerFromResumeToken[Account](token, pl, nil)
		require.NoError(t, err)
		account, err := theirs.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "a", account.Name)
		_, err = lroazcore.Of(theirs)
		require.ErrorContains(t, err, "NewPoller")
	})
}
