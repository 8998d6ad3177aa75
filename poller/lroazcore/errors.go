package lroazcore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// ResponseError converts an error from this module to an [*azcore.ResponseError], for code that
// checks for azcore's type. It converts errors that report a response: a failed or canceled
// operation, a refused request, or a status or result that could not be read. It returns nil and
// all other errors unchanged: the end of the caller's context, a request that got no response, and
// a 2xx that could not be read.
//
// If err is itself a *StatusError, *OperationError, *ResultError or *WaitError of package errors,
// ResponseError returns the *azcore.ResponseError itself, so that a type assertion works. [ErrorOf]
// converts it back to err. If err wraps such an error, the returned error wraps both: errors.As
// finds azcore's type and everything in err, and the text stays the same.
//
// The *azcore.ResponseError has the status code and the service's error code. The status code of a
// failed operation is usually 200, as with azcore. The body of its RawResponse is the service's
// error in azcore's form. As in azcore's own errors, the body is seekable, and runtime.Payload can
// read it any number of times. The headers include the request ID and the pause that the service
// asked for. The Request has the host and the URL, but no query and no headers. For a failed
// operation, the Request is the GET of the status. In an error of a poller.Watch, the URL is empty,
// unless the getter returned an azcore error. In that case, ResponseError uses the RawResponse and
// the codes of that error.
func ResponseError(err error) error {
	if e, ok := err.(*combinedError); ok && isOurs(e.error) { //nolint:errorlint // only the outermost error matters
		return e.azcore
	}
	if !isOurs(err) {
		return withAzcoreError(err)
	}
	if theirs := azcoreErrorOf(err); theirs != nil {
		return theirs
	}
	return err
}

// isOurs reports whether err itself, not an error it wraps, has one of the four types of package
// errors.
func isOurs(err error) bool {
	switch err.(type) { //nolint:errorlint // only the outermost error matters
	case *lroerrors.StatusError, *lroerrors.OperationError, *lroerrors.ResultError, *lroerrors.WaitError:
		return true
	}
	return false
}

// A combinedError combines an lro error with an azcore error. Its text is the lro error's.
type combinedError struct {
	error
	azcore *azcore.ResponseError
}

// Unwrap returns both errors.
func (e *combinedError) Unwrap() []error { return []error{e.error, e.azcore} }

// withAzcoreError adds an *azcore.ResponseError to err, so that errors.As finds both. If err
// reports no response, withAzcoreError returns err unchanged.
func withAzcoreError(err error) error {
	if _, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return err
	}
	if theirs := azcoreErrorOf(err); theirs != nil {
		return &combinedError{err, theirs}
	}
	return err
}

// azcoreErrorOf returns an azcore error for the response that err reports, or nil if there is none.
func azcoreErrorOf(err error) *azcore.ResponseError {
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok && e.Err != nil {
		return nil // the wait ended because of the context, not because of a response
	}
	if found, ok := errors.AsType[*azcore.ResponseError](err); ok { // from a Watch's getter
		return newAzcoreError(err, found.RawResponse, found.StatusCode, found.ErrorCode)
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok && e.StatusCode != 0 {
		raw := newResponse(e.StatusCode, e.RequestID, document{Error: e.Detail}) //nolint:bodyclose // the body is in memory
		raw.Request = request(http.MethodGet, e.URL)
		return newAzcoreError(err, raw, e.StatusCode, codeOf(e.Detail))
	}
	e := failedRequest(err)
	if e == nil || e.StatusCode < 300 {
		return nil // azcore's callers would take a ResponseError with a 2xx to mean that the operation has failed
	}
	return newAzcoreError(err, errorResponse(e), e.StatusCode, codeOf(e.Detail)) //nolint:bodyclose // the body is in memory
}

// failedRequest returns the failed request that err reports, or a 404 if the wait ended because the
// status is gone but the last request failed for another reason.
func failedRequest(err error) *lroerrors.StatusError {
	last := lastRequest(err)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok || wait.Reason != lroerrors.ReasonGone {
		return last
	}
	if last != nil && last.Is(lroerrors.ErrNotFound) {
		return last
	}
	return &lroerrors.StatusError{URL: wait.URL, StatusCode: http.StatusNotFound}
}

// newAzcoreError returns an azcore error that contains an lro error, which ErrorOf extracts.
func newAzcoreError(ours error, raw *http.Response, status int, code string) *azcore.ResponseError {
	if raw != nil && raw.Request != nil {
		own := *raw
		own.Request = raw.Request.WithContext(context.WithValue(raw.Request.Context(), originKey{}, ours))
		raw = &own
	}
	return &azcore.ResponseError{StatusCode: status, ErrorCode: code, RawResponse: raw}
}

// originKey is the context key for the lro error in an azcore error's RawResponse.Request. azcore's
// type has no field for another error.
type originKey struct{}

// ErrorOf returns the lro error that [ResponseError] or a *runtime.Poller from this package
// converted to an *azcore.ResponseError. Use it to get what the azcore error lacks, such as a
// *WaitError's Reason and ResumeToken, and to call functions of package poller, which recognize
// only the lro error:
//
//	switch poller.Classify(lroazcore.ErrorOf(err)) {
//
// ErrorOf returns any other error unchanged.
func ErrorOf(err error) error {
	theirs, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok || theirs.RawResponse == nil || theirs.RawResponse.Request == nil {
		return err
	}
	ours, ok := theirs.RawResponse.Request.Context().Value(originKey{}).(error)
	if !ok {
		return err
	}
	return ours
}

func codeOf(detail *lroerrors.Detail) string {
	if detail == nil {
		return ""
	}
	return detail.Code
}

// lastRequest returns the last failed request that err reports, or nil if there is none.
func lastRequest(err error) *lroerrors.StatusError {
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return e.LastErr
	}
	if e, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		err = e.Err
	}
	e, _ := errors.AsType[*lroerrors.StatusError](err)
	return e
}

// StatusOf returns the HTTP status, the Retry-After and the service's error from an azcore client's
// error. Use it as the StatusOf field of [poller.WatchOptions]. A Watch of a typed getter then
// tolerates a 404 for five minutes, obeys a Retry-After and ends at a 403, like a poller:
//
//	p := poller.Watch(get, judge, &poller.WatchOptions{StatusOf: lroazcore.StatusOf})
//
// StatusOf also recognizes a StatusError or an ErrNotFound from package errors, and fs.ErrNotExist.
// For any other error, such as a failed connection or a credential error, it returns nil, and the
// Watch tolerates the error for five minutes. StatusOf leaves the response's body readable.
func StatusOf(err error) *lroerrors.StatusError {
	if theirs, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return statusErrorOf(theirs)
	}
	if e := lastRequest(err); e != nil {
		return e
	}
	if errors.Is(err, lroerrors.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return &lroerrors.StatusError{StatusCode: http.StatusNotFound}
	}
	return nil
}

// statusErrorOf converts an azcore error to a StatusError, using the response if there is one.
func statusErrorOf(theirs *azcore.ResponseError) *lroerrors.StatusError {
	if theirs.RawResponse != nil {
		raw := *theirs.RawResponse
		if raw.Body != nil {
			body, _ := runtime.Payload(theirs.RawResponse) // Payload leaves the body readable
			raw.Body = io.NopCloser(bytes.NewReader(body))
		}
		if e, ok := errors.AsType[*lroerrors.StatusError](transport.AsError(&raw)); ok {
			return e
		}
	}

	e := &lroerrors.StatusError{StatusCode: theirs.StatusCode}
	if theirs.ErrorCode != "" {
		e.Detail = &lroerrors.Detail{Code: theirs.ErrorCode}
	}
	return e
}
