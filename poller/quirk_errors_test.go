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
		quirk: "W41/additional-info",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/details",
		want:  quirkEnding{`OperationError 200 Failed: BadRequest: The request is not valid. (OverQuota: no widgets left)`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/nested",
		want:  quirkEnding{`OperationError 200 Failed: ValidationError: One or more validation errors occurred. (OverQuota: no widgets left (target name) (Inner: The inner reason.))`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/no-code",
		want:  quirkEnding{`OperationError 200 Failed: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/status-alone",
		want:  quirkEnding{`OperationError 200 Failed`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/below-properties",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/message-object",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/details-object",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left (Inner: The inner reason.)`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/error-null",
		want:  quirkEnding{`OperationError 200 Failed`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/error-string",
		want:  quirkEnding{`OperationError 200 Failed: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/numeric-code",
		want:  quirkEnding{`OperationError 200 Failed: 40901: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/code-in-header",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/capitals",
		want:  quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left (no widgets left; OverQuota; OverQuota: no widgets left)`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/empty",
		want:  quirkEnding{`OperationError 409 Failed`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/html", // an HTML page may come from a gateway, so the read is treated as failed
		want:  quirkEnding{`WaitError Patience InProgress after 10 polls: StatusError 409 (unreadable): Runtime Error Server Error in '/' Application. Runtime Error Description: An application error occurred on the server. The current custom error setti`, 32*time.Minute + 30*time.Second, 11},
	},
	{
		quirk: "W41/text",
		want:  quirkEnding{`OperationError 409 Failed: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/string",
		want:  quirkEnding{`OperationError 409 Failed: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/unknown",
		want:  quirkEnding{`OperationError 409 Failed: {"something-went":"wrong"}`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/communication-error",
		want:  quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/error-response",
		want:  quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/remote-exception",
		want:  quirkEnding{`OperationError 409 Failed: OverQuotaException: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/error-code",
		want:  quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/problem",
		want:  quirkEnding{`OperationError 409 Failed: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/provisioning-error",
		want:  quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 2 * time.Minute, 3},
	},
	{
		quirk: "W41/xml", // like an HTML page, XML from a Location makes the read fail
		want:  quirkEnding{`WaitError Patience InProgress after 10 polls: StatusError 409 (unreadable): OverQuota: no widgets left`, 32*time.Minute + 30*time.Second, 11},
	},
	{
		quirk: "W41/provisioning-details",
		want:  quirkEnding{`OperationError 200 Failed: no widgets left`, 2 * time.Minute, 3},
	},
}

func TestQuirksOfErrors(t *testing.T) { testQuirks(t, quirksOfErrors) }

// An error from a Location may have any format that lro supports in a status document.
func TestQuirksOfErrorsAtLocation(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"error":{"code":"OverQuota","message":"no widgets left","additionalInfo":[{"type":"ActivityId","info":{"activityId":"a0000000-0000-4000-8000-000000000001"}}]}}`, `OperationError 409 Failed: OverQuota: no widgets left`},
		{`{"error":{"code":"BadRequest","message":"The request is not valid.","details":[{"activityId":"a0000000-0000-4000-8000-000000000001","code":"OverQuota","message":"no widgets left","possibleCauses":"Another request was faster."}]}}`, `OperationError 409 Failed: BadRequest: The request is not valid. (OverQuota: no widgets left)`},
		{`{"error":{"code":"ValidationError","message":"One or more validation errors occurred.","details":[{"code":"OverQuota","target":"name","message":"no widgets left","details":[{"code":"Inner","message":"The inner reason."}]}]}}`, `OperationError 409 Failed: ValidationError: One or more validation errors occurred. (OverQuota: no widgets left (target name) (Inner: The inner reason.))`},
		{`{"error":{"message":"no widgets left"}}`, `OperationError 409 Failed: no widgets left`},
		{`{"status":"Failed"}`, `OperationError 409 Failed: {"status":"Failed"}`},
		{`{"properties":{"error":{"code":"OverQuota","message":"no widgets left"}}}`, `OperationError 409 Failed: OverQuota: no widgets left`},
		{`{"error":{"code":"OverQuota","message":{"lang":"en-us","value":"no widgets left"}}}`, `OperationError 409 Failed: OverQuota: no widgets left`},
		{`{"error":{"code":"OverQuota","message":"no widgets left","details":{"code":"Inner","message":"The inner reason."}}}`, `OperationError 409 Failed: OverQuota: no widgets left (Inner: The inner reason.)`},
		{`{"error":null}`, `OperationError 409 Failed: {"error":null}`},
		{`{"error":"no widgets left"}`, `OperationError 409 Failed: no widgets left`},
		{`{"error":{"code":40901,"message":"no widgets left"}}`, `OperationError 409 Failed: 40901: no widgets left`},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, endAtLocation(t, fakes.Respond(http.StatusConflict, tt.body)), tt.body)
	}
	codeInHeader := func(h http.Handler) http.Handler {
		return fakes.Header("X-Ms-Error-Code", "OverQuota")(fakes.Respond(http.StatusConflict, `{}`)(h))
	}
	require.Equal(t, "OperationError 409 Failed: OverQuota", endAtLocation(t, codeInHeader))
}

// endAtLocation wraps the handler of the second poll with the function do, and describes how an
// operation with a Location then ends.
func endAtLocation(t *testing.T, do func(http.Handler) http.Handler) (ending string) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Location, Duration: fakes.Forever}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: do})
		ending = describeEnding(runThrough(t, svc, http.MethodPut, ""))
	})
	return ending
}

// The Detail of an OperationError contains the members of the service's error. It is nil if the
// service sent no error.
func TestQuirksOfErrorFields(t *testing.T) {
	bubble(t, func(t *testing.T) {
		detail := func(quirk quirks.Quirk) *lroerrors.Detail {
			svc := &fakes.Service{}
			svc.Quirk(quirk, "")
			_, err := runThrough(t, svc, http.MethodPut, "")
			var failed *lroerrors.OperationError
			require.ErrorAs(t, err, &failed)
			return failed.Detail
		}
		info := detail("W41/additional-info").AdditionalInfo
		require.Len(t, info, 1)
		require.Equal(t, "ActivityId", info[0].Type)
		require.JSONEq(t, `{"activityId":"a0000000-0000-4000-8000-000000000001"}`, string(info[0].Info))

		nested := detail("W41/nested").Details[0]
		require.Equal(t, "name", nested.Target)
		require.Equal(t, []lroerrors.Detail{{Code: "Inner", Message: "The inner reason."}}, nested.Details)

		require.Equal(t, "40901", detail("W41/numeric-code").Code)
		require.Len(t, detail("W41/capitals").Details, 3)
		require.Nil(t, detail("W41/error-null"))
		require.Nil(t, detail("W41/empty"))
	})
}

// If a service refuses the first request with plain text, the StatusError contains that text.
func TestQuirksOfRefusedRequests(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Respond(http.StatusUnprocessableEntity, "no widgets left")})
	_, err := runThrough(t, svc, http.MethodPut, "")
	require.Equal(t, "StatusError 422: no widgets left", describeEnding(nil, err))
}
