package transport

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

// RetryAfter returns the pause that a response with the headers h asks for, and whether it asks for
// one. It looks at retry-after-ms, x-ms-retry-after-ms and Retry-After, in this order, and skips a
// negative or malformed value. Retry-After is a number of seconds or a date (RFC 9110, section
// 10.2.3). The pause until a date is measured from the Date header of h or, without a valid one,
// from the parameter now. A date in the past means a pause of zero. A number may have a fraction,
// and a number that is too large means the longest possible pause.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	return exchange.RetryAfter(h, now)
}

// AsError returns nil if resp has a 2xx status. Otherwise, it returns a *StatusError of package
// github.com/lro-go/lro/errors with the service's own error, request ID and Retry-After. Use it in
// a typed client, which decodes the body of a 2xx itself:
//
//	if err := transport.AsError(resp); err != nil {
//		return nil, err
//	}
//
// AsError reads at most 1 MiB of a failed response's body, and leaves the body readable. The caller
// must still close it. If AsError cannot read the body, the error reports both that failure and the
// status. AsError also returns an error if resp is nil.
func AsError(resp *http.Response) error {
	return exchange.AsError(resp)
}
