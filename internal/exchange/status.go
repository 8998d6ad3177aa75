package exchange

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// NewStatusError returns the *StatusError for a failed response. If the body could not be read or
// understood, why is the reason. Otherwise, why is nil.
func NewStatusError(method string, u *url.URL, code int, h http.Header, body []byte, why error) *lroerrors.StatusError {
	se := &lroerrors.StatusError{
		Method:        method,
		URL:           redact.URL(u),
		StatusCode:    code,
		RequestID:     RequestID(h),
		CorrelationID: CorrelationID(h),
		Err:           why,
	}
	se.RetryAfter, _ = RetryAfter(h, time.Now())
	if code >= 300 {
		se.Detail = new(Cleaner).Detail(ErrorDetail(h, bytes.TrimSpace(body)))
	}
	return se
}

// RequestID returns the service's ID for a request (resource provider API v2.0, "Response
// Headers"). IBM Cloud's name for this header is X-Request-Id.
func RequestID(h http.Header) string {
	return redact.Masked(bounded(cmp.Or(FirstValue(h, "X-Ms-Request-Id"), FirstValue(h, "X-Request-Id"))))
}

// CorrelationID returns the ID that the requests of one operation share (resource provider API
// v2.0, "Proxy Request Header Modifications"). IBM Cloud calls this header either
// X-Correlation-Id or Transaction-Id.
func CorrelationID(h http.Header) string {
	return redact.Masked(bounded(cmp.Or(FirstValue(h, "X-Ms-Correlation-Request-Id"), FirstValue(h, "X-Correlation-Id"), FirstValue(h, "Transaction-Id"))))
}

// FirstValue is like h.Get, but requires a name in canonical form.
func FirstValue(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
