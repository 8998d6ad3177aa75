// Package document parses the status documents and resources of Azure Resource Manager for the
// strategies of package arm and the checks of package check.
//
// It derives a [strategy.Status] from the members of a body. It does not know which URL the body
// came from, and it does not decide what to read next or whether the operation has ended. It is a
// separate package because arm and check both need it and neither should export it.
//
// The entry points are [Parse] for a status document, [ResourceStatus] for a resource, [Progress]
// for a 202, and [Refusal] for an error.
package document

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// A Document is a status document (asynchronous API reference, "Azure-AsyncOperation Resource
// format") or a resource. Its fields are raw JSON, so that Parse does not fail if a service sends a
// member of an unexpected type.
type Document struct {
	Status, ProvisioningState, ResourceLocation, ID, Name  json.RawMessage
	StartTime, EndTime, PercentComplete, Error, Operations json.RawMessage

	PropertiesState, PropertiesStatus json.RawMessage // provisioningState and status inside properties

	ProvisioningDetails json.RawMessage // inside properties: a progress message or, after a failure, the reason (Microsoft.Web)

	Alone bool // whether the document has no members other than status
}

// Parse parses the members of a body. It returns an error unless the body is a JSON object.
func Parse(body []byte) (Document, error) {
	var d Document
	fields := d.fields()
	others, err := jsonread.Fill(body, fields[:]...)
	d.Alone = others == 0
	for _, f := range fields[1:] {
		if *f.To != nil {
			d.Alone = false
		}
	}
	return d, err
}

func (d *Document) fields() [13]jsonread.Field {
	return [...]jsonread.Field{
		{Name: "status", To: &d.Status},
		{Name: "provisioningState", To: &d.ProvisioningState},
		{In: "properties", Name: "status", To: &d.PropertiesStatus},
		{In: "properties", Name: "provisioningState", To: &d.PropertiesState},
		{In: "properties", Name: "provisioningDetails", To: &d.ProvisioningDetails},
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

// Text returns the value of m unchanged if m is a JSON string that is not blank. Otherwise, it
// returns "".
func Text(m json.RawMessage) string {
	s, _ := jsonread.String(m)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// IsNull reports whether a member is null or absent.
func IsNull(m json.RawMessage) bool { return m == nil || string(m) == "null" }

// ResourceState returns a resource's provisioningState, which may be at the top level of the
// document (quirk W8).
func (d *Document) ResourceState() json.RawMessage {
	if !IsNull(d.PropertiesState) {
		return d.PropertiesState
	}
	return d.ProvisioningState
}

// Word returns the operation's status word: the status or, failing that, the provisioningState
// (quirk W44).
func (d *Document) Word() string {
	word := Text(d.Status)
	if word == "" {
		word = Text(d.ResourceState())
	}
	return word
}

// StatusOf returns a Status with the given word, the State that the word means, and the service's
// error.
func (d *Document) StatusOf(a *strategy.Answer, word string) strategy.Status {
	s := strategy.Status{State: a.State(word), Word: word}
	s.Detail = d.Detail(a, s.State)
	return s
}

// ErrOverdue reports that a Location that once returned a 202 now returns a document that shows the
// operation in progress. That document may never change, so CrossCheck treats the status as lost.
var ErrOverdue = errors.New("the Location answered 202 before, and now shows an operation in progress, so its status no longer counts")

// OperationStatus is like StatusOf, but for a status document. An unknown word that ends in
// "failed" means Failed if the document has an error (recorded shapes, section 1). Any other
// unknown word means InProgress, even if the document has an error (section 9).
func (d *Document) OperationStatus(a *strategy.Answer, word string) strategy.Status {
	s := d.StatusOf(a, word)
	if isError(s.Detail) && IsUnknownFailure(a, word) {
		s.State = strategy.Failed
	}
	return s
}

// IsUnknownFailure reports whether a word ends in "failed" and is not in the caller's Words.
func IsUnknownFailure(a *strategy.Answer, word string) bool { return endsIn(a, word, "failed") }

// IsUnknownSuccess reports whether the word of s ends in "succeeded", such as "TestSucceeded", and
// is not in the caller's Words. It returns false if the document contains an error.
func IsUnknownSuccess(a *strategy.Answer, s *strategy.Status) bool {
	return endsIn(a, s.Word, "succeeded") && !isError(s.Detail)
}

// endsIn reports whether a word has the given ending and is not in the caller's Words.
func endsIn(a *strategy.Answer, word, ending string) bool {
	word = strings.TrimSpace(word)
	start := max(len(word)-len(ending), 0)
	if !strings.EqualFold(word[start:], ending) { // nearly every poll returns here, without an allocation
		return false
	}
	_, isListed := a.Words[strings.ToLower(word)]
	return !isListed
}

// isError reports whether an error carries any information: a message, or a code other than None.
func isError(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	text := strings.ToLower(d.Code + d.Message)
	return text != "" && text != "none"
}

// runningWords holds common words for a running operation (quirks W10 and A.6/running), without
// spaces, dashes or underscores. docs/moves.md lists them.
var runningWords = map[string]bool{
	"accepted": true, "canceling": true, "cancelling": true, "creating": true, "deleting": true,
	"dequeued": true, "enqueued": true, "inprogress": true, "moving": true, "notstarted": true,
	"pending": true, "processing": true, "provisioning": true, "queued": true, "requested": true,
	"running": true, "started": true, "starting": true, "updating": true, "waiting": true,
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// IsRunning reports whether services commonly use a word for a running operation. The caller's
// Words take precedence.
func IsRunning(a *strategy.Answer, word string) bool {
	if a.State(word) != strategy.InProgress {
		return false
	}
	return runningWords[separators.Replace(strings.ToLower(strings.TrimSpace(word)))]
}

// Describe sets the times, ID, name, progress and nested operations of s.
func (d *Document) Describe(a *strategy.Answer, s *strategy.Status) {
	d.describeOne(s)
	for _, op := range d.operations() {
		nested := strategy.Status{State: strategy.InProgress, Word: Text(op.Status), Detail: op.err}
		if nested.Word != "" {
			nested.State = a.State(nested.Word)
		}
		op.describeOne(&nested)
		s.Operations = append(s.Operations, nested)
	}
}

func (d *Document) describeOne(s *strategy.Status) {
	s.StartTime = timeOf(d.StartTime)
	s.EndTime = timeOf(d.EndTime)
	s.ID = Text(d.ID)
	s.Name = Text(d.Name)
	s.PercentComplete = number(d.PercentComplete)
}

var errNotResource = errors.New("the body is not a JSON object")

// ResourceStatus returns the status that a resource in a response shows, or an error if the
// response shows none. A resource without a provisioningState "is assumed to be Succeeded"
// (asynchronous API reference, "ProvisioningState property"). A body that is not a JSON object is
// not a resource.
func ResourceStatus(a *strategy.Answer) (strategy.Status, error) {
	doc, err := Parse(a.Body)
	if err != nil {
		if json.Valid(a.Body) {
			return strategy.Status{}, errNotResource
		}
		return strategy.Status{}, strategy.ErrNotJSON
	}
	state := doc.ResourceState()
	if IsNull(state) {
		return strategy.Status{State: strategy.Succeeded}, nil
	}
	if word := Text(state); word != "" {
		return doc.StatusOf(a, word), nil
	}
	if a.First { // keep polling, because a later response may contain a valid provisioningState
		return strategy.Status{State: strategy.InProgress}, nil
	}
	return strategy.Status{}, strategy.ErrNoStatus
}

// Progress returns the status reported by a 202, ignoring any terminal word in the body.
func Progress(a *strategy.Answer) strategy.Status {
	s := strategy.Status{State: strategy.InProgress}
	if len(a.Body) == 0 { // as in most 202 responses
		return s
	}

	doc, _ := Parse(a.Body) // if the body is not an object, doc has no members
	doc.Describe(a, &s)
	word := doc.Word()
	if word != "" && !a.State(word).Terminal() {
		s.Word = word
	}
	return s
}

// number parses a number, which may be quoted. It returns nil for anything else.
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

// timeLayouts holds the RFC 3339 layout and the other layouts that services use (quirk W43).
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.RFC1123}

// timeOf parses a time. It returns the zero time if m is invalid or a resume token cannot store the
// time.
func timeOf(m json.RawMessage) time.Time {
	if m == nil {
		return time.Time{}
	}
	var t time.Time
	if t.UnmarshalJSON(m) == nil && isStorable(t) {
		return t // the fast path for RFC 3339, which nearly all services use
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, Text(m))
		if err == nil && isStorable(t) {
			return t
		}
	}
	return time.Time{}
}

// isStorable reports whether a resume token, which is JSON, can store t. RFC 3339 does not allow an
// offset of 24 hours or more, but package time parses +24:00.
func isStorable(t time.Time) bool {
	_, err := t.AppendText(make([]byte, 0, len(time.RFC3339Nano)))
	return err == nil
}

// Detail returns the service's error in a document whose state is s. That is the document's own
// error or, if the operation failed or was canceled, the first of these that exists: an error
// elsewhere in the response, the provisioningDetails (only after a failure), or the errors of
// nested operations.
func (d *Document) Detail(a *strategy.Answer, s strategy.State) *lroerrors.Detail {
	if !IsNull(d.Error) {
		if detail := exchange.ErrorDetail(a.Header, d.Error); detail != nil {
			return detail
		}
	}
	if s != strategy.Failed && s != strategy.Canceled {
		return nil
	}
	if detail := a.Detail(); detail != nil {
		return detail
	}
	reason := Text(d.ProvisioningDetails)
	if s == strategy.Failed && reason != "" {
		return &lroerrors.Detail{Message: reason}
	}
	var all lroerrors.Detail
	for _, op := range d.operations() {
		if op.err == nil {
			continue
		}
		if op.err.Target == "" {
			op.err.Target = Text(op.Name)
		}
		all.Details = append(all.Details, *op.err)
	}
	if len(all.Details) == 0 {
		return nil
	}
	return &all
}

// Refusal returns the service's error in a response that is not a 2xx, and the status word if there
// is one.
func Refusal(a *strategy.Answer) (detail *lroerrors.Detail, word string) {
	doc, _ := Parse(a.Body) // if the body is not an object, doc has no members
	return exchange.ErrorDetail(a.Header, a.Body), Text(doc.Status)
}

const (
	// maxNested is the maximum number of nested operations. It also limits how many details of
	// their errors are decoded.
	maxNested = 1000

	// maxWord is the maximum length, in bytes, of the excerpt that brief returns.
	maxWord = 1000
)

// An operation is an element of a document's operations, with its error decoded.
type operation struct {
	Document
	err *lroerrors.Detail
}

// operations returns at most maxNested nested operations. Once their errors have maxNested details
// in total, it decodes only the code and message of each further error.
func (d *Document) operations() []operation {
	var list []operation
	elements := maxNested
	errs := maxNested
	_ = jsonread.Elements(d.Operations, func(raw []byte) bool { // an error only means that Operations is missing or not an array
		elements--
		doc, err := Parse(raw)
		if err != nil {
			return elements > 0
		}
		op := operation{Document: doc}
		if !IsNull(op.Error) && errs > 0 {
			op.err = exchange.ErrorDetail(nil, op.Error)
		} else if !IsNull(op.Error) {
			op.err = brief(op.Error)
		}
		errs -= count(op.err)
		list = append(list, op)
		return elements > 0
	})
	return list
}

// count returns the number of errors and AdditionalInfo elements nested in d.
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

// brief decodes only the code and message of an error. If it has neither, the message is an excerpt
// of the error.
func brief(m json.RawMessage) *lroerrors.Detail {
	if text := Text(m); text != "" {
		return &lroerrors.Detail{Message: text}
	}
	var code, message json.RawMessage
	_, _ = jsonread.Fill(m, jsonread.Field{Name: "code", To: &code}, jsonread.Field{Name: "message", To: &message})
	if Text(code) == "" && Text(message) == "" {
		excerpt := string(m[:min(len(m), maxWord)])
		return &lroerrors.Detail{Message: strings.ToValidUTF8(excerpt, "\uFFFD")}
	}
	return &lroerrors.Detail{Code: Text(code), Message: Text(message)}
}
