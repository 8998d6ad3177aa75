package poller

import (
	"bytes"
	"encoding/json"

	lroerrors "github.com/lro-go/lro/errors"
)

// A resource is one with a provisioningState, as far as it matters here. Members
// of an unexpected type count as absent: services send them, and a failure must
// not be lost to one.
type resource struct {
	Error             present    `json:"error"`
	Operations        nested     `json:"operations"`
	ProvisioningState word       `json:"provisioningState"`
	Properties        properties `json:"properties"`
}

type properties struct {
	ProvisioningState word `json:"provisioningState"`
	Status            word `json:"status"`
}

// A document is a status document (asynchronous API reference,
// "Azure-AsyncOperation Resource format"), or a resource in its place.
type document struct {
	resource
	Status           word   `json:"status"`
	ID               word   `json:"id"`
	Name             word   `json:"name"`
	StartTime        moment `json:"startTime"`
	EndTime          moment `json:"endTime"`
	PercentComplete  number `json:"percentComplete"`
	ResourceLocation word   `json:"resourceLocation"`
}

// parse decodes a body that is to be a JSON object. Whatever follows the object
// makes it unparsable, as does an end before it is whole.
func parse(body []byte) (document, error) { return parseAfter(lastTold{}, body) }

// parseAfter is parse, and shares with the status before what has not changed.
func parseAfter(t lastTold, body []byte) (document, error) {
	if len(body) == 0 {
		return document{}, errNoJSON
	}
	var d document
	d.likely(t)
	if plain(body, &d) {
		return d, nil
	}
	d = document{}
	d.likely(t)
	err := unmarshal(body, &d)
	return d, err
}

// parseResource is parse of what is of interest only as a resource.
func parseResource(t lastTold, body []byte) (resource, error) {
	if len(body) == 0 {
		return resource{}, errNoJSON
	}
	var r resource
	r.likely(t)
	if plain(body, &r) {
		return r, nil
	}
	r = resource{}
	r.likely(t)
	err := unmarshal(body, &r)
	return r, err
}

// likely sets what the words are likely to be.
func (r *resource) likely(t lastTold) {
	r.ProvisioningState.known, r.Properties.ProvisioningState.known = t.word, t.word
}

func (d *document) likely(t lastTold) {
	d.ID.known, d.Name.known = t.named()
	d.Status.known = t.word
	d.resource.likely(t)
}

// errNoJSON is what encoding/json says of nothing.
var errNoJSON = json.Unmarshal(nil, new(any))

// unmarshal decodes an object into a document. encoding/json goes on after a
// member of an unexpected type and tells it in the end; of ours only Properties
// can be one, for the others decode themselves.
func unmarshal(object []byte, document any) error {
	err := json.Unmarshal(object, document)
	if isA[*json.UnmarshalTypeError](err) && isObject(object) {
		return nil
	}
	return err
}

// isObject tells a JSON object from other JSON.
func isObject(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '{'
}

// provisioningState returns that of a resource; it may stand at the top level
// (quirk W8).
func (r *resource) provisioningState() word {
	if r.Properties.ProvisioningState.set || r.Properties.ProvisioningState.odd {
		return r.Properties.ProvisioningState
	}
	return r.ProvisioningState
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
func (d *document) describe(a *Answer, s *Status) {
	s.StartTime, s.EndTime = d.StartTime.time, d.EndTime.time
	s.ID, s.Name = d.ID.text, d.Name.text
	s.PercentComplete = d.PercentComplete.value
	operations := d.Operations.list()
	errs := details(operations)
	for i := range operations {
		op := &operations[i]
		n := Status{State: InProgress, Word: op.Status.text, Error: errs[i]}
		if op.Status.set {
			n.State = a.State(op.Status.text)
		}
		op.describe(a, &n)
		s.Operations = append(s.Operations, n)
	}
}

// status is what a document's word means, with the service's error.
func (r *resource) status(a *Answer, w word) Status {
	s := Status{State: a.State(w.text), Word: w.text}
	s.Error = r.detail(a, s.State)
	return s
}

// detail returns the service's error: the document's own, or those of the
// nested operations that failed.
func (r *resource) detail(a *Answer, s State) *lroerrors.Detail {
	if detail := r.Error.detail(a.Header); detail != nil {
		return detail
	}
	if s != Failed && s != Canceled {
		return nil
	}
	if detail := a.Detail(); detail != nil {
		return detail
	}
	var all lroerrors.Detail
	operations := r.Operations.list()
	for i, sub := range details(operations) {
		if sub != nil {
			if sub.Target == "" {
				sub.Target = operations[i].Name.text
			}
			all.Details = append(all.Details, *sub)
		}
	}
	if len(all.Details) == 0 {
		return nil
	}
	return &all
}
