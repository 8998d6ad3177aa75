package poller

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// maxNested bounds what is kept of a document's operations.
const maxNested = 1000

// A presence says whether a document has a member.
type presence int

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
	presence
	text     string
	set, odd bool
}

func (w *word) UnmarshalJSON(b []byte) error {
	*w = word{presence: presenceOf(b)}
	if b[0] == '"' {
		if err := json.Unmarshal(b, &w.text); err != nil {
			return err
		}
		w.set = strings.TrimSpace(w.text) != ""
	}
	w.odd = !w.set && w.presence != null
	return nil
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

func (p *properties) UnmarshalJSON(b []byte) error {
	*p = properties{}
	if b[0] != '{' {
		return nil
	}
	var v struct {
		ProvisioningState word `json:"provisioningState"`
		Status            word `json:"status"`
	}
	err := json.Unmarshal(b, &v)
	p.ProvisioningState, p.Status = v.ProvisioningState, v.Status
	return err
}

// nested are the operations of a status document. They hold no further level.
type nested struct {
	presence
	list []document
}

func (n *nested) UnmarshalJSON(b []byte) error {
	*n = nested{presence: presenceOf(b)}
	var list []json.RawMessage
	if b[0] != '[' || json.Unmarshal(b, &list) != nil {
		return nil
	}
	for _, raw := range list[:min(len(list), maxNested)] {
		if !isObject(raw) {
			continue
		}
		var d struct {
			document
			Operations present `json:"operations"`
		}
		if json.Unmarshal(raw, &d) == nil {
			d.document.Operations = nested{}
			n.list = append(n.list, d.document)
		}
	}
	return nil
}

// detail decodes an error that stands alone. A code that it lacks may stand in h.
func (p present) detail(h http.Header) *lroerrors.Detail {
	if p.raw == nil {
		return nil
	}
	return wire.AnswerDetail(h, p.raw)
}
