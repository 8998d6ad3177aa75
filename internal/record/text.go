package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// MarshalText implements [encoding.TextMarshaler].
func (p Phase) MarshalText() ([]byte, error) { return []byte(phases[p]), nil }

// UnmarshalText sets p to the phase with the given name, or to zero if no phase has that name.
func (p *Phase) UnmarshalText(b []byte) error {
	*p = Phase(max(slices.Index(phases[:], string(b)), 0))
	return nil
}

// MaxToken is the maximum size of a resume token, in bytes.
const MaxToken = 64 << 10

// A span is a duration that a token stores as text, such as "1m30s". It is never negative.
type span time.Duration

// MarshalText formats the duration like [time.Duration.String].
func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText rejects invalid and negative durations and caps long ones. A forged token may
// contain any duration, and sums must not overflow.
func (d *span) UnmarshalText(b []byte) error {
	const longest = 100 * 365 * 24 * time.Hour
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return errors.New("invalid duration")
	}
	*d = span(min(v, longest))
	return nil
}

// exact is a body that a token preserves byte for byte. A token stores a body that is not valid
// UTF-8 as an array with one base64 string.
type exact []byte

// MarshalJSON implements [json.Marshaler].
func (t exact) MarshalJSON() ([]byte, error) {
	if utf8.Valid(t) {
		return marshal(string(t))
	}
	return marshal([][]byte{t})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *exact) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = exact(s)
		return nil
	}
	var list [1][]byte
	err := json.Unmarshal(b, &list)
	*t = list[0]
	return err
}

// marshal is like json.Marshal, but does not escape &, < and >, so that URLs stay readable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
