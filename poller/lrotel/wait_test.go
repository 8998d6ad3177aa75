package lrotel_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
)

func busy(next http.Handler) http.Handler {
	return fakes.Header("Retry-After", "3")(fakes.Status(http.StatusServiceUnavailable)(next))
}

// This wait has four reads: a poll that package transport sends twice, a failed poll, the last
// poll, and the read of the result.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: 1}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: busy})
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.HTML(http.StatusOK)})
		r := newRig(t, signed(svc))
		ctx, span := r.tracers.Tracer("test").Start(t.Context(), "request")
		w, err := r.begin(ctx, "w1", nil).PollUntilDone(ctx)
		span.End()
		require.NoError(t, err)
		require.Equal(t, "w1", w.Name)

		const status, widget = " url.full=" + statusURL + " http.response.status_code=", " url.full=https://a.test/widgets/w1 http.response.status_code="
		require.Equal(t, []string{
			"0s+2m13s request",
			"  0s+0s lro.begin",
			"    0s+0s PUT" + widget + "201",
			"  0s+2m13s lro.wait lro.outcome=succeeded lro.state=Succeeded lro.polls=4 lro.failures=1 lro.word=Succeeded",
			"    1m0s+3s lro.poll lro.state=InProgress lro.word=Accepted",
			"      1m0s+0s GET" + status + "503 error.type=503",
			"      1m3s+0s GET" + strings.Replace(status, " http.response", " http.request.resend_count=1 http.response", 1) + "200",
			"    2m3s+0s lro.poll lro.state=InProgress lro.word=Accepted lro.failures=1 error.type=Unreadable" +
				` "lro: GET ` + statusURL + `: 200 OK: the body is not JSON: invalid character '<' looking for beginning of value (request id f0000000-0000-4000-8000-000000000004)"`,
			"      2m3s+0s GET" + status + "200",
			"    2m13s+0s lro.poll lro.state=Succeeded lro.word=Succeeded",
			"      2m13s+0s GET" + status + "200",
			"    2m13s+0s lro.result",
			"      2m13s+0s GET" + widget + "200",
		}, r.tree())
		require.Equal(t, map[string]float64{
			"lro.poll.duration.count{lro.operation=create widget}":                       3,
			"lro.poll.duration.sum{lro.operation=create widget}":                         3,
			"lro.poll.duration.count{error.type=Unreadable,lro.operation=create widget}": 1,
			"lro.poll.duration.sum{error.type=Unreadable,lro.operation=create widget}":   0,
			"lro.wait.duration.count{lro.operation=create widget,lro.outcome=succeeded}": 1,
			"lro.wait.duration.sum{lro.operation=create widget,lro.outcome=succeeded}":   133,
		}, r.series())
	})
}

// statusURL is the status URL of the first operation that a service starts.
const statusURL = origin + "/operationsStatuses/00000000-0000-4000-8000-000000000001"

func TestEndings(t *testing.T) {
	tests := []struct {
		outcome, errorType string
		status             codes.Code
		plan               fakes.Plan
		fault              fakes.Fault
		opts               poller.Options
		ends               time.Duration // when the caller cancels; 0 means never
	}{
		{outcome: "succeeded"},
		{outcome: "failed", errorType: "Failed", status: codes.Error, plan: fakes.Plan{Ending: fakes.Failed}},
		{outcome: "canceled", errorType: "Canceled", status: codes.Error, plan: fakes.Plan{Ending: fakes.Canceled}},
		{outcome: "unread", errorType: "Unread", status: codes.Error, fault: fakes.Fault{Kind: fakes.Read, Do: fakes.Status(403)}},
		{outcome: "stopped", errorType: "Refused", status: codes.Error, fault: fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(403)}},
		{outcome: "stopped", errorType: "Gone", status: codes.Error, fault: fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(410)}},
		{
			outcome: "stopped", errorType: "Patience", status: codes.Error,
			fault: fakes.Fault{Kind: fakes.Poll, Do: fakes.Drop()}, opts: poller.Options{Patience: poller.Patience{Time: -1}},
		},
		{outcome: "stopped", errorType: "Canceled", plan: fakes.Plan{Duration: fakes.Forever}, ends: time.Hour}, // the caller canceled the wait, so its span does not have the status Error
	}
	for _, tt := range tests {
		t.Run(tt.outcome+" "+tt.errorType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{Default: tt.plan}
				if tt.fault.Do != nil {
					svc.Fault(tt.fault)
				}
				r := newRig(t, svc)
				ctx, cancel := context.WithCancel(t.Context())
				if tt.ends > 0 {
					defer time.AfterFunc(tt.ends, cancel).Stop()
				}
				defer cancel()
				_, err := r.begin(t.Context(), "w1", &tt.opts).PollUntilDone(ctx)

				waits := r.named("lro.wait")
				require.Len(t, waits, 1)
				attrs := map[string]string{}
				for _, a := range waits[0].Attributes {
					attrs[string(a.Key)] = fmt.Sprint(a.Value.AsInterface())
				}
				require.Equal(t, tt.outcome, attrs["lro.outcome"])
				require.Equal(t, tt.errorType, attrs["error.type"])
				require.Equal(t, tt.status, waits[0].Status.Code)
				if tt.status == codes.Error {
					require.Equal(t, err.Error(), waits[0].Status.Description)
				}
				series := "lro.wait.duration.count{lro.operation=create widget,lro.outcome=" + tt.outcome + "}"
				if tt.errorType != "" {
					series = "lro.wait.duration.count{error.type=" + tt.errorType + ",lro.operation=create widget,lro.outcome=" + tt.outcome + "}"
				}
				require.InDelta(t, 1, r.series()[series], 0, "%v", r.series())
			})
		})
	}
}

// A second wait counts its polls from zero.
func TestTwoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: 2, RetryAfter: time.Minute}})
		op := r.begin(t.Context(), "w1", nil)
		short, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		_, err := op.PollUntilDone(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = op.PollUntilDone(t.Context())
		require.NoError(t, err)

		waits := r.named("lro.wait")
		require.Len(t, waits, 2)
		require.Contains(t, textOf(waits[0]), "lro.polls=1 ")
		require.Contains(t, textOf(waits[1]), "lro.polls=3 ")
		require.Equal(t, map[string]float64{
			"lro.poll.duration.count{lro.operation=create widget}":                                         4,
			"lro.poll.duration.sum{lro.operation=create widget}":                                           0,
			"lro.wait.duration.count{error.type=Deadline,lro.operation=create widget,lro.outcome=stopped}": 1,
			"lro.wait.duration.sum{error.type=Deadline,lro.operation=create widget,lro.outcome=stopped}":   60,
			"lro.wait.duration.count{lro.operation=create widget,lro.outcome=succeeded}":                   1,
			"lro.wait.duration.sum{lro.operation=create widget,lro.outcome=succeeded}":                     120,
		}, r.series())
	})
}

// If the service refuses the request, the lro.begin span has the error, and no waits or polls are
// recorded in the metrics.
func TestBeginRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Do: fakes.Status(http.StatusConflict)})
		r := newRig(t, svc)
		_, err := lrotel.Begin[Widget](r.tel, "create widget", r.request(t.Context(), "w1"), r.client, nil)
		var refused *lroerrors.StatusError
		require.ErrorAs(t, err, &refused)
		spans := r.named("lro.begin")
		require.Len(t, spans, 1)
		require.Equal(t, codes.Error, spans[0].Status.Code)
		require.Equal(t, ` error.type=409 "`+err.Error()+`"`, textOf(spans[0]))
		require.Empty(t, r.series())
	})
}

// A poll interrupted by the caller's deadline, before or during the response, has a span.
func TestInterruptedPoll(t *testing.T) {
	tests := []struct {
		name string
		do   func(http.Handler) http.Handler
		left int // the number of polls in the second wait
	}{{"no answer", fakes.Hang(), 3}, {"half an answer", fakes.Stall(5), 2}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{}
				svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: tt.do})
				r := newRig(t, svc)
				op := r.begin(t.Context(), "w1", nil)
				ctx, cancel := context.WithTimeout(t.Context(), 70*time.Second)
				defer cancel()
				_, err := op.PollUntilDone(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				polls := r.named("lro.poll")
				require.Len(t, polls, 1)
				require.Equal(t, ` error.type=timeout "cut short: context deadline exceeded"`, textOf(polls[0]))
				require.Equal(t, 10*time.Second, polls[0].EndTime.Sub(polls[0].StartTime))
				require.NotContains(t, r.series(), "lro.poll.duration.count{lro.operation=create widget}", "an interrupted poll must not count, because the poller does not count it")

				r.spans.Reset()
				_, err = op.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Len(t, r.named("lro.wait"), 1)
				require.Len(t, r.named("lro.poll"), tt.left)
			})
		})
	}
}

// A read that times out has one span, with the status Error.
func TestResponseTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Stall(5)})
		r := newRig(t, svc)
		_, err := r.begin(t.Context(), "w1", &poller.Options{ResponseTimeout: 20 * time.Second}).PollUntilDone(t.Context())
		require.NoError(t, err)
		polls := r.named("lro.poll")
		require.Len(t, polls, 3)
		require.Contains(t, textOf(polls[0]), "lro.failures=1 error.type=Unreadable")
		require.Contains(t, textOf(polls[0]), "no complete response within 20s")
		require.Equal(t, 20*time.Second, polls[0].EndTime.Sub(polls[0].StartTime))
		require.InDelta(t, 20, r.series()["lro.poll.duration.sum{error.type=Unreadable,lro.operation=create widget}"], 0)
		require.InDelta(t, 3, r.series()["lro.poll.duration.count{lro.operation=create widget}"], 0, "two polls and the read of the result must count")
	})
}
