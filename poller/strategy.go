package poller

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// A Strategy knows one protocol for following an operation. Step is a pure
// function: it sends nothing, reads no clock and keeps no state. Requests,
// origins, limits, cadence, patience and tokens are the poller's; what a
// strategy must remember goes through [Move.Memo], and so into the token.
//
// A Strategy is used by many pollers at once.
type Strategy interface {
	// Step says what an answer means and where to ask next. It sees every
	// complete answer but 401, 403, 408, 429 and 5xx, which tell nothing of an
	// operation in any protocol. An error means "this told no status"; the
	// poller then judges by the code. [ErrNotApplicable] means that the first
	// answer, or the memo, is of another protocol.
	Step(Answer) (Move, error)
}

// ErrNotApplicable is returned by a [Strategy] for a first answer of another
// protocol, or for a memo that is not its own, as when a token is resumed without
// the Options.Strategy that it was made with. The wait then ends Unfollowable.
var ErrNotApplicable = errors.New("lro: this is of another strategy than that of Options.Strategy")

// ErrNoStatus is returned by a [Strategy] for an answer that tells no status, where
// there is no more to say than its code does.
var ErrNoStatus = errors.New("the document tells no status")

// An Answer is what a [Strategy] judges: one complete answer, and what is
// needed to understand it. It must not be changed.
type Answer struct {
	First          bool             // the response that began the operation
	Method, Target string           // of the request that began it; "" where a token of azcore does not tell
	FinalStateVia  FinalStateVia    // as in Options
	URL            string           // that gave this answer
	Code           int              // HTTP status
	Header         http.Header      // of this answer
	Body           []byte           // complete, capped, without BOM
	Memo           json.RawMessage  // of the last Move
	Words          map[string]State // as in Options; the words are in lower case

	told lastTold // by the last Move; for its memory alone, no meaning rests on it
}

// State returns the meaning of a service's word: that of [Options].Words, else
// the terminal words that services use, else [InProgress]. Case does not count. The
// word "" is that of a status document which is a 200 without a body: it tells
// nothing, unless Words names it (quirk W6).
func (a Answer) State(word string) State { return stateOf(word, a.Words) }

// Lookup returns the value that a JSON pointer (RFC 6901) points to within the
// body, and whether there is one. "" is the whole body. Names are compared
// exactly.
func (a Answer) Lookup(pointer string) (json.RawMessage, bool) {
	return wire.Pointer(a.Body, pointer)
}

// Text returns the string that a JSON pointer points to within the body, without
// white space around it; "" where there is none.
func (a Answer) Text(pointer string) string {
	var s string
	if raw, ok := a.Lookup(pointer); ok {
		_ = json.Unmarshal(raw, &s) // what is no string is none
	}
	return strings.TrimSpace(s)
}

// Resolve returns a URL that the answer gave in its absolute form (RFC 3986,
// section 5). One that is absolute stays as it is, byte for byte. The error wraps
// ErrNoOperation where it cannot be parsed or has no host.
func (a Answer) Resolve(ref string) (string, error) { return resolveRef(a.URL, ref) }

// CheckPointer returns an error unless s is a JSON pointer (RFC 6901), for a
// strategy that takes some from its users. "" is one: the whole.
func CheckPointer(s string) error { return wire.CheckPointer(s) }

// Detail returns the error that the body tells, alone or beside a status, in any
// of the forms that [lroerrors.Detail] knows; nil where it tells none.
func (a Answer) Detail() *lroerrors.Detail { return wire.DocumentDetail(a.Header, a.Body) }

// A Move says what an answer means.
type Move struct {
	Status Status          // its State decides: go on, read the Result, or *OperationError
	Poll   string          // where to ask next, relative to Answer.URL; "" means the same
	Inline bool            // the next answer may hold the result itself: MaxResultBytes bounds it, not MaxStatusBytes
	Now    bool            // ask at once: a cross-check, three in a row at most
	After  time.Duration   // a hint found in the body; Retry-After wins
	Result Result          // where the result is, once the State is Succeeded; zero: none, T stays zero
	Cancel *Request        // nil: cannot be canceled
	Memo   json.RawMessage // JSON, handed to the next Step; not to be written into

	memo *knownMemo // whose text Memo is; nil: not known
}

// A Result says where the result of a succeeded operation is: at a URL, relative
// to Answer.URL, or in hand. The zero Result is none, and leaves T zero. Err says
// why there is none where there should be one: [Poller.Result] returns it as a
// [*lroerrors.ResultError], unless T is struct{}. It must not hold a query.
type Result struct {
	URL  string
	Body json.RawMessage
	Err  error
}

// A Request is one that [Poller.Cancel] sends.
type Request struct {
	Method string          `json:"method,omitempty"` // "" means POST
	URL    string          `json:"url,omitempty"`    // relative to the URL that is polled (RFC 3986, section 5); "" means that URL
	Body   json.RawMessage `json:"body,omitempty"`   // sent as application/json
	OK     []int           `json:"ok,omitempty"`     // codes beside 2xx that mean the operation had already ended
}
