package transport

import (
	"errors"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
)

// DefaultPolicy retries every verb after 408, 5xx and socket failures, as ARM recommends
// ("Retrying REST Calls"), and after 424 and 429. It does not retry after 501 and 505,
// certificate errors, foreign origins, plain HTTP in response to TLS, or once the context
// has ended, because a retry cannot cure those.
func DefaultPolicy(req *http.Request, resp *http.Response, err error) bool {
	if req.Context().Err() != nil {
		return false
	}
	if err != nil {
		return !errors.Is(err, lroerrors.ErrForeignOrigin) && !failure.Permanent(err)
	}
	return resp != nil && transient(resp.StatusCode)
}

// IdempotentOnly is [DefaultPolicy] for idempotent verbs (RFC 9110, section 9.2.2). It does
// not retry POST and PATCH.
func IdempotentOnly(req *http.Request, resp *http.Response, err error) bool {
	switch failure.Method(req) {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return DefaultPolicy(req, resp, err)
	}
	return false
}

func transient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusFailedDependency || status == http.StatusTooManyRequests ||
		status >= 500 && status <= 599 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported
}
