package poller

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// A document is a status document (asynchronous API reference,
// "Azure-AsyncOperation Resource format"), a resource with a provisioningState,
// or one in place of the other. Members of an unexpected type count as absent:
// services send them, and a failure must not be lost to one.
type document struct {
	Status            word      `json:"status"`
	ID                word      `json:"id"`
	Name              word      `json:"name"`
	StartTime         word      `json:"startTime"`
	EndTime           word      `json:"endTime"`
	PercentComplete   number    `json:"percentComplete"`
	Error             present   `json:"error"`
	Operations        nested    `json:"operations"`
	ProvisioningState word      `json:"provisioningState"`
	ResourceLocation  word      `json:"resourceLocation"`
	Properties        resources `json:"properties"`
}

// resources are the properties of a resource, as far as they matter here.
type resources struct {
	ProvisioningState word
}

// parse decodes a body that is to be a JSON object. Whatever follows the object
// makes it unparsable, as does an end before it is whole.
func parse(body []byte) (document, error) {
	var d document
	err := json.Unmarshal(body, &d)
	return d, err
}

// isObject tells a JSON object from other JSON.
func isObject(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '{'
}

// provisioningState returns that of a resource; it may stand at the top level
// (quirk W8).
func (d *document) provisioningState() word {
	if d.Properties.ProvisioningState.set || d.Properties.ProvisioningState.odd {
		return d.Properties.ProvisioningState
	}
	return d.ProvisioningState
}

// word returns what tells the state of an operation document: the status, or a
// provisioningState in its place (quirk W44).
func (d *document) word() word {
	if d.Status.set {
		return d.Status
	}
	return d.provisioningState()
}

// describe fills in what a status document tells beside its state.
func (d *document) describe(a Answer, s *Status) {
	s.StartTime, s.EndTime = parseTime(d.StartTime.text), parseTime(d.EndTime.text)
	s.ID, s.Name = d.ID.text, d.Name.text
	s.PercentComplete = d.PercentComplete.value
	for i := range d.Operations.list {
		op := &d.Operations.list[i]
		n := Status{State: a.State(op.Status.text), Word: op.Status.text, Error: op.Error.detail(nil)}
		op.describe(a, &n)
		s.Operations = append(s.Operations, n)
	}
}

// timeLayouts are those seen beside RFC 3339 (quirk W43).
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.RFC1123}

// parseTime returns the zero time for what is no time: it must not cost the status.
func parseTime(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// A word is a string member. null leaves it unset, and so does what is no word:
// that is odd.
type word struct {
	text            string
	set, odd, there bool
}

func (w *word) UnmarshalJSON(b []byte) error {
	*w = word{there: true}
	if b[0] == '"' {
		if err := json.Unmarshal(b, &w.text); err != nil {
			return err
		}
		w.set = strings.TrimSpace(w.text) != ""
	}
	w.odd = !w.set && string(b) != "null"
	return nil
}

// A number is a number member, which may be written as a string.
type number struct {
	value *float64
	there bool
}

func (n *number) UnmarshalJSON(b []byte) error {
	n.value, n.there = nil, true
	f, err := strconv.ParseFloat(strings.Trim(string(b), `" `), 64)
	if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		n.value = &f
	}
	return nil
}

// present keeps a member as it is written, null as nothing.
type present struct {
	raw   json.RawMessage
	there bool
}

func (p *present) UnmarshalJSON(b []byte) error {
	p.raw, p.there = nil, true
	if string(b) != "null" {
		p.raw = bytes.Clone(b)
	}
	return nil
}

func (r *resources) UnmarshalJSON(b []byte) error {
	*r = resources{}
	if b[0] != '{' {
		return nil
	}
	var v struct {
		ProvisioningState word `json:"provisioningState"`
	}
	err := json.Unmarshal(b, &v)
	r.ProvisioningState = v.ProvisioningState
	return err
}

// nested are the operations of a status document. They hold no further level.
type nested struct {
	list  []document
	there bool
}

func (n *nested) UnmarshalJSON(b []byte) error {
	*n = nested{there: true}
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

const maxNested = 1000
