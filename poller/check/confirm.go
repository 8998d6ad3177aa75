package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// Confirm returns a strategy that follows an operation as s does, but lets the operation succeed
// only when the check agrees. Use Confirm for services that report success too early (quirks W24 to
// W38). Until the check agrees, the operation is InProgress and Status.Unconfirmed is set. If the
// check reports Failed or Canceled, the operation ends in that state. The result is the one that s
// found.
//
// To combine Confirm with [CrossCheck], put Confirm outside: Confirm(CrossCheck(…), …). You may add
// Confirm when you resume a token. If you remove Confirm after s has reported success, the wait
// ends with the reason Unfollowable; to continue, resume the token with Confirm.
func Confirm(s strategy.Strategy, c Check) strategy.Strategy {
	return &confirm{newProbe(s, c), max(c.Delay, 0)}
}

type confirm struct {
	probe
	delay time.Duration
}

var (
	_ strategy.Wrapper  = (*confirm)(nil)
	_ strategy.Canceler = (*confirm)(nil)
)

// A confirmMemo holds the success that is being checked, and the inner strategy's memo.
type confirmMemo struct {
	Confirm *pending        `json:"confirm"` // nil if the inner strategy wrote the memo
	Inner   json.RawMessage `json:"inner,omitempty"`
}

// A pending is a success that is being checked, with its result or the result's URL.
type pending struct {
	agreement
	URL  string `json:"url,omitempty"`
	Body []byte `json:"body,omitempty"`
	From string `json:"from,omitempty"` // the URL that returned the body
	Part bool   `json:"part,omitempty"` // the body is only part of what the URL returned
	Err  string `json:"error,omitempty"`
}

// maxPending is the size, in bytes, above which a memo stores a result's URL instead of the result,
// if the result can be read again.
const maxPending = 16 << 10

// Step implements [strategy.Strategy].
func (x *confirm) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := x.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (x *confirm) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	mv, err := x.step(answer{a, in})
	return mv.Move, mv.Detour, err
}

func (x *confirm) step(a answer) (move, error) {
	m, isPending := readConfirmMemo(a.Memo)
	if isPending {
		if a.Lost != "" {
			return move{}, nil // the poller has no other URL to read
		}
		return x.check(a, m)
	}

	mv, err := x.next(a)
	if err != nil || a.Result {
		return mv, err
	}
	if mv.Status.State != strategy.Succeeded {
		return mv, nil
	}

	if x.target(&a) == "" {
		return move{}, fmt.Errorf("%w: the token does not name the resource that confirms the success", strategy.ErrNotApplicable)
	}
	return x.begin(a, mv), nil
}

// readConfirmMemo decodes a memo and reports whether a success is being checked.
func readConfirmMemo(memo json.RawMessage) (confirmMemo, bool) {
	var m confirmMemo
	err := json.Unmarshal(memo, &m)
	return m, err == nil && m.Confirm != nil
}

// begin returns the move that starts the check of a success. mv is the inner strategy's move.
func (x *confirm) begin(a answer, mv move) move {
	s := mv.Status
	s.State = strategy.InProgress
	s.Unconfirmed = true
	first := strategy.Move{
		Status: s,
		Poll:   x.target(&a),
		Inline: true,
		Now:    x.delay == 0,
		After:  mv.After,
		Memo:   marshalMemo(confirmMemo{pendingOf(&a, mv.Result), mv.Memo}),
	}
	return move{first, strategy.Detour{Hold: x.delay}}
}

// pendingOf returns r, the result of a success, in the form that a memo stores. a is the response
// that reported the success.
func pendingOf(a *answer, r strategy.Result) *pending {
	if r.Err != nil {
		return &pending{Err: new(redact.Cleaner).Text(r.Err.Error())}
	}

	if r.URL != "" {
		to, err := a.Resolve(r.URL)
		if err != nil {
			to = string(exchange.NewLink(r.URL)) // keep an invalid URL, so that the read of the result reports the error
		}
		return &pending{URL: to}
	}

	isWhole := bytes.Equal(r.Body, a.Body)
	isTooLarge := len(r.Body) > maxPending
	if isTooLarge && isWhole && canReadAgain(a) {
		return &pending{URL: a.URL}
	}
	return &pending{Body: r.Body, From: a.URL, Part: !isWhole}
}

// canReadAgain reports whether a GET of the response's URL returns the same document. After a first
// request such as a POST, the GET may return a different document.
func canReadAgain(a *answer) bool {
	if !a.First {
		return true
	}

	switch a.Method {
	case http.MethodPut, http.MethodPatch, http.MethodGet:
		return true
	}
	return false
}

// check interprets a response to the probe.
func (x *confirm) check(a answer, m confirmMemo) (move, error) {
	reported, err := x.read(a)
	if err != nil {
		return move{}, err
	}

	isAgreed := m.Confirm.add(reported.State, x.times)
	if !isAgreed {
		again := strategy.Move{
			Status: a.Status,
			Inline: true,
			Memo:   marshalMemo(m),
		}
		return move{Move: again}, nil
	}

	if reported.State != strategy.Succeeded {
		return move{Move: strategy.Move{Status: reported}}, nil
	}
	mv := move{Move: strategy.Move{Status: a.Status, Result: m.Confirm.result(&a)}}
	mv.Status.State = strategy.Succeeded
	mv.Status.Unconfirmed = false
	return mv, nil
}

// result returns the result of a confirmed success. If the response to the probe contains a newer
// version, result returns that version.
func (p *pending) result(a *answer) strategy.Result {
	r := strategy.Result{URL: p.URL, Body: p.Body, From: p.From}
	if p.Err != "" {
		r.Err = errors.New(p.Err)
		return r
	}

	if isResult(a) && p.cameFrom(a.Poll) {
		r.Body = a.Body
		r.From = a.URL
	}
	return r
}

// cameFrom reports whether the result is the whole document at url, not only a part of it.
func (p *pending) cameFrom(url string) bool {
	if p.URL == url {
		return true
	}

	isWhole := len(p.Body) > 0 && !p.Part
	return isWhole && p.From == url
}

// Cancel implements [strategy.Canceler].
func (x *confirm) Cancel(a strategy.Answer) (*strategy.Request, error) {
	_, isPending := readConfirmMemo(a.Memo)
	if isPending {
		return nil, nil // the operation has succeeded, so there is nothing to cancel
	}

	return x.cancel(a)
}
