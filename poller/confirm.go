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

// A Confirmation configures the check of [Confirm]. The zero Confirmation reads the
// resource.
type Confirmation struct {
	// URL is read with GET. It may be relative to the URL of the first request; "" means that URL
	// itself. Its origin must be the first request's, or one of Options.Origins.
	URL string

	// State returns the meaning of a response. It receives each complete response that is a 404, a
	// 410, or a 2xx with JSON (a 202 or 204 may have no body); any other response is a failed read.
	// Like the Step method of a [Strategy], it must be a pure function.
	//
	// Nil means a function that reads the provisioningState of a resource. It returns Succeeded for
	// a resource without one, and InProgress for a 404. For a DELETE, it returns Succeeded for a
	// 404 or 410, and InProgress for any 2xx.
	State func(Answer) State

	// Times is how many reads in a row must agree on how the operation ended, in case replicas of
	// the service disagree (quirks W28 to W32 need 3 to 20). A failed read does not change the
	// count. 0 or less means 1.
	Times int

	// Delay is the pause before the first read, for documents that are stale at first
	// (quirk W32: 10 minutes). Neither Poll nor WakeUp reads earlier, and a deadline does
	// not shorten the pause. It is at most 24 hours.
	Delay time.Duration
}

// Confirm returns a strategy that follows an operation the way s does, but accepts a success only
// once the check agrees, for services that report success too early (quirks W24 to W38). A nil s
// means [ARM]. Until the check agrees, the operation is InProgress and Status.Unconfirmed is set.
// If the check reports Failed or Canceled, the operation ends in that state. The result is the one
// that s found.
//
// To combine it with [CrossCheck], put Confirm outside: Confirm(CrossCheck(…), …). You may add
// Confirm when you resume a token. If you remove it after s has reported a success, the wait ends
// as Unfollowable; to continue, resume that token with Confirm.
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

// A confirmMemo holds the success that is being checked, and the memo of the inner strategy. Until
// the inner strategy reports a success, the Move contains the inner memo itself.
type confirmMemo struct {
	Confirm *pending        `json:"confirm"` // nil if the inner strategy wrote the memo
	Inner   json.RawMessage `json:"inner,omitempty"`
}

// pending is a success that is being checked, with its result or the URL of the result.
type pending struct {
	row
	URL  string `json:"url,omitempty"`
	Body []byte `json:"body,omitempty"`
	From string `json:"from,omitempty"` // the URL that returned the body
	Part bool   `json:"part,omitempty"` // the body is only a part of what the URL returned
	Err  string `json:"error,omitempty"`
}

// maxPending is the size of the largest result that a memo keeps.
const maxPending = 16 << 10

// Step implements [Strategy].
func (x *confirm) Step(a Answer) (Move, error) {
	var m confirmMemo
	if json.Unmarshal(a.Memo, &m) == nil && m.Confirm != nil {
		if a.Lost != "" {
			return Move{}, nil // there is no other URL to read
		}
		return x.check(a, m)
	}
	mv, err := x.inner.Step(a)
	if err != nil || a.Lost != "" || mv.Status.State != Succeeded {
		return mv, err
	}
	if x.target(&a) == "" {
		return Move{}, fmt.Errorf("%w: the token does not name the resource that confirms the success", ErrNotApplicable)
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
		p.URL = string(newLink(r.URL))
		if to, err := a.Resolve(r.URL); err == nil {
			p.URL = to
		}
	case len(r.Body) > maxPending && bytes.Equal(r.Body, a.Body) && (!a.First || readable(a.Method)):
		p.URL = a.URL // the result is too large for the memo, but can be read again
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

// readable reports whether a GET of the first request's URL returns the same document as the
// first response.
func readable(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch || method == http.MethodGet
}

// check interprets a response to the probe.
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
		mv.Result.Body, mv.Result.From = a.Body, a.URL // the check has just read a newer version of the result
	}
	return mv, nil
}

// Cancel implements [Canceler].
func (x *confirm) Cancel(a Answer) (*Request, error) {
	var m confirmMemo
	if json.Unmarshal(a.Memo, &m) == nil && m.Confirm != nil {
		return nil, nil // the operation has succeeded, so there is nothing to cancel
	}
	return x.cancel(a)
}

// marshalMemo encodes a confirmMemo or a crossMemo. The encoding fails only if the inner memo is
// not JSON; the poller then rejects the invalid JSON that marshalMemo returns.
func marshalMemo(m any) json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage("not JSON")
	}
	return b
}
