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

// ResponseError converts an error of this module to an [*azcore.ResponseError], for code that checks
// for azcore's type. It does so if err reports a response: a failed or canceled operation, a refused
// request, or a status or result that could not be read.
//
// If err is itself a *StatusError, *OperationError, *ResultError or *WaitError of package errors, the
// result is the *azcore.ResponseError itself, so that a type assertion finds it, too, and [ErrorOf]
// returns err from it. If err wraps such an error, the result wraps both: errors.As finds azcore's
// type and everything in err, and the text stays the same. ResponseError returns any other error
// unchanged: nil, the end of the caller's context, a request without a response, and one whose 2xx
// could not be read.
//
// The ResponseError has the status code and the service's error code. The status code of a failed
// operation is usually 200, as with azcore. The body of its RawResponse is the service's error in
// azcore's form; like azcore's body, it can seek, and runtime.Payload returns it again and again. The
// headers are the request id and the pause that the service asked for. The Request has the host and
// the URL, without its query and without headers; for a failed operation, it is the GET of the status.
// In an error of a poller.Watch, that URL is empty, unless the getter returned an azcore error.
func ResponseError(err error) error {
	if e, ok := err.(*both); ok && isOurs(e.error) { //nolint:errorlint // only the outermost error matters
		return e.theirs
	}
	if !isOurs(err) {
		return withBoth(err)
	}
	if theirs := azcoreErrorOf(err); theirs != nil {
		return theirs
	}
	return err
}

// isOurs reports whether err itself, and not only an error that it wraps, has one of the four types
// of package errors.
func isOurs(err error) bool {
	switch err.(type) { //nolint:errorlint // only the outermost error matters
	case *lroerrors.StatusError, *lroerrors.OperationError, *lroerrors.ResultError, *lroerrors.WaitError:
		return true
	}
	return false
}

// both combines one of our errors with an azcore error. Its text is the text of our error.
type both struct {
	error
	theirs *azcore.ResponseError
}

// Unwrap returns both errors.
func (e *both) Unwrap() []error { return []error{e.error, e.theirs} }

// withBoth returns an error in which errors.As finds everything in err and an *azcore.ResponseError,
// or err itself if it reports no response.
func withBoth(err error) error {
	if _, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return err
	}
	if theirs := azcoreErrorOf(err); theirs != nil {
		return &both{err, theirs}
	}
	return err
}

// azcoreErrorOf returns an azcore error for the response that err reports, or nil if it reports none.
func azcoreErrorOf(err error) *azcore.ResponseError {
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok && e.Err != nil {
		return nil // the error concerns the context, not the last response
	}
	if found, ok := errors.AsType[*azcore.ResponseError](err); ok { // from the getter of a Watch
		return newTheirs(err, found.RawResponse, found.StatusCode, found.ErrorCode)
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok && e.StatusCode != 0 {
		raw := answer(e.StatusCode, e.RequestID, document{Error: e.Detail}) //nolint:bodyclose // it is memory
		raw.Request = request(http.MethodGet, e.URL)
		return newTheirs(err, raw, e.StatusCode, codeOf(e.Detail))
	}
	e := failedRequest(err)
	if e == nil || e.StatusCode < 300 {
		return nil // azcore's type, with a 2xx, means that the operation has failed
	}
	return newTheirs(err, refusal(e), e.StatusCode, codeOf(e.Detail)) //nolint:bodyclose // it is memory
}

// failedRequest is like lastRequest, but the request for a status that is gone got a 404, also if
// the last request was a read of the resource.
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

// newTheirs returns an azcore error from which ErrorOf returns ours.
func newTheirs(ours error, raw *http.Response, status int, code string) *azcore.ResponseError {
	if raw != nil && raw.Request != nil {
		own := *raw
		own.Request = raw.Request.WithContext(context.WithValue(raw.Request.Context(), originKey{}, ours))
		raw = &own
	}
	return &azcore.ResponseError{StatusCode: status, ErrorCode: code, RawResponse: raw}
}

// originKey is the key of our error in the context of the request of an azcore error, which has no
// field for it.
type originKey struct{}

// ErrorOf returns our error from which [ResponseError], or a *runtime.Poller of this package, made an
// *azcore.ResponseError. It has what azcore's type lacks, such as the Reason and the ResumeToken of a
// *WaitError, and the functions of package poller understand it:
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

// lastRequest returns the failed request that err reports, or that a wait or the read of a result
// ended with. It returns nil if there is none.
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

// StatusOf returns the HTTP status, the Retry-After and the service's error from an error of an
// azcore client, for the StatusOf field of [poller.WatchOptions]. A Watch of a typed getter then
// tolerates a 404 for five minutes, obeys a Retry-After and ends at a 403, like a poller:
//
//	p := poller.Watch(get, judge, &poller.WatchOptions{StatusOf: lroazcore.StatusOf})
//
// StatusOf also recognizes a StatusError and an ErrNotFound of package errors, and fs.ErrNotExist.
// It returns nil for any other error, such as a failed connection or a credential error; the Watch
// then tolerates it for five minutes. StatusOf keeps the body of the response readable.
func StatusOf(err error) *lroerrors.StatusError {
	if theirs, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return statusOfTheirs(theirs)
	}
	if e := lastRequest(err); e != nil {
		return e
	}
	if errors.Is(err, lroerrors.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return &lroerrors.StatusError{StatusCode: http.StatusNotFound}
	}
	return nil
}

// statusOfTheirs converts an azcore error. It reads the response if there is one.
func statusOfTheirs(theirs *azcore.ResponseError) *lroerrors.StatusError {
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
