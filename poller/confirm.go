package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// A Confirmation says how [Confirm] checks a success. The zero Confirmation reads
// the resource.
type Confirmation struct {
	// URL is read with GET. It is relative to the URL of the first request; ""
	// means that URL. It must lead to the same origin or to one of Options.Origins.
	URL string

	// State says what an answer means. It sees every complete answer that is 404,
	// 410, or 2xx with JSON (a 202 or 204 may have no body); any other answer is a
	// failed read. It must be a pure function, as for [Strategy].
	//
	// Nil judges a resource by its provisioningState: Succeeded if there is none,
	// and InProgress after a 404. After a DELETE, 404 and 410 mean Succeeded, and
	// any 2xx InProgress.
	State func(Answer) State

	// Times is how many readings in a row must agree on the same ending, for
	// replicas that disagree (quirks W28 to W32 need 3 to 20). A failed read does
	// not break the row. 0 or less: 1.
	Times int

	// Delay is the pause before the first reading, for documents that are stale at
	// first (quirk W32: 10 minutes). Neither Poll nor WakeUp reads earlier, and the
	// pause is not shortened to fit a deadline. It is at most 24 hours.
	Delay time.Duration
}

// Confirm returns a strategy that follows an operation as s does, but accepts a
// success only once the check agrees, for services that report it too early (quirks
// W24 to W38). A nil s means [ARM]. Until the check agrees, the operation is
// InProgress and Status.Unconfirmed is set. A check that reads Failed or Canceled
// ends the operation that way. The result is where s found it.
//
// To combine it with [CrossCheck], put Confirm outside: Confirm(CrossCheck(…), …).
// Confirm may be added when a token is resumed. If it is removed while a success is
// unconfirmed, or at any time after it had something to remember, the wait ends as
// Unfollowable, and nothing is lost.
func Confirm(s Strategy, c Confirmation) Strategy {
	return &confirm{newProbe(s, c.URL, c.State, c.Times), max(c.Delay, 0)}
}

// String describes a confirmation without the query of its URL.
func (c Confirmation) String() string {
	return fmt.Sprintf("{URL:%s State:%t Times:%d Delay:%s}", redact.RawURL(c.URL), c.State != nil, c.Times, c.Delay)
}

type confirm struct {
	probe
	delay time.Duration
}

var _ Canceler = (*confirm)(nil)

// A confirmMemo holds the success that is being checked, and the inner memo. Until the
// inner strategy reports a success, the memo is the inner one.
type confirmMemo struct {
	Confirm *pending        `json:"confirm"` // nil: the memo is not ours
	Inner   json.RawMessage `json:"inner,omitempty"`
}

// A pending is a success that is being checked, and where its result is.
type pending struct {
	row
	URL  string `json:"url,omitempty"`
	Body []byte `json:"body,omitempty"`
	From string `json:"from,omitempty"` // the URL that gave the body
	Part bool   `json:"part,omitempty"` // the body is a part of what the URL gave
	Err  string `json:"error,omitempty"`
}

// maxPending is the size of a result up to which a memo keeps it.
const maxPending = 16 << 10

// Step implements [Strategy].
func (x *confirm) Step(a Answer) (Move, error) {
	var m confirmMemo
	if json.Unmarshal(a.Memo, &m) == nil && m.Confirm != nil {
		if a.Lost != "" {
			return Move{}, nil // there is nothing else to read
		}
		return x.check(a, m)
	}
	mv, err := x.inner.Step(a)
	if err != nil || a.Lost != "" || mv.Status.State != Succeeded {
		return mv, err
	}
	if x.target(&a) == "" {
		return Move{}, fmt.Errorf("%w: the token does not say which resource confirms the success", ErrNotApplicable)
	}
	return x.begin(a, mv), nil
}

// begin starts the check of a success.
func (x *confirm) begin(a Answer, mv Move) Move {
	p := &pending{}
	switch r := mv.Result; {
	case r.Err != nil:
		p.Err = clean(r.Err.Error())
	case r.URL != "":
		p.URL = newLink(r.URL).text
		if to, err := a.Resolve(r.URL); err == nil {
			p.URL = to
		}
	case len(r.Body) > maxPending && bytes.Equal(r.Body, a.Body) && (!a.First || readable(a.Method)):
		p.URL = a.URL // it can be read again
	default:
		p.Body, p.From, p.Part = r.Body, a.URL, !bytes.Equal(r.Body, a.Body)
	}
	st := mv.Status
	st.State, st.Unconfirmed = InProgress, true
	return Move{
		Status: st, Poll: x.target(&a), Inline: true, Now: x.delay == 0, Hold: x.delay, After: mv.After,
		Memo: marshalMemo(confirmMemo{p, mv.Memo}),
	}
}

// readable reports whether a GET of a first request's URL returns what the first
// response did.
func readable(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch || method == http.MethodGet
}

// check judges an answer of the probe.
func (x *confirm) check(a Answer, m confirmMemo) (Move, error) {
	said, err := x.read(a)
	if err != nil {
		return Move{}, err
	}
	p := m.Confirm
	enough := p.add(said.State, x.times)
	switch {
	case !enough:
		return Move{Status: a.Status, Inline: true, Memo: marshalMemo(m)}, nil
	case said.State != Succeeded:
		return Move{Status: said}, nil
	}
	mv := Move{Status: a.Status, Result: Result{URL: p.URL, Body: p.Body, From: p.From}}
	mv.Status.State, mv.Status.Unconfirmed = Succeeded, false
	switch {
	case p.Err != "":
		mv.Result.Err = errors.New(p.Err)
	case isResult(&a) && (p.URL == a.Poll || p.From == a.Poll && len(p.Body) > 0 && !p.Part):
		mv.Result.Body, mv.Result.From = a.Body, a.URL // the same document, read later
	}
	return mv, nil
}

// Cancel implements [Canceler].
func (x *confirm) Cancel(a Answer) (*Request, error) {
	var m confirmMemo
	if json.Unmarshal(a.Memo, &m) == nil && m.Confirm != nil {
		return nil, nil // it has succeeded
	}
	return x.cancel(a)
}

// marshalMemo encodes a memo of our own types. That fails only if the inner memo is not
// JSON, and the poller rejects the text returned then.
func marshalMemo(m any) json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage("not JSON")
	}
	return b
}
