package lroazcore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// ResponseError adds an [*azcore.ResponseError] to an error of this module, for code that checks
// for azcore's type. It adds one if err reports a response: a failed or canceled operation, a
// refused request, or a status or result that could not be read. The text of the error does not
// change, and errors.As and errors.Is still find everything in err.
//
// The ResponseError has the status code and the service's error code. Its RawResponse contains
// the service's error in azcore's form, the request id and Retry-After. The Request of that
// response has the method and the URL without its query, but no headers; after an
// OperationError, it is nil. The status code of a failed operation is usually 200, as with
// azcore.
//
// ResponseError returns err unchanged if it is nil, if no response arrived, if the caller's context
// ended the wait, or if it already contains an *azcore.ResponseError.
func ResponseError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return err
	}
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok && e.Err != nil {
		return err // the error concerns the context, not the last response
	}

	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok && e.StatusCode != 0 {
		raw := answer(e.StatusCode, e.RequestID, document{Error: e.Detail}) //nolint:bodyclose // it is memory
		return &withTheirs{err, theirs(raw, e.Detail)}
	}
	if e := lastRequest(err); e != nil && e.StatusCode != 0 {
		return &withTheirs{err, theirs(refusal(e), e.Detail)} //nolint:bodyclose // it is memory
	}
	return err
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

// refusal returns the response that e reports.
func refusal(e *lroerrors.StatusError) *http.Response {
	raw := answer(e.StatusCode, e.RequestID, document{Error: e.Detail})
	if e.RetryAfter > 0 {
		raw.Header.Set("Retry-After-Ms", milliseconds(e.RetryAfter))
	}

	u, err := url.Parse(e.URL)
	if err == nil && u.Host != "" { // a Watch has a name instead of a URL
		raw.Request = &http.Request{Method: e.Method, URL: u, Header: http.Header{}}
	}
	return raw
}

func theirs(raw *http.Response, detail *lroerrors.Detail) *azcore.ResponseError {
	_, _ = runtime.Payload(raw) // buffers the body, so that both Error and the caller can read it
	e := &azcore.ResponseError{StatusCode: raw.StatusCode, RawResponse: raw}
	if detail != nil {
		e.ErrorCode = detail.Code
	}
	return e
}

// withTheirs combines one of our errors with an azcore error. Its text is the text of our error.
type withTheirs struct {
	error
	theirs error
}

// Unwrap returns both errors.
func (e *withTheirs) Unwrap() []error { return []error{e.error, e.theirs} }

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

// A document is a status document as defined in the asynchronous API reference.
type document struct {
	ID      string            `json:"id,omitempty"`
	Name    string            `json:"name,omitempty"`
	Status  string            `json:"status,omitempty"`
	Percent *float64          `json:"percentComplete,omitempty"`
	Error   *lroerrors.Detail `json:"error,omitempty"`
}

// response returns a status as an HTTP response. The response has no Request, because azcore's
// errors would keep the request and its Authorization header.
func response(st poller.Status) *http.Response {
	return answer(cmp.Or(st.StatusCode, http.StatusAccepted), st.RequestID, document{
		ID: st.ID, Name: st.Name, Status: cmp.Or(st.Word, string(st.State)), Percent: st.PercentComplete, Error: st.Detail,
	})
}

// responseWithPause is like response, but makes azcore wait until the next read, because the
// service asked for the pause.
func responseWithPause(st poller.Status) *http.Response {
	resp := response(st)
	if !st.State.Terminal() {
		resp.Header.Set("Retry-After-Ms", milliseconds(time.Until(st.NextPoll)))
	}
	return resp
}

// milliseconds rounds d up, so that azcore does not read early. It returns at least 1, because
// azcore would ignore 0.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max((d+time.Millisecond-1).Milliseconds(), 1), 10)
}

func answer(code int, requestID string, doc document) *http.Response {
	body, _ := json.Marshal(doc) // cannot fail, because all values in doc can be encoded
	h := http.Header{"Content-Type": {"application/json"}}
	if requestID != "" {
		h.Set("X-Ms-Request-Id", requestID)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}
