package exchange

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Travelling holds the values of the headers in TravellingNames. If a value is "", that header is
// not sent. No value is a credential. The type is an array because a map would take 400 bytes for
// each waiting operation.
type Travelling [len(TravellingNames)]string

// TravellingOf returns the values of the headers in TravellingNames. If several sets have a value
// for a header, the first value is used.
func TravellingOf(sets ...http.Header) (t Travelling) {
	for i, name := range TravellingNames {
		for _, h := range sets {
			v := FirstValue(h, name)
			if v != "" && IsHeaderValue(v) {
				t[i] = strings.Clone(v)
				break
			}
		}
	}
	return t
}

// Header returns t as a new http.Header, or nil if t is empty.
func (t Travelling) Header() http.Header {
	if t == (Travelling{}) {
		return nil
	}

	h := http.Header{}
	for i, v := range t {
		if v != "" {
			h[TravellingNames[i]] = []string{v}
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
		i := slices.Index(TravellingNames[:], name)
		if i < 0 || len(values) != 1 || !IsHeaderValue(values[0]) {
			return errors.New("a header that may not be repeated")
		}
		t[i] = values[0]
	}
	return nil
}

// IsHeaderValue reports whether s can be sent and stored as a header value.
func IsHeaderValue(s string) bool {
	const longest = 8 << 10
	if len(s) > longest || !utf8.ValidString(s) {
		return false
	}
	isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	return !strings.ContainsFunc(s, isControl)
}
