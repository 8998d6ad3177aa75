package poller

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A State is the meaning of the word that a service reports as the status of an operation. The
// words Succeeded, Failed and Canceled end an operation, and so do Completed and Cancelled, which
// some services use; case and surrounding spaces do not matter. Options.Words adds further words.
// Any other word means InProgress, and so does the zero State.
type State string

// The states of an operation. All but InProgress are terminal (asynchronous API
// reference, "ProvisioningState property").
const (
	InProgress State = "InProgress"
	Succeeded  State = "Succeeded"
	Failed     State = "Failed"
	Canceled   State = "Canceled"
)

// Terminal reports whether an operation in this state has ended.
func (s State) Terminal() bool { return s == Succeeded || s == Failed || s == Canceled }

// A Status holds the facts known about an operation. A field has its zero value if the
// service did not report it. Each text from the service is cut to 1 kB, and all texts in one
// body together to 256 kB. Text that looks like a credential is masked.
type Status struct {
	State State  `json:"state"`          // normalized
	Word  string `json:"word,omitempty"` // the service's own word

	PercentComplete *float64          `json:"percentComplete,omitempty"` // 0 to 100; nil if the service does not report it
	StartTime       time.Time         `json:"startTime,omitzero"`
	EndTime         time.Time         `json:"endTime,omitzero"`
	ID              string            `json:"id,omitempty"` // ID of the operation
	Name            string            `json:"name,omitempty"`
	Operations      []Status          `json:"operations,omitempty"` // nested operations, one level deep
	Error           *lroerrors.Detail `json:"error,omitempty"`      // the service's error, if there is one

	StatusCode    int    `json:"statusCode,omitempty"`    // HTTP status code of the response that reported this status
	RequestID     string `json:"requestId,omitempty"`     // the x-ms-request-id of that response
	CorrelationID string `json:"correlationId,omitempty"` // the x-ms-correlation-request-id of that response

	Unconfirmed bool `json:"unconfirmed,omitempty"` // the service reported success, and [Confirm] is still checking; the State is InProgress

	NextPoll time.Time `json:"-"` // when the next read is due; zero when nothing is left to read
	ReadErr  error     `json:"-"` // why the last read failed; nil if it did not. The other fields are from the last read that reported a status
}

// adopted returns s in the form that a record stores: the texts are cut, and credentials in them
// are masked. This cannot change the State, which was derived from the original word.
func (s Status) adopted(a *Answer) *Status {
	s = s.copied(new(exchange.Cleaner))
	s.StatusCode, s.RequestID, s.CorrelationID = a.Code, exchange.RequestID(a.Header), exchange.CorrelationID(a.Header)
	if i := strings.Index(a.Poll, s.ID); i >= 0 && s.ID != "" { // it "should match" that URL, and then shares its memory
		s.ID = a.Poll[i:][:len(s.ID)]
	}
	if !s.State.Terminal() {
		s.State = InProgress
	}
	s.NextPoll, s.ReadErr = time.Time{}, nil
	if p := s.PercentComplete; p != nil && (math.IsNaN(*p) || math.IsInf(*p, 0)) {
		s.PercentComplete = nil // a token is JSON, which cannot represent NaN and infinity
	}
	return &s
}

// copied returns a deep copy of s in which c has cleaned all texts.
func (s Status) copied(c *exchange.Cleaner) Status {
	for _, text := range []*string{&s.Word, &s.ID, &s.Name, &s.RequestID, &s.CorrelationID} {
		*text = c.Text(*text)
	}
	s.Error = c.Detail(s.Error)
	if s.PercentComplete != nil {
		s.PercentComplete = new(*s.PercentComplete)
	}
	s.Operations = slices.Clone(s.Operations)
	for i, op := range s.Operations {
		s.Operations[i] = op.copied(c)
	}
	return s
}

// unchanged is a Cleaner that leaves texts unchanged, for texts that are already clean.
var unchanged *exchange.Cleaner

// maxWord is the length, in bytes, to which a text is cut before it is passed to a Cleaner.
const maxWord = 1000

// clean cuts a text that a strategy returned, and masks credentials in it.
func clean(s string) string { return new(exchange.Cleaner).Text(s) }

// String returns the state, word and progress on one line, without any URL.
func (s Status) String() string {
	var b strings.Builder
	state := cmp.Or(s.State, InProgress)
	b.WriteString(redact.Text(string(state))) // a strategy may return any text as a State
	if s.Word != "" && !strings.EqualFold(s.Word, string(state)) {
		fmt.Fprintf(&b, " %q", redact.Text(s.Word))
	}
	if s.PercentComplete != nil {
		fmt.Fprintf(&b, " %g%%", *s.PercentComplete)
	}
	if s.Unconfirmed {
		b.WriteString(", reported success, not confirmed")
	}
	if s.Error != nil {
		fmt.Fprintf(&b, ": %s", s.Error.Error())
	}
	if s.ReadErr != nil {
		fmt.Fprintf(&b, "; last read: %s", redact.Text(s.ReadErr.Error()))
	}
	return b.String()
}
