package poller

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/response"
)

// A Strategy knows one protocol for following an operation. Step is a pure
// function: it sends nothing, reads no clock and keeps no state. Requests,
// origins, limits, cadence, patience and tokens are the poller's job; whatever a
// strategy must remember goes through [Move.Memo], and so into the token.
//
// Many pollers use one Strategy at the same time. A Strategy that can cancel also
// implements [Canceler]. One with a method Validate() error is validated by New,
// Begin and Resume, before anything is sent.
type Strategy interface {
	// Step says what an answer means and where to read next. It sees every
	// complete answer except 206, 401, 403, 408, 429 and 5xx, which say nothing about
	// an operation in any protocol. An error means that the answer reports no
	// status; the poller then decides by the code whether to keep trying.
	// [ErrNotApplicable] means that the first response, or the memo, belongs to
	// another protocol.
	//
	// Step may return a Move together with an error. The read then failed, but
	// reading continues at Move.Poll, with its Else, Inline and Memo. With Now, the
	// failure does not count, but the time it took does.
	//
	// When [Answer.Lost] is set, the wait is about to end, and the answer may have
	// any code, or none. Only Poll, Else, Inline, Now and Memo of the Move are
	// used then. If the Move has no Poll, Else and Now, the wait ends.
	Step(Answer) (Move, error)
}

// A Canceler is a [Strategy] that can cancel an operation.
type Canceler interface {
	// Cancel returns the request that cancels the operation, given the last known
	// Status, the Memo and the URL that is polled; the Answer has no Code, Header
	// and Body. A nil Request means that the operation cannot be canceled now.
	Cancel(Answer) (*Request, error)
}

// ErrNotApplicable is returned by a [Strategy] for a first response of another
// protocol, or for a memo that it did not write, as when a token is resumed with
// another Options.Strategy. The wait then ends as Unfollowable.
var ErrNotApplicable = errors.New("lro: the response or token does not fit Options.Strategy")

// ErrNoStatus is returned by a [Strategy] for an answer that reports no status,
// when its code already says everything.
var ErrNoStatus = errors.New("the document has no status")

// An Answer is one complete answer for a [Strategy] to judge, with the context needed
// to understand it. It must not be changed.
type Answer struct {
	First         bool             // the response that started the operation
	Method        string           // of the request that started it; "" if an azcore token does not say
	Target        string           `json:"-"` // its URL; "" likewise
	FinalStateVia FinalStateVia    // as in Options
	URL           string           `json:"-"` // the URL that gave this answer, after redirects
	Poll          string           `json:"-"` // the URL that was requested
	Code          int              // HTTP status; 0 if there was no answer, which only happens when Lost is set
	Header        http.Header      `json:"-"`
	Body          []byte           `json:"-"` // complete, within the size limit, without a byte order mark
	Memo          json.RawMessage  `json:"-"` // of the last Move
	Words         map[string]State // as in Options; in lower case
	Age           time.Duration    // since the operation started, as far as known
	Lost          lroerrors.Reason // the wait is about to end for this reason; "" otherwise. Set once in a run of failed reads
	Status        Status           // known so far

	none bool    // T is struct{}
	memo armMemo // as the ARM strategies decoded it, so that an unchanged memo is not encoded again
}

// State returns the meaning of a service's word: the one in [Options].Words if
// there is one, otherwise the meaning of a usual terminal word, otherwise [InProgress].
// Case and surrounding spaces do not matter. The word "" stands for a status
// document that is a 200 without a body: it means nothing unless Words names it
// (quirk W6).
func (a Answer) State(word string) State { return stateOf(word, a.Words) }

// Lookup returns the value at a JSON pointer (RFC 6901) within the body, and
// whether there is one. "" is the whole body. Names are compared exactly.
func (a Answer) Lookup(pointer string) (json.RawMessage, bool) {
	return jsonread.Pointer(a.Body, pointer)
}

// Text returns the string at a JSON pointer within the body, without surrounding
// white space. It is "" if there is no string.
func (a Answer) Text(pointer string) string {
	raw, _ := a.Lookup(pointer)
	s, _ := jsonread.String(raw)
	return strings.TrimSpace(s)
}

// Resolve returns the absolute form of a URL in the answer (RFC 3986, section
// 5). An absolute URL is returned unchanged, byte for byte. "" stays "". The error
// wraps ErrNoOperation if the URL cannot be parsed or has no host.
func (a Answer) Resolve(ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	l, err := newLink(a.URL).resolve(ref)
	return l.text, err
}

// CheckPointer returns an error unless s is a JSON pointer (RFC 6901). "" is
// valid: it means the whole document.
func CheckPointer(s string) error { return jsonread.CheckPointer(s) }

// Detail returns the error in the body, which may stand alone or next to a
// status, in any form that [lroerrors.Detail] knows. It is nil if there is none.
func (a Answer) Detail() *lroerrors.Detail { return response.DocumentDetail(a.Header, a.Body) }

// String describes an answer without its query, header values and body.
func (a Answer) String() string {
	return fmt.Sprintf("%d from %s (%d bytes)", a.Code, redact.RawURL(a.URL), len(a.Body))
}

// GoString returns the same text, because %#v would print credentials.
func (a Answer) GoString() string { return a.String() }

// A Move says what an answer means.
type Move struct {
	Status Status          // its State decides: keep reading, fetch the Result, or end with an *OperationError
	Poll   string          `json:"-"` // where to read next, relative to Answer.URL; "": the same URL
	Else   string          `json:"-"` // read in turn with Poll while neither reports a status
	Inline bool            // the next answer may hold the result itself, so MaxResultBytes limits it, not MaxStatusBytes
	Now    bool            // read at once, as a separate read; at most three times in a row
	After  time.Duration   // a pause requested in the body; Retry-After takes precedence
	Hold   time.Duration   // once: no read earlier than this, not even by Poll or WakeUp, not cut for a deadline and not remembered; at most 24 h
	Result Result          // where the result is, once the State is Succeeded; zero: there is none, and T stays zero
	Memo   json.RawMessage `json:"-"` // JSON, passed to the next Step; must not be changed later
	Beside bool            // a check was read, not the status: the Status above is ignored, and a run of failed reads continues
}

// leads reports whether a Move that comes with an error, or with Answer.Lost,
// says where reading continues.
func (m *Move) leads() bool { return m.Poll != "" || m.Else != "" || m.Now }

// String describes a move without queries and without the memo.
func (m Move) String() string {
	return fmt.Sprintf("%s; poll %s; result %s", m.Status, redact.RawURL(m.Poll), m.Result)
}

// GoString returns the same text, because %#v would print queries.
func (m Move) GoString() string { return m.String() }

// A Result says where the result of a succeeded operation is: at a URL, relative
// to Answer.URL, or in the Body. With both, the body was just read from the URL, so
// it is not read again, and a token keeps the URL. The zero Result stands for an
// absent result, and T stays zero. Err says why an expected result is missing:
// [Poller.Result] returns it in a [*lroerrors.ResultError], unless T is struct{}. It
// must not contain a query.
type Result struct {
	URL  string          `json:"-"`
	Body json.RawMessage `json:"-"`
	From string          `json:"-"` // the URL that gave the Body; "": Answer.URL
	Err  error           `json:"-"`
}

// String describes a result without its query and body.
func (r Result) String() string {
	switch {
	case r.URL != "":
		return redact.RawURL(r.URL)
	case r.Err != nil:
		return "missing: " + redact.Text(r.Err.Error())
	case len(r.Body) > 0:
		return fmt.Sprintf("in hand (%d bytes)", len(r.Body))
	}
	return "none"
}

// GoString returns the same text, because %#v would print queries.
func (r Result) GoString() string { return r.String() }

// A Request is the request that [Poller.Cancel] sends. A [Canceler] may return a URL relative
// to the URL that is polled, and "" for that URL. The service named it, so such a strategy
// must know that it belongs to the operation. In Options.CancelRequest, a URL is relative to
// that of the request that started the operation, and "" is an error.
type Request struct {
	Method string          // "" means POST
	URL    string          `json:"-"` // absolute or relative (RFC 3986, section 5)
	Body   json.RawMessage `json:"-"` // sent as application/json
	OK     []int           // codes other than 2xx that mean the operation had already ended
}

// String describes a request without its query and body.
func (r Request) String() string {
	return strings.TrimSpace(redact.Text(r.Method) + " " + redact.RawURL(r.URL))
}

// GoString returns the same text, because %#v would print queries.
func (r Request) GoString() string { return r.String() }

// validate calls the Validate method of a strategy, if it has one.
func validate(s Strategy) error {
	if v, ok := s.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}
