package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

var quirksOfStatuses = []quirkCase{
	{
		quirk: quirks.NoStatus, plan: fakes.Plan{Duration: 10 * time.Minute},
		want: quirkEnding{made, 1890 * time.Second, 11},
	},
	{
		quirk: quirks.NoStatus, there: true, plan: fakes.Plan{Duration: 10 * time.Minute},
		want:   quirkEnding{`WaitError Patience InProgress "Accepted" after 9 polls: StatusError 200 (unreadable)`, 1890 * time.Second, 10},
		option: "CrossCheck",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{})},
		with:   quirkEnding{made, 1890 * time.Second, 11},
	},
	{
		quirk: quirks.NonstandardWords, plan: fakes.Plan{Polls: 20},
		want: quirkEnding{made, 21 * time.Minute, 23},
	},
	{
		quirk: quirks.DeletingForever, method: "DELETE", within: 2 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress "Deleting" after 120 polls, our pause`, 119*time.Minute + 54*time.Second, 121},
		option: "CrossCheck (After)",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Hour})},
		with:   quirkEnding{`no result`, time.Hour, 62},
	},
	{
		quirk: quirks.NeverEnds, within: 2 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress "Provisioning" after 120 polls, our pause`, 119*time.Minute + 54*time.Second, 121},
		option: "CrossCheck (After)",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Hour})},
		with:   quirkEnding{made, time.Hour, 62},
	},
	{
		quirk: quirks.ResultWithoutState,
		want:  quirkEnding{bare, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.LocationNeverEnds, within: 2 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress after 120 polls, our pause`, 119*time.Minute + 54*time.Second, 121},
		option: "CrossCheck (After)",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Hour})},
		with:   quirkEnding{bare, time.Hour, 62},
	},
	{
		quirk: quirks.NonstandardTimes,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.NonstandardTimes, plan: fakes.Plan{Ending: fakes.Failed},
		want: quirkEnding{`OperationError 200 Failed: OperationFailed: The operation failed.`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ResourceAsStatus,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.ResourceAsStatus, plan: fakes.Plan{Ending: fakes.Failed},
		want: quirkEnding{`OperationError 200 Failed: OperationFailed: The operation failed.`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.LocationWithoutBody, method: "DELETE", plan: fakes.Plan{RetryAfter: 15 * time.Second},
		want: quirkEnding{`no result`, 45 * time.Second, 4},
	},
	{
		quirk:  quirks.StatusAtLocation,
		want:   quirkEnding{`result {"id":"/operationResults/00000000-0000-4000-8000-000000000001","name":"00000000-0000-4000-8000-000000000001","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:02:00Z"}`, 3 * time.Minute, 4},
		option: "FinalStateVia original-uri",
		opts:   &poller.Options{FinalStateVia: poller.FinalStateViaOriginalURI},
		with:   quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.StatusAtLocation, plan: fakes.Plan{Ending: fakes.Failed},
		want: quirkEnding{`OperationError 200 Failed: OperationFailed: The operation failed.`, 3 * time.Minute, 4},
	},
}

var quirksOfEndings = []quirkCase{
	{
		quirk: quirks.SuccessWithoutBody, plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.SuccessWithoutBody, plan: fakes.Plan{Style: fakes.AzureAsyncOperation},
		want: quirkEnding{made, 2010 * time.Second, 13},
	},
	{
		quirk: quirks.SuccessWithoutBody, there: true, plan: fakes.Plan{Style: fakes.AzureAsyncOperation},
		want:   quirkEnding{`WaitError Patience InProgress "Provisioning" after 11 polls: StatusError 200 (unreadable)`, 2010 * time.Second, 12},
		option: `Words ""`,
		opts:   &poller.Options{Words: map[string]poller.State{"": poller.Succeeded}},
		with:   quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.StateCompleted,
		want:  quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Completed","size":1},"type":"widgets"}`, 3 * time.Minute, 4},
	},
	{
		quirk:  quirks.FailsWithInternalError,
		want:   quirkEnding{`OperationError 200 Failed: InternalServerError: An error occurred.`, 3 * time.Minute, 4},
		option: "start again (your own check)",
		retry:  failedInternally,
		with:   quirkEnding{made, 390 * time.Second, 9},
	},
	{
		quirk:  quirks.FailsWithRetryableError,
		want:   quirkEnding{`OperationError 200 Failed: RetryableError: A retryable error occurred. (ReferencedResourceNotProvisioned: A resource that is referred to is not provisioned.)`, 3 * time.Minute, 4},
		option: "start again (Retryable)",
		retry:  poller.Retryable,
		with:   quirkEnding{made, 390 * time.Second, 9},
	},
	{
		quirk:  quirks.FailsWithBusyError,
		want:   quirkEnding{`OperationError 200 Failed: StorageAccountOperationInProgress: An operation on the storage account is in progress.`, 3 * time.Minute, 4},
		option: "start again (Retryable)",
		retry:  poller.Retryable,
		with:   quirkEnding{made, 390 * time.Second, 9},
	},
	{
		quirk: quirks.Preempted, after: true,
		want: quirkEnding{`OperationError 200 Canceled: OperationPreempted: The operation was preempted by a more recent one.`, time.Minute, 3},
	},
	{
		quirk: quirks.ReportCompleted, method: "POST", path: resource + "/report",
		want: quirkEnding{`result {"id":"/operationResults/00000000-0000-4000-8000-000000000001","manifest":{"blobs":[]},"name":"00000000-0000-4000-8000-000000000001","status":"Completed"}`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorWithoutCode, plan: fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "X", Message: "not licensed"}},
		want: quirkEnding{`OperationError 200 Failed: not licensed`, 3 * time.Minute, 4},
	},
}

func TestQuirksOfStatuses(t *testing.T) { testQuirks(t, quirksOfStatuses) }

func TestQuirksOfEndings(t *testing.T) { testQuirks(t, quirksOfEndings) }

// The poller reads the times, words and percentages of a status document despite each of these
// quirks.
func TestQuirksKeepStatusMembers(t *testing.T) {
	for quirk, see := range map[quirks.Quirk]func(poller.Status) any{
		quirks.NonstandardTimes: func(s poller.Status) any { return s.StartTime.Equal(time.Now()) },
		quirks.NonstandardWords: func(s poller.Status) any { return s.Word == "Running" },
		quirks.DeletingForever:  func(s poller.Status) any { return s.Word == "Deleting" && *s.PercentComplete == 100 },
	} {
		bubble(t, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Put(resource, struct{}{})
			svc.Quirk(quirk, resource)
			p, err := poller.Begin[raw](quirkRequest(t, "DELETE", ""), fakes.Client(svc), nil)
			require.NoError(t, err)
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, true, see(st), "%s: %v", quirk, st)
		})
	}
}
