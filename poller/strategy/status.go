package strategy

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// A State is the meaning of the word that a service reports as the status of an operation. The
// words Succeeded, Failed and Canceled end an operation, and so do Completed and Cancelled, which
// some services use; case and surrounding spaces do not matter. The Words of Options add further
// words. Any other word means InProgress, and so does the zero State.
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

	Unconfirmed bool `json:"unconfirmed,omitempty"` // the service reported success, and Confirm is still checking; the State is InProgress

	NextPoll time.Time `json:"-"` // when the next read is due; zero when nothing is left to read
	ReadErr  error     `json:"-"` // why the last read failed; nil if it did not. The other fields are from the last read that reported a status
}

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

// FinalStateVia says where the result is, with the values of final-state-via in the
// x-ms-long-running-operation-options of a service's OpenAPI description. It matters only where the
// following rules leave a choice:
//
//   - After Azure-AsyncOperation, the result of a PUT or PATCH is read from the URL of the
//     request. The result of a POST is read from the Location or, without one, is the status
//     document.
//   - After Operation-Location, the result is read from the Location if FinalStateVia is
//     FinalStateViaLocation, otherwise from the resourceLocation in the status document.
//     Without either, the rules of Azure-AsyncOperation apply.
//   - After Location and provisioningState, the last response is the result.
//   - A DELETE has no result, unless its last response from a Location has a body.
//
// An empty result leaves T zero.
type FinalStateVia string

// The values of [FinalStateVia]. They apply to POST, except that FinalStateViaLocation
// applies to every verb after an Operation-Location, and FinalStateViaOriginalURI to every
// verb whose Location returns an operation document.
const (
	FinalStateViaAzureAsyncOp FinalStateVia = "azure-async-operation" // the status document itself
	FinalStateViaLocation     FinalStateVia = "location"              // the URL of the Location header
	FinalStateViaOriginalURI  FinalStateVia = "original-uri"          // the URL of the first request
	FinalStateViaOpLocation   FinalStateVia = "operation-location"    // the status document itself
)
