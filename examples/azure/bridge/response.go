package bridge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A document is a status document as the asynchronous API reference has it.
type document struct {
	ID      string            `json:"id,omitempty"`
	Name    string            `json:"name,omitempty"`
	Status  string            `json:"status,omitempty"`
	Percent *float64          `json:"percentComplete,omitempty"`
	Error   *lroerrors.Detail `json:"error,omitempty"`
}

// response returns a status as an HTTP response. It has no Request, because azcore's errors
// keep their response and thereby the Authorization header of its request.
func response(st poller.Status) *http.Response {
	resp := answer(cmp.Or(st.StatusCode, http.StatusAccepted), st.RequestID, document{
		ID: st.ID, Name: st.Name, Status: cmp.Or(st.Word, string(st.State)), Percent: st.PercentComplete, Error: st.Error,
	})
	if !st.State.Terminal() {
		// Rounded up, so that azcore does not poll earlier, and at least 1: without it
		// azcore waits at its own frequency.
		wait := time.Until(st.NextPoll) + time.Millisecond - 1
		resp.Header.Set("Retry-After-Ms", strconv.FormatInt(max(wait.Milliseconds(), 1), 10))
	}
	return resp
}

func answer(code int, requestID string, doc document) *http.Response {
	body, _ := json.Marshal(doc) // texts, and JSON that was valid
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

// A failure is one of our errors that also matches *azcore.ResponseError.
type failure struct {
	error
	response *azcore.ResponseError
}

func (f *failure) Unwrap() []error { return []error{f.error, f.response} }

// withResponse adds an *azcore.ResponseError to an error about a response. The error of a
// wait that the caller's context ended is not about the response before it.
func withResponse(err error) error {
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok && e.Err != nil {
		return err
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		return newFailure(err, e.StatusCode, e.RequestID, e.Detail, nil)
	}
	if e, ok := errors.AsType[*lroerrors.StatusError](err); ok && e.StatusCode != 0 {
		u, _ := url.Parse(e.URL)
		return newFailure(err, e.StatusCode, e.RequestID, e.Detail, &http.Request{Method: e.Method, URL: u, Header: http.Header{}})
	}
	return err
}

func newFailure(err error, code int, requestID string, detail *lroerrors.Detail, req *http.Request) error {
	raw := answer(code, requestID, document{Error: detail}) //nolint:bodyclose // it is memory
	if req != nil && req.URL != nil {
		raw.Request = req
	}
	f := &failure{err, &azcore.ResponseError{StatusCode: code, RawResponse: raw}}
	if detail != nil {
		f.response.ErrorCode = detail.Code
	}
	return f
}
