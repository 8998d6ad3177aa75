package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/azure/bridge"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// begin is what a client for azcore does, with our NewPoller.
func begin(t *testing.T, svc http.Handler) *runtime.Poller[Account] {
	t.Helper()
	pl := newPipeline(t, svc)
	p, err := bridge.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller reads it
	require.NoError(t, err)
	return p
}

// azcore's PollUntilDone keeps our schedule: not its own 30 s, nor the one that the
// caller names, and not the first read that it would make at once.
func TestPollUntilDoneKeepsOurSchedule(t *testing.T) {
	for _, tt := range []struct {
		name string
		plan fakes.Plan
		want []time.Duration
	}{
		{"nobody asks for a pause", fakes.Plan{}, []time.Duration{60 * time.Second, 120 * time.Second, 180 * time.Second}},
		{"the service does", fakes.Plan{RetryAfter: 17 * time.Second}, []time.Duration{17 * time.Second, 34 * time.Second, 51 * time.Second}},
		{"it asks for less than there is", fakes.Plan{RetryAfter: time.Second}, []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, start := &fakes.Service{Default: tt.plan}, time.Now()
				got, err := begin(t, svc).PollUntilDone(t.Context(), &runtime.PollUntilDoneOptions{Frequency: time.Second})
				require.NoError(t, err)
				require.Equal(t, "a", got.Name)
				require.Equal(t, tt.want, at(svc, fakes.Poll, start))
			})
		})
	}
}

// What azcore's own handlers would end with is survived.
func TestWhatAWaitSurvives(t *testing.T) {
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

func TestAFailureIsBothErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "Taken", Message: "The name is taken."}}}
		p := begin(t, svc)
		_, err := p.PollUntilDone(t.Context(), nil)
		requireTaken(t, err)
		_, err = p.Result(t.Context())
		requireTaken(t, err)
	})
}

func requireTaken(t *testing.T, err error) {
	t.Helper()
	var theirs *azcore.ResponseError
	require.ErrorAs(t, err, &theirs)
	require.Equal(t, "Taken", theirs.ErrorCode)
	require.Equal(t, http.StatusOK, theirs.StatusCode)
	body, readErr := io.ReadAll(theirs.RawResponse.Body)
	require.NoError(t, readErr)
	if len(body) > 0 { // it is read once
		require.JSONEq(t, `{"error":{"code":"Taken","message":"The name is taken."}}`, string(body))
	}
	ours, ok := errors.AsType[*lroerrors.OperationError](err)
	require.True(t, ok)
	require.Equal(t, ours.Error(), err.Error(), "one line, ours")
}

func TestARefusedReadEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusForbidden)})
		_, err := begin(t, svc).PollUntilDone(t.Context(), nil)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonRefused, wait.Reason)
		theirs, ok := errors.AsType[*azcore.ResponseError](err)
		require.True(t, ok)
		require.Equal(t, http.StatusForbidden, theirs.StatusCode)
		require.Equal(t, http.MethodGet, theirs.RawResponse.Request.Method)
		require.Empty(t, theirs.RawResponse.Request.Header, "no credential in reach of who reports errors")
		require.NotPanics(t, func() { _ = theirs.Error() })
	})
}

// There is no response to tell of where no answer came.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Drop()})
		pl := newPipeline(t, svc)
		p, err := bridge.NewPoller[Account](put(t, pl), pl, &poller.Options{Patience: poller.Patience{Failures: 1}}) //nolint:bodyclose // NewPoller reads it
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context(), nil)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonPatience, wait.Reason)
		_, theirs := errors.AsType[*azcore.ResponseError](err)
		require.False(t, theirs)
	})
}

func TestARefusedFirstRequest(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Status(http.StatusConflict)})
	pl := newPipeline(t, svc)
	_, err := bridge.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller reads it
	theirs, ok := errors.AsType[*azcore.ResponseError](err)
	require.True(t, ok, err)
	require.Equal(t, http.StatusConflict, theirs.StatusCode)
}

// A context that ended is not mistaken for the failed read before it.
func TestAContextThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)})
		p := begin(t, svc)
		for range 2 { // the first is before its time
			resp, err := p.Poll(t.Context())
			require.NoError(t, err)
			resp.Body.Close()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.Poll(ctx) //nolint:bodyclose // none comes
		require.ErrorIs(t, err, context.Canceled)
		_, theirs := errors.AsType[*azcore.ResponseError](err)
		require.False(t, theirs)
	})
}

// A result that could not be read is asked for again; azcore's own handlers keep a 400.
func TestAResultThatCannotBeReadIsNotKept(t *testing.T) {
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

// A caller who polls by himself reads as often as he likes, after the first time.
func TestPollingByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Percent: true, RetryAfter: 17 * time.Second}}
		p := begin(t, svc)
		var told []string
		for !p.Done() {
			resp, err := p.Poll(t.Context())
			require.NoError(t, err)
			var doc struct {
				Status          string
				PercentComplete float64
			}
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&doc))
			resp.Body.Close()
			told = append(told, resp.Status+" "+doc.Status+" "+resp.Header.Get("Retry-After-Ms"))
		}
		require.Equal(t, []string{"201 Created Accepted 17000", "200 OK Accepted 17000", "200 OK Provisioning 17000", "200 OK Succeeded "}, told)
		_, err := p.ResumeToken()
		require.Error(t, err, "azcore has none of an operation that has ended")
	})
}

// A Started is what a client for azcore returns where there is no result.
type Started struct{}

func TestAnOperationWithoutAResult(t *testing.T) {
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
			p, err := bridge.NewPoller[Started](resp, pl, nil)
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context(), nil)
			require.NoError(t, err)
		})
	}
}

// A strategy of ours, which azcore has no handler for.
func TestAnyStrategy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := fakes.IBMCloud()
		pl := newPipeline(t, svc)
		req, err := runtime.NewRequest(t.Context(), http.MethodPost, "https://api.test/v1/widgets")
		require.NoError(t, err)
		require.NoError(t, runtime.MarshalAsJSON(req, map[string]string{"name": "alpha"}))
		resp, err := pl.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		p, err := bridge.NewPoller[Account](resp, pl, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "alpha", got.Name)
	})
}

// azcore's own functions take the handler, and trace what it sends.
func TestATracer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spans []string
		tracer := tracing.NewTracer(func(ctx context.Context, name string, _ *tracing.SpanOptions) (context.Context, tracing.Span) {
			spans = append(spans, name)
			return ctx, tracing.Span{}
		}, nil)
		svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Location, Polls: -1}}
		pl := newPipeline(t, svc)
		ours, err := poller.Begin[Account](newRequest(t), bridge.Doer(pl), nil)
		require.NoError(t, err)
		p, err := runtime.NewPoller(nil, pl, &runtime.NewPollerOptions[Account]{Handler: bridge.NewHandler(ours), Tracer: tracer})
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)
		p, err = runtime.NewPollerFromResumeToken(token, pl, &runtime.NewPollerFromResumeTokenOptions[Account]{
			Handler: bridge.NewResumeHandler[Account](bridge.Doer(pl), trusting()), Tracer: tracer,
		})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, []string{"Poller[Account].PollUntilDone", "HTTP GET"}, spans)
	})
}

func TestAHandlerWithoutAnOperation(t *testing.T) {
	var h bridge.Handler[Account]
	require.False(t, h.Done())
	_, err := h.Poll(t.Context()) //nolint:bodyclose // none comes
	require.ErrorContains(t, err, "no operation")
	require.ErrorContains(t, h.Result(t.Context(), nil), "no operation")
	_, err = h.MarshalJSON()
	require.ErrorContains(t, err, "no operation")
}
