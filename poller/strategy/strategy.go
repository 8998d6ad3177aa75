package strategy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
)

// A Strategy implements one protocol for following an operation. Step is a pure function: it sends
// nothing, reads no clock and keeps no state. The poller handles requests, origins, limits,
// cadence, patience and tokens. Anything that a strategy must remember goes into [Move.Memo], which
// is part of the token.
//
// Many pollers may use one Strategy at the same time. A Strategy that can cancel also implements
// [Canceler], and one that understands a 5xx implements [ServerErrorReader]. If a Strategy has a
// Validate() error method, then New, Begin and Resume call it before they send anything, and return
// its error. A strategy that wraps another must also implement the optional interfaces of the
// wrapped strategy, including [Wrapper].
type Strategy interface {
	// Step returns the meaning of a response and the next URL to read. It receives every complete
	// response except 206, 401, 403, 408, 429 and 5xx. In nearly every protocol, these codes say
	// nothing about the operation; see [ServerErrorReader].
	//
	// An error means that the response reports no status. The HTTP status code then decides whether
	// the poller keeps polling. The errors [ErrNoStatus], [ErrNotJSON] and [ErrNotApplicable] have
	// a special meaning. If a first response should name a URL to poll but does not, return an
	// error that wraps ErrNoOperation of package errors. After any error for a first response, the
	// operation is Unfollowable.
	//
	// If Step returns both a Move and an error, the read has failed, but the poller continues with
	// the Poll, Inline and Memo of the Move. If Now is set, the read counts toward Patience.Time,
	// but not toward Patience.Failures. If neither Poll nor Now is set, the poller ignores the Move
	// and reads the same URL again with the previous Memo and Inline.
	Step(Answer) (Move, error)
}

// A ServerErrorReader is a [Strategy] of a protocol in which a 5xx may report how an operation
// ended. The status request of a failed FHIR bulk export returns a 5xx with an OperationOutcome
// (FHIR Bulk Data Access, "Response - Error Status"). The task monitor of a failed Redfish task
// returns the response that the original request would have received, such as a 500 with a Redfish
// error (DSP0266, "Asynchronous operations"). Without this method, the wait would end only when
// patience has run out.
type ServerErrorReader interface {
	// ReadsServerError reports whether Step receives responses with this 5xx code. If Step returns
	// an error for such a response, the read has failed, as with any other strategy. The poller
	// sees the response only after package transport has retried the request.
	ReadsServerError(code int) bool
}

// A Canceler is a [Strategy] that can cancel an operation.
type Canceler interface {
	// Cancel returns the request that cancels the operation, or nil if the operation cannot be
	// canceled now. The Answer has the last known Status, the Memo and the polled URL, but no Code,
	// Header or Body.
	Cancel(Answer) (*Request, error)
}

// A Wrapper is a [Strategy] that also makes the poller read a second URL, as the strategies of
// package check do. The poller calls StepIn instead of Step. Few programs need to implement a
// Wrapper: to read the resource too, use Confirm or CrossCheck of package check.
type Wrapper interface {
	Strategy

	// StepIn is like Step, but also receives the [Situation].
	//
	// If Situation.Lost is set, the wait is about to end. The Answer can be any response, and its
	// Code is 0 if no response arrived. To continue the wait, set Poll, Else or Now. The poller then
	// uses only these fields and Inline, Memo, [Detour.Once] and InterpretResult. If Situation.Once
	// is set too, the poller uses the whole Move.
	StepIn(Answer, Situation) (Move, Detour, error)
}

// A Situation describes how the wait for an operation is going.
type Situation struct {
	Age  time.Duration    // the time since the operation started, or since Resume from an azcore token, which lacks the start time
	Lost lroerrors.Reason // why the wait is about to end; "" if it is not. The poller sets Lost at most once in a run of failed reads

	// Once is set, together with Lost, if the poller calls StepIn because of [Detour.Once].
	Once bool

	// Result is set if the Answer may be the result; see [Detour.InterpretResult]. If the Move then
	// reports a State other than Succeeded, the Answer is not the result, and the poller applies
	// the Move.
	Result bool
}

// A Detour extends a [Move] with fields that only a [Wrapper] can set.
type Detour struct {
	Else            string        `json:"-"` // a second URL: the poller alternates between it and Move.Poll until one of them reports a status
	Hold            time.Duration // the pause before the next read only, at most 24 h; neither a call to Poll or WakeUp nor a deadline shortens it
	FromCheck       bool          // the response belongs to a check: the poller ignores Move.Status, and the response does not end a run of failed reads
	Once            bool          // if the next read reports no status, the poller calls StepIn with Situation.Once set, but first repeats the read while the service asks for pauses of at most 5 min in total
	InterpretResult bool          // the result may show that the operation has not ended, so the poller passes it to StepIn, with Situation.Result set
}

// ErrNotApplicable is returned by a [Strategy] for a first response of another protocol, or for a
// token with another strategy's memo. The wait then ends with the reason Unfollowable. If the first
// response already ends the operation, return a [Move] instead.
var ErrNotApplicable = errors.New("lro: the response or token does not fit the chosen strategy")

// ErrNoStatus is returned by a [Strategy] for a response that reports no status, if the HTTP status
// code says enough. The poller treats it like any other error of Step, but leaves its text out of
// the error for a 4xx. To give a reason, return your own error instead, which becomes the Err of
// the StatusError.
var ErrNoStatus = errors.New("the document has no status")

// ErrNotJSON is returned by a [Strategy] for a response whose body should be JSON but is not. A 4xx
// with such a body may come from a gateway, so only a 410 ends the wait at once. With any other
// error, most 4xx codes end the wait at once; see Patience of package poller.
var ErrNotJSON = errors.New("the body is not JSON")

// An Answer is a complete response, with everything that a [Strategy] needs to interpret it. A
// Strategy must not modify the Answer.
type Answer struct {
	First         bool             // set for the response to the request that started the operation
	NoResult      bool             // the caller needs no result, because T is struct{}; set only if First is set. Step may ignore this field
	Method        string           // the method of the request that started the operation; "" if an azcore token lacks it
	Target        string           `json:"-"` // the URL of the same request, often the resource's URL; "" if an azcore token lacks it
	FinalStateVia FinalStateVia    // as in Options
	URL           string           `json:"-"` // the URL that returned this response, after redirects; the base for relative URLs
	Poll          string           `json:"-"` // the absolute URL that was requested, before redirects; equal to URL if First is set
	Code          int              // HTTP status code; 0 in an Answer for Cancel, or if [Situation].Lost is set and there was no response
	Header        http.Header      `json:"-"`
	Body          []byte           `json:"-"` // complete, within the size limit, without a byte order mark
	Memo          json.RawMessage  `json:"-"` // the last Move's Memo, or nil
	Words         map[string]State // as in Options, but in lower case; see [Answer.State]
	Status        Status           // the last known status. After Resume, only State, Word, PercentComplete and Name are set, so keep other data in the Memo
}

// State returns the meaning of a service's word; see [State]. The word "" represents a 200 without
// a body. It means InProgress unless Words has an entry for it (quirk W6).
//
// Words takes precedence over the usual words. If your protocol has its own words, look them up
// after Words and before the usual words:
//
//	cmp.Or(a.Words[strings.ToLower(word)], own[word], a.State(word))
func (a Answer) State(word string) State { return stateOf(word, a.Words) }

// Lookup returns the value at a JSON pointer (RFC 6901) in the body, and whether the value exists.
// The pointer "" refers to the whole body. Names must match exactly.
func (a Answer) Lookup(pointer string) (json.RawMessage, bool) {
	return jsonread.Pointer(a.Body, pointer)
}

// Text returns the string at a JSON pointer into the body, without surrounding white space. It
// returns "" if there is no string.
func (a Answer) Text(pointer string) string {
	raw, _ := a.Lookup(pointer)
	s, _ := jsonread.String(raw)
	return strings.TrimSpace(s)
}

// Resolve returns the absolute form of ref, a URL in the response (RFC 3986, section 5), or "" if
// ref is empty. In an absolute URL, Resolve only masks the user-info and percent-encodes text that
// is not UTF-8. The error wraps ErrNoOperation if the URL cannot be parsed or has no host.
func (a Answer) Resolve(ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	to, err := exchange.NewLink(a.URL).Resolve(ref)
	return string(to), err
}

// Detail returns the error in the body, in any form that [lroerrors.Detail] supports. The body may
// be the error itself or a status document that contains it. If the body has no error, Detail
// returns nil.
func (a Answer) Detail() *lroerrors.Detail { return exchange.DocumentDetail(a.Header, a.Body) }

// String describes the response without its header, its body or the URL's query.
func (a Answer) String() string {
	return fmt.Sprintf("%d from %s (%d bytes)", a.Code, redact.RawURL(a.URL), len(a.Body))
}

// GoString returns the same text as String, because %#v would otherwise print credentials.
func (a Answer) GoString() string { return a.String() }

// CheckPointer returns an error unless s is a JSON pointer (RFC 6901). The pointer "" is valid and
// means the whole document.
func CheckPointer(s string) error { return jsonread.CheckPointer(s) }

// A Move is what a [Strategy] concludes from a response. The Move for the first response may
// already end the operation. If the service has completed the operation synchronously, set
// Status.State to Succeeded and Result.Body to the body.
type Move struct {
	Status Status          // its State decides whether the poller reads the status again, reads the Result, or returns an *OperationError; see [Status] for the fields to set
	Poll   string          `json:"-"` // the next URL to read, absolute or relative to Answer.URL; "" means Answer.Poll again
	Inline bool            // the next response may contain the result, so MaxResultBytes limits it instead of MaxStatusBytes
	Now    bool            // read again at once; at most three times in a row
	After  time.Duration   // the pause that the body specifies; Retry-After takes precedence
	Result Result          // the result of an operation that succeeded; if zero, there is no result, and the poller returns the zero value of its result type
	Memo   json.RawMessage `json:"-"` // JSON that the next Step receives, or nil. To keep the last Memo, return Answer.Memo. Do not modify the Memo after returning it
}

// String describes the Move without its Memo or the queries of its URLs.
func (m Move) String() string {
	return fmt.Sprintf("%s; poll %s; result %s", m.Status, redact.RawURL(m.Poll), m.Result)
}

// GoString returns the same text as String, because %#v would otherwise print queries.
func (m Move) GoString() string { return m.String() }

// A Result is the result of an operation that succeeded, or the result's URL. If both URL and Body
// are set, the Body has just been read from the URL: the poller does not read it again, and a token
// contains only the URL. The zero Result means that there is no result, and the poller returns the
// zero value of its result type.
type Result struct {
	URL  string          `json:"-"` // relative to Answer.URL
	Body json.RawMessage `json:"-"`
	From string          `json:"-"` // the URL that returned the Body; "" means Answer.URL

	// Err says why an expected result is missing. The Result method of a Poller[T] returns it in a
	// [*lroerrors.ResultError], unless T is struct{}. The error's text must not contain the query
	// of a URL.
	Err error `json:"-"`
}

// String describes the Result without its Body or the URL's query.
func (r Result) String() string {
	if r.URL != "" {
		return redact.RawURL(r.URL)
	}
	if r.Err != nil {
		return "missing: " + redact.Text(r.Err.Error())
	}
	if len(r.Body) > 0 {
		return fmt.Sprintf("%d bytes", len(r.Body))
	}
	return "none"
}

// GoString returns the same text as String, because %#v would otherwise print queries.
func (r Result) GoString() string { return r.String() }

// A Request is the request that a Poller's Cancel method sends. A [Canceler] may leave URL empty to
// use the polled URL. Since the service chose that URL, the strategy must make sure that it belongs
// to the operation. CancelRequest in Options must set URL.
type Request struct {
	Method string          // "" means POST
	URL    string          `json:"-"` // absolute, or relative (RFC 3986, section 5) to the polled URL or, in CancelRequest, to the URL of the first request
	Body   json.RawMessage `json:"-"` // sent as application/json
	OK     []int           // codes other than 2xx that mean that the operation had already ended
}

// String describes the Request without its Body or the URL's query.
func (r Request) String() string {
	return strings.TrimSpace(redact.Text(r.Method) + " " + redact.RawURL(r.URL))
}

// GoString returns the same text as String, because %#v would otherwise print queries.
func (r Request) GoString() string { return r.String() }

// A State is the meaning of the word that a service reports as an operation's status. The words
// Succeeded, Failed and Canceled end an operation. So do Completed, Success, Successful and
// Cancelled, which some services use. Case and surrounding spaces are ignored. The Words of Options
// add further words. Any other word means InProgress, and so does the zero State.
type State = lroerrors.State

// The states of an operation. All but InProgress are terminal (asynchronous API
// reference, "ProvisioningState property").
const (
	InProgress State = "InProgress"
	Succeeded  State = "Succeeded"
	Failed     State = "Failed"
	Canceled   State = "Canceled"
)

// stateOf returns the State for a service's word. An entry in the parameter words takes precedence.
// In addition to the three terminal words of the specification, services use Completed (quirks W7,
// W55), Cancelled (quirk A.6/canceled), Success (recorded shapes, section 6) and Successful
// (ARO-HCP, "Asynchronous operations"). Any other word means InProgress.
func stateOf(word string, words map[string]State) State {
	word = strings.TrimSpace(word)
	if len(words) == 0 && word == string(Succeeded) { // a shortcut for the most common word
		return Succeeded
	}
	if len(words) == 0 && len(word) > len("successful") { // a shortcut, because all longer words mean InProgress
		return InProgress
	}
	word = strings.ToLower(word)
	if s, ok := words[word]; ok {
		return s
	}
	switch word {
	case "succeeded", "completed", "success", "successful":
		return Succeeded
	case "failed":
		return Failed
	case "canceled", "cancelled":
		return Canceled
	}
	return InProgress
}

// A Status describes the state and progress of an operation. A field is zero if the service did not
// report it. The poller cuts each string from the service to 1 kB, and all strings of one body
// together to 256 kB. It masks text that looks like a credential.
//
// In a Move, a [Strategy] sets the fields from State to Detail that its protocol reports. The
// poller sets StatusCode, RequestID, CorrelationID, NextPoll and ReadErr, and ignores their values
// in a Move. Only the strategies of package check set Unconfirmed.
type Status struct {
	State State  `json:"state"`          // normalized
	Word  string `json:"word,omitempty"` // the service's own word

	PercentComplete *float64          `json:"percentComplete,omitempty"` // normally 0 to 100, but not checked; nil if the service reports NaN, an infinity or nothing
	StartTime       time.Time         `json:"startTime,omitzero"`
	EndTime         time.Time         `json:"endTime,omitzero"`
	ID              string            `json:"id,omitempty"` // ID of the operation
	Name            string            `json:"name,omitempty"`
	Operations      []Status          `json:"operations,omitempty"` // nested operations, one level deep
	Detail          *lroerrors.Detail `json:"error,omitempty"`      // the service's error, if any

	StatusCode    int    `json:"statusCode,omitempty"`    // HTTP status code of the response that reported this status
	RequestID     string `json:"requestId,omitempty"`     // the x-ms-request-id of the same response
	CorrelationID string `json:"correlationId,omitempty"` // the x-ms-correlation-request-id of the same response

	Unconfirmed bool `json:"unconfirmed,omitempty"` // the service reported success, but a check has not confirmed it yet; the State is InProgress

	NextPoll time.Time `json:"-"` // when the next read is due; zero if nothing is left to read
	ReadErr  error     `json:"-"` // why the last read failed; nil if it succeeded. The other fields come from the last read that reported a status
}

// String describes the status on one line. It masks text that looks like a credential, such as the
// query of a URL.
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
	if s.Detail != nil {
		fmt.Fprintf(&b, ": %s", s.Detail.Error())
	}
	if s.ReadErr != nil {
		fmt.Fprintf(&b, "; last read: %s", redact.Text(s.ReadErr.Error()))
	}
	return b.String()
}

// FinalStateVia says where to find the result. It has the values of final-state-via, which a
// service's OpenAPI description sets in x-ms-long-running-operation-options. The poller finds the
// result by these rules, which depend on the header or member that reports the status:
//
//   - With Azure-AsyncOperation, the poller reads the result of a PUT or PATCH from the URL of the
//     request. For a POST, it follows FinalStateVia. If FinalStateVia is empty, it reads the result
//     from the Location. Without a Location, the status document is the result.
//   - With Operation-Location, the poller reads the result from the Location if FinalStateVia is
//     FinalStateViaLocation, otherwise from the resourceLocation in the status document. Without
//     either, the rules for Azure-AsyncOperation apply.
//   - With Location or provisioningState, the last response is the result. However, if
//     FinalStateVia is FinalStateViaOriginalURI and the Location returns an operation document, the
//     poller reads the result from the URL of the request.
//   - A DELETE has a result in only three cases: FinalStateVia is FinalStateViaLocation and there
//     is a Location besides the Operation-Location; FinalStateVia is FinalStateViaOriginalURI and
//     the Location returns an operation document; or the last response from a Location has a body
//     that is not an operation document.
//
// If the result is empty, the poller returns the zero value of its result type.
type FinalStateVia string

// The values of [FinalStateVia]. All of them apply to POST. After an Operation-Location,
// FinalStateViaLocation applies to every HTTP method. If a Location returns an operation document,
// FinalStateViaOriginalURI applies to every HTTP method.
const (
	FinalStateViaAzureAsyncOp FinalStateVia = "azure-async-operation" // the status document itself
	FinalStateViaLocation     FinalStateVia = "location"              // the URL in the Location header
	FinalStateViaOriginalURI  FinalStateVia = "original-uri"          // the URL of the first request
	FinalStateViaOpLocation   FinalStateVia = "operation-location"    // the status document itself
)
