package lroazcore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A document is the JSON body of a response, in the form of a status document (asynchronous API
// reference, "Azure-AsyncOperation Resource format").
type document struct {
	ID      string            `json:"id,omitempty"`
	Name    string            `json:"name,omitempty"`
	Status  string            `json:"status,omitempty"`
	Percent *float64          `json:"percentComplete,omitempty"`
	Error   *lroerrors.Detail `json:"error,omitempty"`
}

// response returns an HTTP response that reports a status.
func response(st poller.Status) *http.Response {
	return newResponse(cmp.Or(st.StatusCode, http.StatusAccepted), st.RequestID, document{
		ID: st.ID, Name: st.Name, Status: cmp.Or(st.Word, string(st.State)), Percent: st.PercentComplete, Error: st.Detail,
	})
}

// errorResponse returns a response with e's status code, request ID and error details.
func errorResponse(e *lroerrors.StatusError) *http.Response {
	raw := newResponse(e.StatusCode, e.RequestID, document{Error: e.Detail})
	raw.Request = request(e.Method, e.URL)
	if e.RetryAfter > 0 {
		setPause(raw.Header, e.RetryAfter)
	}
	return raw
}

// newResponse returns a response with a JSON body that can be read repeatedly, like azcore's.
func newResponse(code int, requestID string, doc document) *http.Response {
	body, _ := json.Marshal(doc) // cannot fail, because all values in doc can be encoded
	h := http.Header{"Content-Type": {"application/json"}}
	if requestID != "" {
		h.Set("X-Ms-Request-Id", requestID)
	}
	return withBody(&http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h,
	}, body)
}

// withBody sets the body of resp so that runtime.Payload can read it repeatedly.
func withBody(resp *http.Response, body []byte) *http.Response {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	_, _ = runtime.Payload(resp) // makes the body seekable; cannot fail, because the body is in memory
	return resp
}

// request returns a request for a response's Request field, which azcore's callers expect to be
// set. If rawURL has no host, the request's URL is empty.
func request(method, rawURL string) *http.Request {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		u = &url.URL{}
	}
	return &http.Request{
		Method: cmp.Or(method, http.MethodGet), URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody,
	}
}

// safeHeaders lists the request headers that never contain a credential. Only these appear in the
// Request of the response that azcore's Poll returns.
var safeHeaders = []string{
	"Accept", "Accept-Language", "Content-Type", "Traceparent", "User-Agent",
	"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Ms-Return-Client-Request-Id",
}

// sanitized returns a copy of a request without its query, body and credentials, for the response
// that azcore's Poll returns.
func sanitized(sent *http.Request) *http.Request {
	if sent == nil || sent.URL == nil {
		return request("", "")
	}
	u := url.URL{Scheme: sent.URL.Scheme, Host: sent.URL.Host, Path: sent.URL.Path, RawPath: sent.URL.RawPath}
	r := request(sent.Method, u.String())
	r.Host = cmp.Or(sent.Host, u.Host)
	for _, name := range safeHeaders {
		if values := sent.Header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	return r
}

// setPause sets the headers that ask the caller to wait for d. azcore prefers Retry-After-Ms;
// callers that schedule the next read themselves use Retry-After. Both are at least 1, because
// azcore ignores 0.
func setPause(h http.Header, d time.Duration) {
	h.Set("Retry-After-Ms", atLeastOne(d, time.Millisecond))
	h.Set("Retry-After", atLeastOne(d, time.Second))
}

func atLeastOne(d, unit time.Duration) string {
	return strconv.FormatInt(max(int64((d+unit-1)/unit), 1), 10)
}
