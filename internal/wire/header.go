package wire

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lro-go/lro/internal/exchange"
)

// JSON is the media type of requests and responses.
const JSON = "application/json"

// AddHeaders sets all headers of h in its first argument. It copies the values, because a Doer
// may change its request, and other requests also use h.
func AddHeaders(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
}

// AddMissing sets those headers of h that its first argument lacks. It copies the values.
func AddMissing(to, h http.Header) {
	for name, values := range h {
		if _, theirs := to[http.CanonicalHeaderKey(name)]; !theirs {
			to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
}

// Travelling holds the values of the headers in TravellingNames. If a value is "", that header is
// not sent. No value is a credential. The type is an array because a map would take 400 bytes for
// each waiting operation.
type Travelling [len(exchange.TravellingNames)]string

// TravellingOf returns the values of the headers in TravellingNames. If several sets have a value
// for a header, the first value is used.
func TravellingOf(sets ...http.Header) (t Travelling) {
	for _, h := range sets {
		for i, name := range exchange.TravellingNames {
			if v := exchange.FirstValue(h, name); t[i] == "" && IsHeaderValue(v) {
				t[i] = strings.Clone(v)
			}
		}
	}
	return t
}

// Header returns t as a new http.Header, or nil if t is empty.
func (t Travelling) Header() http.Header {
	var h http.Header
	for i, v := range t {
		if v != "" && h == nil {
			h = http.Header{}
		}
		if v != "" {
			h[exchange.TravellingNames[i]] = []string{v}
		}
	}
	return h
}

// MarshalJSON encodes t as if it were an [http.Header].
func (t Travelling) MarshalJSON() ([]byte, error) { return json.Marshal(t.Header()) }

// UnmarshalJSON accepts only the headers in TravellingNames, with one value each.
func (t *Travelling) UnmarshalJSON(b []byte) error {
	var h http.Header
	if err := json.Unmarshal(b, &h); err != nil {
		return err
	}
	for name, values := range h {
		i := slices.Index(exchange.TravellingNames[:], name)
		if i < 0 || len(values) != 1 || !IsHeaderValue(values[0]) {
			return errors.New("a header that may not be repeated")
		}
		t[i] = values[0]
	}
	return nil
}

// IsHeaderValue reports whether s can be sent and stored as a header value.
func IsHeaderValue(s string) bool {
	return len(s) <= 8<<10 && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' || r == 0x7f
	})
}
