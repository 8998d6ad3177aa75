package wire

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// JSON is the media type of requests and responses.
const JSON = "application/json"

// AddHeaders sets all headers of h. It copies the values, because a Doer may change its
// request and other requests use h too.
func AddHeaders(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
}

// AddMissing sets the headers of h that to does not have. It copies the values.
func AddMissing(to, h http.Header) {
	for name, values := range h {
		if _, theirs := to[http.CanonicalHeaderKey(name)]; !theirs {
			to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
}

// TravellingNames are the headers of the first request that every later request repeats:
// the ids that correlate requests, and the language of messages (resource provider API
// v2.0, "Client Request Headers"; X-Correlation-Id of IBM Cloud).
var TravellingNames = []string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Travelling returns the headers of the first request that every later request repeats.
// They hold no credential.
func Travelling(h http.Header) http.Header {
	var kept http.Header
	for _, name := range TravellingNames {
		if v := First(h, name); v != "" && IsHeaderValue(v) {
			if kept == nil {
				kept = http.Header{}
			}
			kept.Set(name, v)
		}
	}
	return kept
}

// IsHeaderValue reports whether s can be sent and stored as a header value.
func IsHeaderValue(s string) bool {
	return len(s) <= 8<<10 && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' || r == 0x7f
	})
}

// First is h.Get for a name in canonical form.
func First(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// RequestID returns the service's id for a request (resource provider API v2.0, "Response
// Headers"; IBM Cloud omits the prefix).
func RequestID(h http.Header) string {
	return bounded(cmp.Or(First(h, "X-Ms-Request-Id"), First(h, "X-Request-Id")))
}

// CorrelationID returns the id that the requests of one operation share (resource provider
// API v2.0, "Proxy Request Header Modifications"; IBM Cloud uses one of two names).
func CorrelationID(h http.Header) string {
	return bounded(cmp.Or(First(h, "X-Ms-Correlation-Request-Id"), First(h, "X-Correlation-Id"), First(h, "Transaction-Id")))
}
