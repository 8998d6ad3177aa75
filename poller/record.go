package poller

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// A record holds everything that the poller knows about an operation, and its JSON is the resume
// token. Every release ignores members that it does not know, so a later release may add members.
// To change the meaning of a member, a release must increase the version. A record never contains
// anything that a token must not contain: its URLs have no user-info, and of the first request's
// headers it keeps only the ones that every poll repeats.
//
// A core replaces its record as a whole, and never modifies the values that the fields point
// to.
type record struct {
	// The small fields are next to each other to save memory, because a group may hold 100,000
	// records.
	Phase   phase `json:"phase"`
	Now     uint8 `json:"now,omitempty"`     // how many times in a row the strategy has asked for an immediate read
	Asked   bool  `json:"asked,omitempty"`   // whether the service asked for the current pause
	Held    bool  `json:"held,omitempty"`    // whether a read before Next is forbidden
	Inline  bool  `json:"inline,omitempty"`  // whether the next response may contain the result
	Created bool  `json:"created,omitempty"` // whether the first response was a 201 to a PUT (quirk W31)

	Method string          `json:"method,omitempty"` // the method of the request that started the operation
	Target exchange.Link   `json:"target,omitzero"`  // the URL of that request
	Header wire.Travelling `json:"header,omitzero"`  // the headers of that request that every poll repeats
	rules

	Poll    exchange.Link   `json:"poll,omitzero"`    // the URL from which the status is read next
	Else    exchange.Link   `json:"else,omitzero"`    // if not empty, reads alternate between this URL and Poll
	Monitor exchange.Link   `json:"monitor,omitzero"` // the URL of the status; set only while reads alternate between it and a check, or while only the check is read
	Memo    json.RawMessage `json:"memo,omitempty"`   // the Memo that the strategy last returned
	Status  *Status         `json:"status"`
	Result  *result         `json:"result,omitempty"` // nil until the operation has succeeded
	First   *first          `json:"first,omitempty"`  // the first response; nil except in phase unfollowed

	Began    time.Time `json:"began,omitzero"`       // when the operation started, if known
	LastRead time.Time `json:"lastRead"`             // when the last response arrived, including the first
	Next     time.Time `json:"nextPoll"`             // when the next read is due, unless Now is set
	Pause    span      `json:"pause,omitempty"`      // the scheduled length of the pause before Next
	Pace     span      `json:"pace,omitempty"`       // the last pause in the sequence of growing pauses that begins with Cadence.First
	Given    *span     `json:"retryAfter,omitempty"` // the pause that the last response with both a status and a Retry-After asked for
	Failures *failures `json:"failures,omitempty"`   // the current run of failed reads; nil if the last read got a status
}

// rules apply to every read of the operation. Options override the rules in a token.
type rules struct {
	Via     FinalStateVia    `json:"finalStateVia,omitempty"`
	Pointer string           `json:"resultPointer,omitempty"`
	Words   map[string]State `json:"words,omitempty"` // the keys are in lower case
}

// override returns a copy of r in which rules that the options set replace the ones in r.
func (r rules) override(set *settings) rules {
	r.Via, r.Pointer = cmp.Or(set.FinalStateVia, r.Via), cmp.Or(set.ResultPointer, r.Pointer)
	if len(set.Words) > 0 {
		r.Words = set.Words
	}
	return r
}

// done reports whether the operation has ended. Its result may still have to be read.
func (r *record) done() bool { return r.Phase == reading || r.Phase == ended }

// A result holds the URL of an operation's result, its Body, or both. If it has both, the body was
// just read from the URL, and a token keeps only the URL. If it has only a Body, From is the URL
// that returned the body.
type result struct {
	URL  exchange.Link `json:"url,omitzero"`
	Body exact         `json:"body,omitempty"`
	From exchange.Link `json:"from,omitzero"`
	Err  string        `json:"error,omitempty"` // why the result is missing
	Size int           `json:"-"`               // the length of a body that was dropped because it is too large for a token; 0 if none was dropped
}

// at returns the URL from which the result was read or will be read.
func (r *result) at() exchange.Link {
	switch {
	case r == nil:
		return ""
	case !r.URL.IsZero():
		return r.URL
	}
	return r.From
}

// exact is a body that a token preserves byte for byte. The token stores it as a JSON string or, if
// it is not UTF-8, as an array with one base64 string.
type exact []byte

// MarshalJSON implements [json.Marshaler].
func (t exact) MarshalJSON() ([]byte, error) {
	if utf8.Valid(t) {
		return marshal(string(t))
	}
	return marshal([][]byte{t})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *exact) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = exact(s)
		return nil
	}
	var list [1][]byte
	err := json.Unmarshal(b, &list)
	*t = list[0]
	return err
}

// first is the response to the request that started an operation. A token keeps it while the
// operation cannot be followed, so that Resume can try again with other options.
type first struct {
	URL    exchange.Link `json:"url,omitzero"`
	Code   int           `json:"code"`
	Header http.Header   `json:"header,omitempty"`
	Body   []byte        `json:"body,omitempty"`   // base64
	Broken bool          `json:"broken,omitempty"` // the body could not be read completely, or was too large to store

	err  error // why the body is broken
	sent exchange.Sent
}

// A span is a duration that a token stores as text, such as "1m30s". It is never negative.
type span time.Duration

// MarshalText formats the duration as [time.Duration.String] does.
func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText rejects invalid and negative durations, and caps long ones. A forged token may
// contain any duration, and sums of durations must not overflow.
func (d *span) UnmarshalText(b []byte) error {
	const longest = 100 * 365 * 24 * time.Hour
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return errors.New("invalid duration")
	}
	*d = span(min(v, longest))
	return nil
}

// adopt applies a strategy's Move for a response that reports a status. If it returns an error,
// Move.Poll cannot be resolved, and the URL that is polled stays the same.
func (c *core) adopt(r *record, a *strategy.Answer, m strategy.Move) error {
	h := a.Header
	if !m.Beside {
		r.Failures, r.Status = nil, adoptStatus(&m.Status, a)
	} else if m.Poll != "" {
		h = nil // a Retry-After from this URL does not apply to the URL that is read next
	}
	err := r.redirect(a, m)
	r.Result = nil
	if r.Status.State == Succeeded {
		r.Result = r.resultOf(a, m.Result)
	}
	c.schedule(r, h, m)
	r.enter(phaseAfter(r.Status.State, r.Result))
	return err
}

// redirect makes the URLs in a Move the next ones to read. If m.Poll cannot be resolved, r.Poll
// stays the same, and redirect returns the error.
func (r *record) redirect(a *strategy.Answer, m strategy.Move) error {
	r.Inline, r.Memo = m.Inline, m.Memo
	monitor := r.monitor()
	if to, err := r.follow(a.URL, m.Else); err != nil || m.Else == "" {
		r.Else = ""
	} else if r.Else = to; r.Monitor.IsZero() {
		monitor = to
	}
	if r.Monitor = monitor; r.Else.IsZero() && !r.Status.Unconfirmed {
		r.Monitor = ""
	}
	to, err := r.follow(a.URL, m.Poll)
	if err == nil {
		r.Poll = to
	}
	if r.Now++; !m.Now || r.Now > maxNow {
		r.Now = 0
	}
	return err
}

// maxNow limits how many times in a row a strategy may ask for an immediate read; see [Move].
const maxNow = 3

// follow resolves ref, a URL in a response from the URL base. If ref is "", it means the URL that
// is polled.
func (r *record) follow(base, ref string) (exchange.Link, error) {
	if ref == "" || ref == string(r.Poll) {
		return r.Poll, nil
	}
	return exchange.NewLink(base).Resolve(ref)
}

// monitor returns the URL of the status, even if a check is read next.
func (r *record) monitor() exchange.Link {
	if !r.Monitor.IsZero() {
		return r.Monitor
	}
	return r.Poll
}

// resultOf returns the result that a strategy found, with absolute URLs. If a URL cannot be
// resolved, resultOf keeps it unchanged, so that the attempt to read it reports the error.
func (r *record) resultOf(a *strategy.Answer, found strategy.Result) *result {
	res := &result{Body: exact(found.Body)}
	if found.Err != nil {
		res.Err = clean(found.Err.Error())
	}
	if len(found.Body) > 0 || found.URL == "" {
		res.From = exchange.NewLink(cmp.Or(found.From, a.URL))
	} else {
		res.Body = nil // the result has not been read
	}
	switch found.URL {
	case "":
	case string(r.Target):
		res.URL = r.Target
	default:
		var err error
		if res.URL, err = exchange.NewLink(a.URL).Resolve(found.URL); err != nil {
			res.URL = exchange.NewLink(found.URL)
		}
	}
	return res
}

const headerAsync = "Azure-Asyncoperation" // canonical form

var linkHeaders = []string{headerAsync, "Operation-Location", "Location", "Content-Location"}
