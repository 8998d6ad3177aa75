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
	"github.com/lro-go/lro/internal/walk"
	"github.com/lro-go/lro/internal/wire"
)

// maxNested bounds what is kept of a document's operations.
const maxNested = 1000

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

// nested are the operations of a status document, as they are written: of several
// members of the name only the last is looked into.
type nested struct {
	presence
	raw []byte
}

func (n *nested) UnmarshalJSON(b []byte) error {
	*n = nested{presence: presenceOf(b)}
	if b[0] == '[' {
		n.raw = bytes.Clone(b)
	}
	return nil
}

// list decodes the operations. They hold no further level.
func (n *nested) list() []document {
	var list []document
	left := maxNested
	_ = walk.Elements(n.raw, func(raw []byte) bool { // which is valid, if there is any
		if d, ok := operation(raw); ok {
			list = append(list, d)
		}
		left--
		return left > 0
	})
	return list
}

func operation(raw []byte) (document, bool) {
	if !isObject(raw) {
		return document{}, false
	}
	var d struct {
		document
		Operations present `json:"operations"`
	}
	if unmarshal(raw, &d) != nil {
		return document{}, false
	}
	d.document.Operations = nested{}
	return d.document, true
}

// details are the errors of operations, nil where one has none. Together they hold as
// many as one error may; then each is only its code and message.
func details(operations []document) []*lroerrors.Detail {
	all := make([]*lroerrors.Detail, len(operations))
	left := maxNested
	for i := range operations {
		if e := operations[i].Error; left > 0 {
			all[i] = e.detail(nil)
		} else {
			all[i] = e.brief()
		}
		left -= count(all[i])
	}
	return all
}

// count is how many errors there are within d.
func count(d *lroerrors.Detail) int {
	if d == nil {
		return 0
	}
	n := len(d.Details) + len(d.AdditionalInfo)
	for i := range d.Details {
		n += count(&d.Details[i])
	}
	return n
}

// detail decodes an error that stands alone. A code that it lacks may stand in h.
func (p present) detail(h http.Header) *lroerrors.Detail {
	if p.raw == nil {
		return nil
	}
	return wire.AnswerDetail(h, p.raw)
}

// brief is detail without what is within the error: its code and message, or what is
// written in their place.
func (p present) brief() *lroerrors.Detail {
	var e struct{ Code, Message word }
	switch {
	case p.raw == nil || p.raw[0] == '"':
		return p.detail(nil)
	case isObject(p.raw) && unmarshal(p.raw, &e) == nil && (e.Code.set || e.Message.set):
		return &lroerrors.Detail{Code: e.Code.text, Message: e.Message.text}
	}
	return &lroerrors.Detail{Message: strings.ToValidUTF8(string(p.raw[:min(len(p.raw), maxNested)]), "\uFFFD")}
}
