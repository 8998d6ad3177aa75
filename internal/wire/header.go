package wire

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lro-go/lro/internal/response"
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

// Travelling returns the headers of the first request that every later request repeats,
// each from the first of sets that has it. They hold no credential.
func Travelling(sets ...http.Header) http.Header {
	var kept http.Header
	for _, h := range sets {
		for _, name := range TravellingNames {
			if v := response.First(h, name); v != "" && IsHeaderValue(v) && kept.Get(name) == "" {
				if kept == nil {
					kept = http.Header{}
				}
				kept.Set(name, v)
			}
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
