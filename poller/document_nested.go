package poller

import (
	"bytes"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/walk"
)

// maxNested bounds what is kept of a document's operations.
const maxNested = 1000

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
