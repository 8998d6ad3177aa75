package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

var failing = fakes.Plan{Ending: fakes.Failed, Error: overQuota}

var quirksOfErrors = []quirkCase{
	{
		quirk: quirks.ErrorAdditionalInfo, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorDetailsExtended, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: BadRequest: The request is not valid. (OverQuota: no widgets left)`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNested, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: ValidationError: One or more validation errors occurred. (OverQuota: no widgets left (target name) (Inner: The inner reason.))`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorWithoutCode, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorAbsent, plan: failing,
		want: quirkEnding{`OperationError 200 Failed`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorBelowProperties, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorMessageObject, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorDetailsObject, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left (Inner: The inner reason.)`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNull, plan: failing,
		want: quirkEnding{`OperationError 200 Failed`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorIsString, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNumericCode, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: 40901: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorCodeInHeader, plan: failing,
		want: quirkEnding{`OperationError 200 Failed: OverQuota`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorCapitalized, plan: failing,
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left (no widgets left; OverQuota; OverQuota: no widgets left)`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorEmpty, plan: failing,
		want: quirkEnding{`OperationError 409 Failed`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorHTML, plan: failing, // a gateway's page at a Location is a failed read
		want: quirkEnding{`WaitError Patience InProgress after 11 polls: StatusError 409 (unreadable): Runtime Error Server Error in '/' Application. Runtime Error Description: An application error occurred on the server. The current custom error setti`, 33*time.Minute + 30*time.Second, 12},
	},
	{
		quirk: quirks.ErrorText, plan: failing,
		want: quirkEnding{`OperationError 409 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorQuoted, plan: failing,
		want: quirkEnding{`OperationError 409 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorUnknown, plan: failing,
		want: quirkEnding{`OperationError 409 Failed: {"something-went":"wrong"}`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorAdditionalInfo, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorDetailsExtended, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: BadRequest: The request is not valid. (OverQuota: no widgets left)`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNested, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: ValidationError: One or more validation errors occurred. (OverQuota: no widgets left (target name) (Inner: The inner reason.))`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorWithoutCode, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorAbsent, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: {"status":"Failed"}`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorBelowProperties, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorMessageObject, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorDetailsObject, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left (Inner: The inner reason.)`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNull, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: {"error":null}`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorIsString, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorNumericCode, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: 40901: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ErrorCodeInHeader, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota`, 3 * time.Minute, 4},
	},
}

func TestQuirksOfErrors(t *testing.T) { holdQuirks(t, quirksOfErrors) }

// What does not fit into the text of an error is in its fields.
func TestQuirksOfErrorsKeepWhatIsBesideTheText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		detail := func(quirk quirks.Quirk) *lroerrors.Detail {
			svc := &fakes.Service{Default: failing}
			svc.Quirk(quirk, "")
			_, err := runThrough(t, svc, http.MethodPut, "")
			var failed *lroerrors.OperationError
			require.ErrorAs(t, err, &failed)
			return failed.Detail
		}
		info := detail(quirks.ErrorAdditionalInfo).AdditionalInfo
		require.Len(t, info, 1)
		require.Equal(t, "ActivityId", info[0].Type)
		require.JSONEq(t, `{"activityId":"a0000000-0000-4000-8000-000000000001"}`, string(info[0].Info))

		nested := detail(quirks.ErrorNested).Details[0]
		require.Equal(t, "name", nested.Target)
		require.Equal(t, []lroerrors.Detail{{Code: "Inner", Message: "The inner reason."}}, nested.Details)

		require.Equal(t, "40901", detail(quirks.ErrorNumericCode).Code)
		require.Len(t, detail(quirks.ErrorCapitalized).Details, 3)
		require.Nil(t, detail(quirks.ErrorNull))
		require.Nil(t, detail(quirks.ErrorEmpty))
	})
}

// A request that is refused in that way is told as it is.
func TestQuirksOfErrorsOfARefusal(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 422, Error: overQuota}}
	svc.Quirk(quirks.ErrorText, "")
	_, err := runThrough(t, svc, http.MethodPut, "")
	require.Equal(t, "StatusError 422: no widgets left", describeEnding(nil, err))
}
