package features

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	azsdk "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"

	lroerrors "github.com/lro-go/lro/errors"
)

var endingRows = []row{
	{"Failed: the service's code", "yes", "in the error text", "yes", failedCode},
	{"Failed: the nested details", "in the raw response", "in the error text", "yes", failedDetails},
	{"Failed: a code that is only in `x-ms-error-code`", "yes", "no: a failure without the code", "yes", failedCodeInHeader},
	{"A type or field distinguishes Failed and Canceled", "no: only the raw response does", "yes", "yes", failedOrCanceled},
	{"The Location reports Failed in a status document", "no: reports success", "yes", "yes", failedAtLocation},
	{"A 409 at the Location is the operation's own failure", "yes", "no: reports a failed read", "yes", conflictAtLocation},
	{"Operation-Location: Failed, with the operation's own error", "no: a failure without the code", "no: a failure without the code", "yes", failedAtOperationLocation},
	{"DELETE that fails ([note](#notes))", "yes", "no: keeps polling", "yes", failedDelete},
	{"A 403 for the result differs from a failed operation", "no: the same type of error", "yes", "yes", resultRefused},
}

const quota = `{"code":"QuotaExceeded","message":"No more widgets.","details":[{"code":"CoresExceeded","message":"Ten cores at most."}]}`

// failed returns a handler that sends the status document of a failed operation.
func failed(errorMember string, header ...string) http.HandlerFunc {
	return says(http.StatusOK, strings.Replace(string(document("Failed")), `"properties"`, errorMember+`"properties"`, 1), header...)
}

// failure reports whether err has the type that its library uses for a failed operation. It returns
// the service's error code if err contains one.
func failure(err error) (code string, ok bool) {
	if e, ok := errors.AsType[*azsdk.ResponseError](err); ok {
		return e.ErrorCode, true
	}
	if _, ok := errors.AsType[pollers.PollingFailedError](err); ok {
		return "", true
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok && e.Detail != nil {
		return e.Detail.Code, true
	}
	return "", false
}

// coded returns the table cell for an operation that fails with QuotaExceeded.
func coded(o followed) string {
	const code = "QuotaExceeded"
	got, ok := failure(o.err)
	switch {
	case o.endless():
		return "no: keeps polling"
	case o.err == nil:
		return "no: reports success"
	case got == code:
		return "yes"
	case ok && strings.Contains(o.err.Error(), code):
		return "in the error text"
	case ok:
		return "no: a failure without the code"
	case strings.Contains(o.err.Error(), code):
		return "no: reports a failed read"
	default:
		return "no: another error"
	}
}

func failedCode(t *testing.T, subject string) string {
	return coded(follow(t, subject, asyncPut(failed(`"error":`+quota+`,`))))
}

func failedCodeInHeader(t *testing.T, subject string) string {
	return coded(follow(t, subject, asyncPut(failed("", "x-ms-error-code", "QuotaExceeded"))))
}

func failedAtLocation(t *testing.T, subject string) string {
	said := coded(follow(t, subject, locationPost(says(http.StatusAccepted, ""), failed(`"error":`+quota+`,`))))
	return strings.Replace(said, "in the error text", "yes", 1) // failedCode's row already says where the code is
}

func conflictAtLocation(t *testing.T, subject string) string {
	conflict := says(http.StatusConflict, `{"error":`+quota+`}`)
	return coded(follow(t, subject, locationPost(says(http.StatusAccepted, ""), conflict)))
}

func failedAtOperationLocation(t *testing.T, subject string) string {
	s := asyncPut(failed(`"error":` + quota + `,`))
	s[putW] = created("Operation-Location", arm+operation+version)
	s[getW] = turns(shown("Failed"))
	return coded(follow(t, subject, s))
}

func failedDelete(t *testing.T, subject string) string {
	return coded(follow(t, subject, script{
		deleteW: inAccepted("Azure-AsyncOperation", arm+operation+version),
		polled:  turns(withStatus("Deleting"), failed(`"error":`+quota+`,`)),
		getW:    turns(shown("Failed")),
	}))
}

func failedDetails(t *testing.T, subject string) string {
	const detail = "CoresExceeded"
	o := follow(t, subject, asyncPut(failed(`"error":`+quota+`,`)))
	if e, ok := errors.AsType[*lroerrors.OperationError](o.err); ok && e.Detail.Details[0].Code == detail {
		return "yes"
	}
	if e, ok := errors.AsType[*azsdk.ResponseError](o.err); ok {
		body, err := io.ReadAll(e.RawResponse.Body)
		if err == nil && strings.Contains(string(body), detail) {
			return "in the raw response"
		}
	}
	if strings.Contains(o.err.Error(), detail) {
		return "in the error text"
	}
	return "no"
}

func failedOrCanceled(t *testing.T, subject string) string {
	was := follow(t, subject, asyncPut(withStatus("Canceled"))).err
	if _, ok := errors.AsType[pollers.PollingCancelledError](was); ok || errors.Is(was, lroerrors.ErrCanceled) {
		return "yes"
	}
	if e, ok := errors.AsType[*azsdk.ResponseError](was); ok && e.ErrorCode == "" && e.StatusCode == http.StatusOK {
		return "no: only the raw response does"
	}
	return "no"
}

// resultRefused simulates an operation that succeeds, although the client is not allowed to read
// its resource.
func resultRefused(t *testing.T, subject string) string {
	o := follow(t, subject, updated(refused))
	if o.err == nil {
		return "no: ends well"
	}
	if _, ok := failure(o.err); ok {
		return "no: the same type of error"
	}
	return "yes"
}
