package transport

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

// RetryAfter returns the pause that a response with the headers h asks for, and whether it asks for
// one. The headers, in order of precedence, are retry-after-ms, x-ms-retry-after-ms and
// Retry-After. Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3). A date is
// measured against the Date header of h or, without one, against the time now. A date in the past
// means a pause of zero. A number may have a fraction, and a number that is too large means the
// longest possible pause. RetryAfter skips a negative or malformed value and continues with the
// next header.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	return exchange.RetryAfter(h, now)
}

// AsError returns nil if resp is a 2xx, and otherwise a *StatusError of package
// github.com/lro-go/lro/errors with the service's own error, request ID and Retry-After. It is
// for typed clients, which decode the body of a 2xx themselves:
//
//	if err := transport.AsError(resp); err != nil {
//		return nil, err
//	}
//
// AsError reads at most 1 MiB of the body of a failed response and leaves the body readable. The
// caller must still close it. If reading the body fails, the error reports both the failure and the
// status. If resp is nil, AsError also returns an error.
func AsError(resp *http.Response) error {
	return exchange.AsError(resp)
}
