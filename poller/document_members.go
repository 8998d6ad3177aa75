package poller

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// A presence says whether a document has a member.
type presence uint8

const (
	absent presence = iota
	null
	holds // something
)

func presenceOf(b []byte) presence {
	if string(b) == "null" {
		return null
	}
	return holds
}

// A word is a string member. null leaves it unset, and so does what is no word:
// that is odd.
type word struct {
	text string
	presence
	set, odd bool

	known string // the text it is likely to be, so as not to be made anew
}

func (w *word) UnmarshalJSON(b []byte) error {
	*w = word{presence: presenceOf(b), known: w.known}
	if b[0] == '"' {
		var err error
		if w.text, err = textOf(b, w.known); err != nil {
			return err
		}
		w.set = strings.TrimSpace(w.text) != ""
	}
	w.odd = !w.set && w.presence != null
	return nil
}

// textOf decodes a JSON string. One of UTF-8 without an escape is what stands
// between its quotes (RFC 8259, section 7); encoding/json decodes the others.
func textOf(b []byte, known string) (string, error) {
	inner := b[1 : len(b)-1]
	switch {
	case bytes.IndexByte(inner, '\\') >= 0 || !utf8.Valid(inner):
		var s string
		err := json.Unmarshal(b, &s)
		return s, err
	case string(inner) == known:
		return known, nil
	}
	return shared(inner), nil
}

// shared is the text of b, which is one for all where many operations tell it.
func shared(b []byte) string {
	switch string(b) {
	case "Accepted":
		return "Accepted"
	case "Creating":
		return "Creating"
	case "Deleting":
		return "Deleting"
	case "InProgress":
		return "InProgress"
	case "Provisioning":
		return "Provisioning"
	case "Running":
		return "Running"
	case "Succeeded":
		return "Succeeded"
	case "Updating":
		return "Updating"
	}
	return string(b)
}

// A moment is a time member. What is no time leaves it zero.
type moment struct {
	presence
	time time.Time
}

func (m *moment) UnmarshalJSON(b []byte) error {
	*m = moment{presence: presenceOf(b)}
	if b[0] != '"' {
		return nil
	}
	if err := m.time.UnmarshalJSON(b); err == nil && storable(m.time) {
		return nil // RFC 3339, as nearly all are
	}
	text, err := textOf(b, "")
	m.time = parseTime(text)
	return err
}

// A number is a number member, which may be written as a string.
type number struct {
	presence
	value *float64
}

func (n *number) UnmarshalJSON(b []byte) error {
	*n = number{presence: presenceOf(b)}
	f, err := strconv.ParseFloat(strings.Trim(string(b), `" `), 64)
	if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		n.value = &f
	}
	return nil
}

// present keeps a member as it is written, null as nothing.
type present struct {
	presence
	raw json.RawMessage
}

func (p *present) UnmarshalJSON(b []byte) error {
	*p = present{presence: presenceOf(b)}
	if p.presence != null {
		p.raw = bytes.Clone(b)
	}
	return nil
}

// UnmarshalJSON lets the last of several stand, and nothing that is no object.
func (p *properties) UnmarshalJSON(b []byte) error {
	known := p.ProvisioningState.known
	*p = properties{}
	p.ProvisioningState.known = known
	if b[0] != '{' {
		return nil
	}
	type bare properties // without this method
	return json.Unmarshal(b, (*bare)(p))
}

// detail decodes an error that stands alone. A code that it lacks may stand in h.
func (p present) detail(h http.Header) *lroerrors.Detail {
	if p.raw == nil {
		return nil
	}
	return wire.AnswerDetail(h, p.raw)
}

// timeLayouts are those seen beside RFC 3339 (quirk W43).
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.RFC1123}

// parseTime returns the zero time for what is no time: it must not cost the status.
func parseTime(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil && storable(t) {
			return t
		}
	}
	return time.Time{}
}

// storable reports whether a token can hold a time.
func storable(t time.Time) bool {
	_, err := t.AppendText(make([]byte, 0, len(time.RFC3339Nano)))
	return err == nil
}
