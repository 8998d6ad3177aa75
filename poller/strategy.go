package poller

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"
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
var ErrNotApplicable = errors.New("lro: the response does not begin an operation of this strategy")

// An Answer is what a [Strategy] judges: one complete answer, and what is
// needed to understand it. It must not be changed.
type Answer struct {
	First          bool            // the response that began the operation
	Method, Target string          // of the request that began it; "" where a token of azcore does not tell
	FinalStateVia  FinalStateVia   // as in Options
	URL            string          // that gave this answer
	Code           int             // HTTP status
	Header         http.Header     // of this answer
	Body           []byte          // complete, capped, without BOM
	Memo           json.RawMessage // of the last Move

	words map[string]State
}

// State returns the meaning of a service's word: that of [Options].Words, else
// the terminal words that services use, else [InProgress]. Case does not count.
func (a Answer) State(word string) State { return stateOf(word, a.words) }

// A Move says what an answer means.
type Move struct {
	Status Status          // its State decides: go on, read the Result, or *OperationError
	Poll   string          // where to ask next, relative to Answer.URL; "" means the same
	Inline bool            // the next answer may hold the result itself: MaxResultBytes bounds it, not MaxStatusBytes
	Now    bool            // ask at once: a cross-check, three in a row at most
	After  time.Duration   // a hint found in the body; Retry-After wins
	Result Result          // where the result is, once the State is Succeeded; zero: none, T stays zero
	Cancel *Request        // nil: cannot be canceled
	Memo   json.RawMessage // JSON, handed to the next Step
}

// A Result says where the result of a succeeded operation is: at a URL, relative
// to Answer.URL, or in hand. The zero Result is none.
type Result struct {
	URL  string
	Body json.RawMessage
}

// A Request is one that [Poller.Cancel] sends.
type Request struct {
	Method string          `json:"method,omitempty"` // "" means POST
	URL    string          `json:"url,omitempty"`    // relative to the URL that is polled (RFC 3986, section 5); "" means that URL
	Body   json.RawMessage `json:"body,omitempty"`   // sent as application/json
	OK     []int           `json:"ok,omitempty"`     // codes beside 2xx that mean the operation had already ended
}
