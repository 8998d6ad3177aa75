package transport

import (
	"errors"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
)

// DefaultPolicy retries every verb after 408, 424, 429, 5xx and network errors, as the ARM resource
// provider API v2.0 recommends ("Retrying REST Calls"). It does not retry failures that a retry
// cannot fix: 501 and 505, certificate errors, foreign origins, plain HTTP in response to TLS, and
// a context that has ended.
//
// An attempt may have taken effect even if its response was lost. A repeated POST may then take
// effect twice, and the service may refuse a repeated PUT or DELETE with 409 or 404. The Unanswered
// field of a *StatusError reports this possibility.
func DefaultPolicy(req *http.Request, resp *http.Response, err error) bool {
	if req.Context().Err() != nil {
		return false
	}
	if err != nil {
		isForeign := errors.Is(err, lroerrors.ErrForeignOrigin)
		return !isForeign && !exchange.Permanent(err)
	}
	return resp != nil && isRetryable(resp.StatusCode)
}

// isRetryable reports whether [DefaultPolicy] retries after a response with this status code.
func isRetryable(code int) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusFailedDependency, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return code >= 500 && code <= 599
}

// IdempotentOnly applies [DefaultPolicy] to requests with idempotent methods (RFC 9110, section
// 9.2.2). It retries other requests, such as a POST or PATCH, only after an attempt that was not
// sent, for example because it got no connection.
func IdempotentOnly(req *http.Request, resp *http.Response, err error) bool {
	switch exchange.Method(req) {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return DefaultPolicy(req, resp, err)
	}
	return errors.Is(err, lroerrors.ErrNotSent) && DefaultPolicy(req, resp, err)
}
