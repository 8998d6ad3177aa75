package lroazcore_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	fakeibm "github.com/lro-go/lro/fakes/ibmcloud"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/lroazcore"
)

// begin starts an operation as an azcore client does, but with this package's NewPoller.
func begin(t *testing.T, svc http.Handler) *runtime.Poller[Account] {
	t.Helper()
	pl := newPipeline(t, svc)
	p, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
	require.NoError(t, err)
	return p
}

// TestPollUntilDoneSchedule checks when azcore reads. The first read waits only for Retry-After.
// Each later read waits for Retry-After or, without one, for Frequency. Reads are always at least
// Cadence.Min apart.
func TestPollUntilDoneSchedule(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name      string
		plan      fakes.Plan
		cadence   poller.Cadence
		frequency time.Duration
		want      []time.Duration
	}{
		{name: "azcore's default", want: []time.Duration{0, 30 * s, 60 * s}},
		{name: "the caller's frequency", frequency: 12 * s, want: []time.Duration{0, 12 * s, 24 * s}},
		{name: "less than Min", frequency: s, want: []time.Duration{0, 10 * s, 20 * s}},
		{name: "not a multiple of Min", frequency: 7 * s, want: []time.Duration{0, 10 * s, 20 * s}},
		{name: "another Min", cadence: poller.Cadence{Min: 2 * s}, frequency: s, want: []time.Duration{0, 2 * s, 4 * s}},
		{name: "Min lowered by First", cadence: poller.Cadence{First: 3 * s}, frequency: s, want: []time.Duration{0, 3 * s, 6 * s}},
		{name: "Min lowered by Default", cadence: poller.Cadence{Default: 4 * s}, frequency: s, want: []time.Duration{0, 4 * s, 8 * s}},
		{name: "Retry-After", plan: fakes.Plan{RetryAfter: 17 * s}, frequency: s, want: []time.Duration{17 * s, 34 * s, 51 * s}},
		{name: "Retry-After below Min", plan: fakes.Plan{RetryAfter: s}, want: []time.Duration{s, 11 * s, 21 * s}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, start := &fakes.Service{Default: tt.plan}, time.Now()
				pl := newPipeline(t, svc)
				p, err := lroazcore.NewPoller[Account](put(t, pl), pl, &poller.Options{Cadence: tt.cadence}) //nolint:bodyclose // NewPoller closes it
				require.NoError(t, err)
				got, err := p.PollUntilDone(t.Context(), &runtime.PollUntilDoneOptions{Frequency: tt.frequency})
				require.NoError(t, err)
				require.Equal(t, "a", got.Name)
				require.Equal(t, tt.want, at(svc, fakes.Poll, start))
			})
		})
	}
}

// TestRetryAfterOnce checks that a Retry-After applies only to the next pause, as with azcore's
// own handlers.
func TestRetryAfterOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{}, time.Now()
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Header("Retry-After", "45")})
		_, err := begin(t, svc).PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 45 * time.Second, 75 * time.Second}, at(svc, fakes.Poll, start))
	})
}

// TestToleratedFailures checks that the wait survives failures that would end it with azcore's
// own handlers.
func TestToleratedFailures(t *testing.T) {
	for name, do := range map[string]func(http.Handler) http.Handler{
		"404": fakes.Status(http.StatusNotFound), "HTML": fakes.HTML(http.StatusOK),
		"503": fakes.Status(http.StatusServiceUnavailable), "no answer": fakes.Drop(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{}
				svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 4, Do: do})
				got, err := begin(t, svc).PollUntilDone(t.Context(), nil)
				require.NoError(t, err)
				require.Equal(t, "a", got.Name)
			})
		})
	}
}

// TestPollShowsFailedRead checks that Poll returns a failed read's response or, if no response
// came, a response with the error code NoResponse, and that the wait continues.
func TestPollShowsFailedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Edit(func(a *fakes.Answer) {
			a.StatusCode, a.Body = http.StatusServiceUnavailable, []byte(`{"error":{"code":"Busy"}}`)
			a.Header.Set("Retry-After", "77")
			a.Header.Set("X-Service", "s")
		})})
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Times: 4, Do: fakes.Drop()})
		p := begin(t, svc)
		resp, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		require.Equal(t, "s", resp.Header.Get("X-Service"))
		require.Equal(t, []string{"77", "77000"}, []string{resp.Header.Get("Retry-After"), resp.Header.Get("Retry-After-Ms")})
		for range 2 {
			body, err := runtime.Payload(resp)
			require.NoError(t, err)
			require.JSONEq(t, `{"error":{"code":"Busy"}}`, string(body))
			_, err = io.ReadAll(resp.Body)
			require.NoError(t, err)
		}
		requireRequest(t, resp.Request)
		require.Contains(t, resp.Request.Header.Get("User-Agent"), "azsdk-go")
		resp.Body.Close()

		resp, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		body, err := runtime.Payload(resp)
		require.NoError(t, err)
		require.Contains(t, string(body), `"code":"NoResponse"`)
		resp.Body.Close()

		got, err := p.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
	})
}

// TestFailure checks that a failed operation's error has azcore's type, and that ErrorOf converts
// it back to an lro error.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "Taken", Message: "The name is taken."}}}
		p := begin(t, svc)
		_, err := p.PollUntilDone(t.Context(), nil)
		requireAzcoreOutcome(t, err)
		_, err = p.Result(t.Context())
		requireAzcoreOutcome(t, err)
	})
}

func requireAzcoreOutcome(t *testing.T, err error) {
	t.Helper()
	requireResponseError(t, err, http.StatusOK)
	_, ok := err.(*azcore.ResponseError) //nolint:errorlint // callers of azcore assert the type
	require.True(t, ok, err)
	_, ok = errors.AsType[*lroerrors.OperationError](lroazcore.ErrorOf(err))
	require.True(t, ok)
}

func TestRefusedReadEndsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusForbidden)})
		_, err := begin(t, svc).PollUntilDone(t.Context(), nil)
		theirs, ok := err.(*azcore.ResponseError) //nolint:errorlint // callers of azcore assert the type
		require.True(t, ok, err)
		require.Equal(t, http.StatusForbidden, theirs.StatusCode)
		require.Equal(t, http.MethodGet, theirs.RawResponse.Request.Method)
		requireRequest(t, theirs.RawResponse.Request)
		require.NotPanics(t, func() { _ = theirs.Error() })
		wait, ok := errors.AsType[*lroerrors.WaitError](lroazcore.ErrorOf(err))
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonRefused, wait.Reason, "the WaitError must have the reason why the wait ended")
	})
}

// TestNoResponse checks that the error does not match azcore's type if the failed read got no
// response.
func TestNoResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Drop()})
		pl := newPipeline(t, svc)
		p, err := lroazcore.NewPoller[Account](put(t, pl), pl, &poller.Options{Patience: poller.Patience{Time: -1}}) //nolint:bodyclose // NewPoller closes it
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context(), nil)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonPatience, wait.Reason)
		_, theirs := errors.AsType[*azcore.ResponseError](err)
		require.False(t, theirs)
	})
}

func TestRejectedFirstRequest(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Status(http.StatusConflict)})
	pl := newPipeline(t, svc)
	_, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
	theirs, ok := errors.AsType[*azcore.ResponseError](err)
	require.True(t, ok, err)
	require.Equal(t, http.StatusConflict, theirs.StatusCode)
}

// TestContextEnds checks that the error reports the end of the context, not the earlier failed
// read.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)})
		p := begin(t, svc)
		resp, err := p.Poll(t.Context())
		require.NoError(t, err)
		resp.Body.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = p.Poll(ctx) //nolint:bodyclose // there is no response
		require.ErrorIs(t, err, context.Canceled)
		_, theirs := errors.AsType[*azcore.ResponseError](err)
		require.False(t, theirs)
	})
}

// TestResultReadAgain checks that Result reads again if an earlier read failed. With azcore's own
// handlers, Result keeps returning the same error after a 400.
func TestResultReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: fakes.Status(http.StatusBadRequest)})
		p := begin(t, svc)
		_, err := p.PollUntilDone(t.Context(), nil)
		result, ok := errors.AsType[*lroerrors.ResultError](err)
		require.True(t, ok, err)
		require.ErrorContains(t, result, "400")
		got, err := p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
	})
}

// TestPollLoop checks that reads are at least Cadence.Min apart if the caller calls Poll in a loop.
func TestPollLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{Default: fakes.Plan{Percent: true, RetryAfter: 17 * time.Second}}, time.Now()
		p := begin(t, svc)
		var seen []string
		for !p.Done() {
			resp, err := p.Poll(t.Context())
			require.NoError(t, err)
			var doc struct {
				Status          string
				PercentComplete float64
			}
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&doc))
			resp.Body.Close()
			seen = append(seen, strings.TrimSpace(strings.Join([]string{resp.Status, doc.Status, resp.Header.Get("Retry-After-Ms"), resp.Header.Get("Retry-After")}, " ")))
		}
		require.Equal(t, []string{"200 OK Accepted 17000 17", "200 OK Provisioning 17000 17", "200 OK Succeeded"}, seen)
		require.Equal(t, []time.Duration{0, 10 * time.Second, 20 * time.Second}, at(svc, fakes.Poll, start))
		_, err := p.ResumeToken()
		require.Error(t, err, "azcore has no token for an operation that has ended")
	})
}

// TestPollContext checks that Poll sends nothing if its context ends during the pause before the
// read.
func TestPollContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{}, time.Now()
		p := begin(t, svc)
		resp, err := p.Poll(t.Context())
		require.NoError(t, err)
		resp.Body.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = p.Poll(ctx) //nolint:bodyclose // there is no response
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))
		require.Len(t, at(svc, fakes.Poll, start), 1)
	})
}

// A Started is the response type of an operation without a result.
type Started struct{}

func TestNoResult(t *testing.T) {
	for _, style := range []fakes.Style{fakes.AzureAsyncOperation, fakes.AzureAsyncOperation | fakes.Location, fakes.Location} {
		synctest.Test(t, func(t *testing.T) {
			svc := &fakes.Service{Default: fakes.Plan{Style: style}}
			svc.Put("/machines/m", struct{}{})
			pl := newPipeline(t, svc)
			req, err := runtime.NewRequest(t.Context(), http.MethodPost, origin+"/machines/m/start")
			require.NoError(t, err)
			resp, err := pl.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			p, err := lroazcore.NewPoller[Started](resp, pl, nil)
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context(), nil)
			require.NoError(t, err)
		})
	}
}

// TestStrategy checks that NewPoller accepts a strategy for which azcore has no handler.
func TestStrategy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := fakeibm.New(nil)
		pl := newPipeline(t, svc)
		req, err := runtime.NewRequest(t.Context(), http.MethodPost, "https://api.test/v1/widgets")
		require.NoError(t, err)
		require.NoError(t, runtime.MarshalAsJSON(req, map[string]string{"name": "alpha"}))
		resp, err := pl.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		p, err := lroazcore.NewPoller[Account](resp, pl, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "alpha", got.Name)
	})
}
