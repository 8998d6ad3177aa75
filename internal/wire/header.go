package wire

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// JSON is the media type of whatever we ask for, and send.
const JSON = "application/json"

// AddHeaders sets all of what h holds. The values are copies: a Doer may change what it
// is given, and h is for other requests, too.
func AddHeaders(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
}

// AddMissing adds, copied as well, what h holds and to does not name.
func AddMissing(to, h http.Header) {
	for name, values := range h {
		if _, theirs := to[http.CanonicalHeaderKey(name)]; !theirs {
			to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
}

// TravellingNames are the headers of the first request that every later one
// repeats: the ids by which a service joins requests, and the language of its
// messages (resource provider API v2.0, "Client Request Headers"; IBM Cloud's
// X-Correlation-Id).
var TravellingNames = []string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Travelling returns those of the first request's headers that every later
// request repeats. No credential is among them.
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

// IsHeaderValue reports whether s can be sent and stored as the value of a header.
func IsHeaderValue(s string) bool {
	return len(s) <= 8<<10 && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' || r == 0x7f
	})
}

// First is h.Get for a name in net/http's own form, which is not looked at again.
func First(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// RequestID returns the service's id of a request (resource provider API v2.0,
// "Response Headers"; IBM Cloud has it without the prefix).
func RequestID(h http.Header) string {
	return storable(firstOf(h, "X-Ms-Request-Id", "X-Request-Id"))
}

// CorrelationID returns the id that joins the requests of one operation
// (resource provider API v2.0, "Proxy Request Header Modifications"; IBM Cloud has
// one of two names for it).
func CorrelationID(h http.Header) string {
	return storable(firstOf(h, "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Transaction-Id"))
}

// firstOf is First of the first of the names that h has.
func firstOf(h http.Header, names ...string) string {
	for _, name := range names {
		if v := First(h, name); v != "" {
			return v
		}
	}
	return ""
}

// storable is an id that is kept, as it can stand in a token, which is JSON: one of
// a mebibyte would make the token of a failed operation too large.
func storable(id string) string { return cut(id) }
