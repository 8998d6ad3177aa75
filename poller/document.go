package poller

import (
	"bytes"
	"encoding/json"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// A document is a status document (asynchronous API reference,
// "Azure-AsyncOperation Resource format"), a resource with a provisioningState,
// or one in place of the other. Members of an unexpected type count as absent:
// services send them, and a failure must not be lost to one.
type document struct {
	Status            word       `json:"status"`
	ID                word       `json:"id"`
	Name              word       `json:"name"`
	StartTime         word       `json:"startTime"`
	EndTime           word       `json:"endTime"`
	PercentComplete   number     `json:"percentComplete"`
	Error             present    `json:"error"`
	Operations        nested     `json:"operations"`
	ProvisioningState word       `json:"provisioningState"`
	ResourceLocation  word       `json:"resourceLocation"`
	Properties        properties `json:"properties"`
}

// properties are those of a resource, as far as they matter here.
type properties struct {
	ProvisioningState, Status word
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

// status is what a document's word means, with the service's error.
func (d *document) status(a Answer, w word) Status {
	s := Status{State: a.State(w.text), Word: w.text}
	s.Error = d.detail(a, s.State)
	return s
}

// detail returns the service's error: the document's own, or those of the
// nested operations that failed.
func (d *document) detail(a Answer, s State) *lroerrors.Detail {
	if detail := d.Error.detail(a.Header); detail != nil {
		return detail
	}
	if s != Failed && s != Canceled {
		return nil
	}
	if detail := a.Detail(); detail != nil {
		return detail
	}
	var all lroerrors.Detail
	for i := range d.Operations.list {
		if sub := d.Operations.list[i].Error.detail(nil); sub != nil {
			if sub.Target == "" {
				sub.Target = d.Operations.list[i].Name.text
			}
			all.Details = append(all.Details, *sub)
		}
	}
	if len(all.Details) == 0 {
		return nil
	}
	return &all
}

// timeLayouts are those seen beside RFC 3339 (quirk W43).
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.RFC1123}

// parseTime returns the zero time for what is no time: it must not cost the status.
func parseTime(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if _, err := t.MarshalText(); err == nil { // else no token could hold it
			return t
		}
	}
	return time.Time{}
}
