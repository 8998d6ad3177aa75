package poller

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
)

// A document is a status document (asynchronous API reference, "Azure-AsyncOperation Resource
// format") or a resource. It keeps the members as raw JSON, so that a member with an unexpected
// type, which some services send, does not make the status unreadable.
type document struct {
	Status, ProvisioningState, ResourceLocation, ID, Name  json.RawMessage
	StartTime, EndTime, PercentComplete, Error, Operations json.RawMessage
	propertiesState, propertiesStatus                      json.RawMessage // inside properties
	alone                                                  bool            // whether status is the only member
}

// parse reads the members of a body, and returns an error unless it is a JSON object.
func parse(body []byte) (d document, err error) {
	fields := d.fields()
	others, err := jsonread.Fill(body, fields[:]...)
	d.alone = others == 0
	for _, f := range fields[1:] {
		d.alone = d.alone && *f.To == nil
	}
	return d, err
}

func (d *document) fields() [12]jsonread.Field {
	return [...]jsonread.Field{
		{Name: "status", To: &d.Status},
		{Name: "provisioningState", To: &d.ProvisioningState},
		{In: "properties", Name: "status", To: &d.propertiesStatus},
		{In: "properties", Name: "provisioningState", To: &d.propertiesState},
		{Name: "id", To: &d.ID},
		{Name: "name", To: &d.Name},
		{Name: "startTime", To: &d.StartTime},
		{Name: "endTime", To: &d.EndTime},
		{Name: "percentComplete", To: &d.PercentComplete},
		{Name: "resourceLocation", To: &d.ResourceLocation},
		{Name: "error", To: &d.Error},
		{Name: "operations", To: &d.Operations},
	}
}

// text returns the value of a JSON string unchanged, or "" if m is blank or not a string.
func text(m json.RawMessage) string {
	s, _ := jsonread.String(m)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// isNull reports whether a member is null or absent.
func isNull(m json.RawMessage) bool { return m == nil || string(m) == "null" }

// isOdd reports whether a member has a value other than null or a non-blank string.
func isOdd(m json.RawMessage) bool { return !isNull(m) && text(m) == "" }

// number parses a number, which may be enclosed in a string. It returns nil for any other value.
func number(m json.RawMessage) *float64 {
	s := strings.Trim(string(m), `" `)
	if s == "" {
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// timeLayouts contains the layout of RFC 3339 and the other layouts that services use (quirk W43).
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.RFC1123}

// timeOf parses a time. If the time is invalid, or cannot be stored in a resume token, timeOf
// returns the zero time instead of an error, so that the rest of the status can still be used.
func timeOf(m json.RawMessage) time.Time {
	var t time.Time
	if m == nil || t.UnmarshalJSON(m) == nil && isStorable(t) {
		return t // the fast path, because nearly all services use RFC 3339
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text(m)); err == nil && isStorable(t) {
			return t
		}
	}
	return time.Time{}
}

// isStorable reports whether t can be stored in a resume token.
func isStorable(t time.Time) bool {
	_, err := t.AppendText(make([]byte, 0, len(time.RFC3339Nano)))
	return err == nil
}

// provisioningState returns the provisioningState of a resource, which may be at the top
// level (quirk W8).
func (d *document) provisioningState() json.RawMessage {
	if !isNull(d.propertiesState) {
		return d.propertiesState
	}
	return d.ProvisioningState
}

// word returns the word for the state of an operation: the status, or else the
// provisioningState (quirk W44).
func (d *document) word() string {
	if w := text(d.Status); w != "" {
		return w
	}
	return text(d.provisioningState())
}

// stateOf returns the State for a service's word. Besides the three terminal words of the
// specification, services use Completed (quirks W7, W55) and Cancelled (quirk A.6/canceled). Any
// other word means InProgress.
func stateOf(word string, words map[string]State) State {
	word = strings.TrimSpace(word)
	if len(words) == 0 && len(word) > len("succeeded") { // a shortcut for most of the words that mean InProgress
		return InProgress
	}
	word = strings.ToLower(word)
	if s, ok := words[word]; ok {
		return s
	}
	switch word {
	case "succeeded", "completed":
		return Succeeded
	case "failed":
		return Failed
	case "canceled", "cancelled":
		return Canceled
	}
	return InProgress
}

// status returns the Status with the given word, the State for that word, and the service's error.
func (d *document) status(a *Answer, word string) Status {
	s := Status{State: stateOf(word, a.Words), Word: word}
	s.Error = d.detail(a, s.State)
	return s
}

// describe fills in the remaining fields of s: times, id, name, progress and nested operations.
func (d *document) describe(a *Answer, s *Status) {
	d.describeOne(s)
	for _, op := range d.operations() {
		n := Status{State: InProgress, Word: text(op.Status), Error: op.err}
		if n.Word != "" {
			n.State = stateOf(n.Word, a.Words)
		}
		op.describeOne(&n)
		s.Operations = append(s.Operations, n)
	}
}

func (d *document) describeOne(s *Status) {
	s.StartTime, s.EndTime = timeOf(d.StartTime), timeOf(d.EndTime)
	s.ID, s.Name = text(d.ID), text(d.Name)
	s.PercentComplete = number(d.PercentComplete)
}

// detail returns the service's error: the document's own, or else the errors of its
// nested operations.
func (d *document) detail(a *Answer, s State) *lroerrors.Detail {
	if !isNull(d.Error) {
		if detail := exchange.ErrorDetail(a.Header, d.Error); detail != nil {
			return detail
		}
	}
	if s != Failed && s != Canceled {
		return nil
	}
	if detail := a.Detail(); detail != nil {
		return detail
	}
	var all lroerrors.Detail
	for _, op := range d.operations() {
		if op.err != nil {
			if op.err.Target == "" {
				op.err.Target = text(op.Name)
			}
			all.Details = append(all.Details, *op.err)
		}
	}
	if len(all.Details) == 0 {
		return nil
	}
	return &all
}

// maxNested limits the number of nested operations, and also the total number of errors in them.
const maxNested = 1000

// An operation is one of the operations nested in a document, with its error.
type operation struct {
	document
	err *lroerrors.Detail
}

// operations returns the nested operations. Once they hold maxNested errors, each further
// operation keeps only the code and message of its error.
func (d *document) operations() (list []operation) {
	elements, errs := maxNested, maxNested
	_ = jsonread.Elements(d.Operations, func(raw []byte) bool { // an error only means that Operations is not an array
		if doc, err := parse(raw); err == nil {
			o := operation{document: doc}
			switch {
			case isNull(o.Error):
			case errs > 0:
				o.err = exchange.ErrorDetail(nil, o.Error)
			default:
				o.err = brief(o.Error)
			}
			errs -= count(o.err)
			list = append(list, o)
		}
		elements--
		return elements > 0
	})
	return list
}

// count returns the number of errors nested in d.
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

// brief returns an error without its nested errors.
func brief(m json.RawMessage) *lroerrors.Detail {
	var code, message json.RawMessage
	_, _ = jsonread.Fill(m, jsonread.Field{Name: "code", To: &code}, jsonread.Field{Name: "message", To: &message})
	switch {
	case text(m) != "":
		return &lroerrors.Detail{Message: text(m)}
	case text(code) == "" && text(message) == "":
		return &lroerrors.Detail{Message: strings.ToValidUTF8(string(m[:min(len(m), maxWord)]), "\uFFFD")}
	}
	return &lroerrors.Detail{Code: text(code), Message: text(message)}
}
