package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/poller/strategy"
)

// CrossCheck returns a strategy that follows an operation as s does, and also reads the check when
// the status is lost or overdue. A status is overdue if it still shows the operation in progress
// after Check.After.
//
// The status is lost if the wait would otherwise end because the status is gone, because reads of
// it have failed for longer than Patience, or because the service refuses a read with a 4xx other
// than 401 and 403 (quirks W19, W22 and W52). The status of a DELETE is also lost after a 410 and,
// once a status has been read, after a 404.
//
// Once the status is lost, Patience starts over, and the poller alternates between the check and
// the status until the status can be read again or the check shows how the operation ended. If
// Patience runs out again, the wait ends with the reason for which the status was lost. With the
// default Patience, this happens an hour after the first failed read instead of half an hour. If
// the last read was a read of the check, the error also contains the status code of the read after
// which the status was lost.
//
// If the check shows that the operation has succeeded, the resource is the result of a PUT or
// PATCH, and of a POST with FinalStateViaOriginalURI. Any other operation then has no result,
// because only the lost status could have named the result's URL.
//
// For a DELETE, the strategies of packages arm and ibmcloud wrap themselves in CrossCheck with the
// zero Check: the deletion has succeeded when the resource is gone. With this check, a refused read
// does not mean that the status is lost.
//
// The strategies of package arm also read the resource if the status is lost after a PUT that got a
// 201 with a provisioningState that is not terminal, or if the Location of a PUT or PATCH first
// returns 202 and later a document that shows the operation in progress. In both cases, only a
// terminal provisioningState ends the operation.
//
// If you wrap a strategy of package arm or ibmcloud in your own CrossCheck, yours takes precedence.
//
// You may add CrossCheck when you resume a token. If you remove it again after it has stored
// something in the token, the wait ends as Unfollowable until you resume with CrossCheck.
func CrossCheck(s strategy.Strategy, c Check) strategy.Strategy {
	x := &crossCheck{
		probe: newProbe(s, c),
		after: max(c.After, 0),
	}
	readsResource := c.URL == "" && c.State == nil
	x.isDefault = readsResource && x.times == 1 && x.after == 0
	return x
}

type crossCheck struct {
	probe
	after     time.Duration
	isDefault bool // whether the Check is equivalent to the zero Check
}

var (
	_ strategy.Wrapper  = (*crossCheck)(nil)
	_ strategy.Canceler = (*crossCheck)(nil)
)

// A crossMemo is the memo of CrossCheck. It contains the inner strategy's memo.
type crossMemo struct {
	Check *checking       `json:"crossCheck"` // nil if the inner strategy wrote the memo
	Inner json.RawMessage `json:"inner,omitempty"`
}

type checking struct {
	agreement
	Read   bool   `json:"read,omitempty"`   // whether a status has been read
	Status string `json:"status,omitempty"` // the status URL; set only while the poller also reads the check
	Lost   bool   `json:"lost,omitempty"`   // whether the status is lost
	Code   int    `json:"code,omitempty"`   // the status code of the read after which the status was lost; 0 if there was no response
	Inline bool   `json:"inline,omitempty"` // whether a response from the status URL may contain the result
}

// Step implements [strategy.Strategy].
func (x *crossCheck) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := x.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (x *crossCheck) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	mv, err := x.step(answer{a, in})
	return mv.Move, mv.Detour, err
}

func (x *crossCheck) step(a answer) (move, error) {
	m := readCrossMemo(a.Memo)
	target := x.target(&a)
	isForInner := a.First || a.Result || a.Once
	if isForInner {
		return x.follow(a, m)
	}
	if a.Lost != "" {
		return x.lost(&a, m, target), nil
	}

	isProbe := a.Poll == target
	isChecking := m.Check.Status != ""
	if isProbe && isChecking && !m.Check.sharesURL(target) {
		return x.check(a, m)
	}

	// From here on, the response is from the status URL.
	if !isGone(&a, m.Check) {
		return x.follow(a, m)
	}
	if isProbe { // the status and the check have the same URL, so this response serves both
		m.Check.lose(a.Code)
		m.Check.Status = a.Poll
		return x.check(a, m)
	}
	if target == "" {
		return x.follow(a, m)
	}
	return x.alternate(&a, m, target), strategy.ErrNoStatus
}

// readCrossMemo decodes a memo. A memo without the member crossCheck comes from the inner strategy.
func readCrossMemo(memo json.RawMessage) crossMemo {
	var m crossMemo
	err := json.Unmarshal(memo, &m)
	if err != nil || m.Check == nil {
		return crossMemo{&checking{}, memo}
	}
	return m
}

// isGone reports whether a response shows that a DELETE's status no longer exists.
func isGone(a *answer, c *checking) bool {
	if a.Method != http.MethodDelete {
		return false
	}

	switch a.Code {
	case http.StatusGone:
		return true
	case http.StatusNotFound:
		return c.Read || c.Lost
	}
	return false
}

// lose marks the status as lost, unless it already is. code is the status code of the last read, or
// 0 if there was no response.
func (c *checking) lose(code int) {
	if c.Lost {
		return
	}
	c.Lost = true
	c.Code = code
}

// sharesURL reports whether the status is lost and has the check's URL. If so, the inner strategy
// interprets each response first.
func (c *checking) sharesURL(target string) bool { return c.Lost && c.Status == target }

// follow passes a response to the inner strategy. If the operation is overdue, follow makes the
// poller read the check next.
func (x *crossCheck) follow(a answer, m crossMemo) (move, error) {
	memo := a.Memo
	a.Memo = m.Inner
	mv, err := x.next(a)
	a.Memo = memo
	if err != nil {
		return x.failed(a, m, mv, err)
	}

	m.Inner = mv.Memo
	target := x.target(&a)
	if m.Check.sharesURL(target) {
		m.Check.agreement = agreement{}
	}
	if mv.Status.State.Terminal() {
		if hasNext(&mv) {
			mv.Memo = marshalMemo(m)
		}
		return mv, nil
	}

	if !a.First {
		m.Check.Read = true
	}
	m.Check.Status = ""
	m.Check.Lost = false
	m.Check.Code = 0

	if target != "" && x.isOverdue(&a, &mv) {
		x.probeNext(&a, &mv, m.Check, target)
	}
	mv.Memo = marshalMemo(m)
	return mv, nil
}

// failed handles a response for which the inner strategy returned an error. If the status is lost
// or the error is document.ErrOverdue, the poller then alternates between the check and the status.
func (x *crossCheck) failed(a answer, m crossMemo, mv move, err error) (move, error) {
	target := x.target(&a)
	isOverdue := errors.Is(err, document.ErrOverdue) && target != ""
	if isOverdue && !m.Check.Lost {
		return x.alternate(&a, m, target), err
	}
	isOtherProtocol := errors.Is(err, strategy.ErrNotApplicable)
	if m.Check.Lost && !isOtherProtocol {
		if m.Check.sharesURL(target) {
			return x.check(a, m)
		}
		return x.alternate(&a, m, target), err
	}

	if mv.Memo != nil {
		m.Inner = mv.Memo
	}
	if hasNext(&mv) {
		mv.Memo = marshalMemo(m)
	}
	return mv, err
}

// hasNext reports whether a move says when or what to read next.
func hasNext(mv *move) bool {
	if mv.Now {
		return true
	}

	hasURL := mv.Poll != "" || mv.Else != ""
	return hasURL
}

// isOverdue reports whether the poller must read the check's URL next, because Check.After has
// passed. It returns false if the inner strategy says exactly when to read the status.
func (x *crossCheck) isOverdue(a *answer, mv *move) bool {
	if x.after == 0 || a.Age < x.after {
		return false
	}
	if a.First {
		return false
	}

	hasPriority := mv.Now || mv.Hold != 0 // the inner strategy says exactly when to read
	return !hasPriority
}

// probeNext changes a move so that the poller reads the check's URL at once and then the status
// again.
func (x *crossCheck) probeNext(a *answer, mv *move, c *checking, target string) {
	c.Status = a.Poll
	if to, err := a.Resolve(mv.Poll); err == nil && to != "" {
		c.Status = to
	}
	c.Inline = mv.Inline
	mv.Poll = target
	mv.Else = c.Status
	mv.Inline = true
	mv.Now = true
}

// lost makes the poller read the check when the wait would otherwise end. It returns an empty move
// if the check cannot help.
func (x *crossCheck) lost(a *answer, m crossMemo, target string) move {
	if m.Check.Lost || target == "" {
		return move{}
	}

	isRefused := a.Lost == lroerrors.ReasonRefused
	if isRefused && !x.checksRefused(a) {
		return move{}
	}

	return x.alternate(a, m, target)
}

// checksRefused reports whether to read the check after the service refused to return the status.
func (x *crossCheck) checksRefused(a *answer) bool {
	switch a.Code {
	case 0, http.StatusUnauthorized, http.StatusForbidden:
		return false
	}

	isDeleteRule := x.isDefault && a.Method == http.MethodDelete
	return !isDeleteRule
}

// alternate makes the poller read the check and the status in turn, the check first. If the status
// has just been lost, the poller reads the check right away.
func (x *crossCheck) alternate(a *answer, m crossMemo, target string) move {
	isNews := !m.Check.Lost
	m.Check.lose(a.Code)
	if m.Check.Status == "" {
		m.Check.Status = a.Poll
	}

	mv := strategy.Move{
		Poll:   target,
		Inline: true,
		Now:    isNews,
		Memo:   marshalMemo(m),
	}
	return move{mv, strategy.Detour{Else: m.Check.Status}}
}

// stillLost returns the error for a read of the check that does not show the operation's end. The
// error also describes the failed read of the status.
func (x *crossCheck) stillLost(a *answer, c *checking) error {
	failure := "no response"
	if c.Code != 0 {
		failure = fmt.Sprintf("%d %s", c.Code, http.StatusText(c.Code))
	}
	shown := "the check does not show an end"
	if x.url == "" {
		shown = "the resource does not show an end"
	}
	if x.isDefault && a.Method == http.MethodDelete {
		shown = "the resource still exists"
	}
	return fmt.Errorf("the status of the operation has been lost since a read got %s, and %s", failure, shown)
}

// check interprets a response to the probe.
func (x *crossCheck) check(a answer, m crossMemo) (move, error) {
	reported, err := x.read(a)
	if err != nil {
		return move{}, err
	}

	c := m.Check
	isAgreed := c.add(reported.State, x.times)
	if isAgreed {
		return x.end(&a, reported), nil
	}

	status := c.Status
	if !c.Lost { // the operation is only overdue, so read the status on schedule
		c.Status = ""
		overdue := strategy.Move{
			Status: a.Status,
			Poll:   status,
			Inline: c.Inline,
			Memo:   marshalMemo(m),
		}
		return move{overdue, strategy.Detour{FromCheck: true}}, nil
	}

	if reported.State.Terminal() { // too few reads agree (see Check.Times), so read the check again after the usual pause
		again := strategy.Move{
			Status: a.Status,
			Inline: true,
			Memo:   marshalMemo(m),
		}
		return move{again, strategy.Detour{Else: status, FromCheck: true}}, nil
	}

	lost := move{Detour: strategy.Detour{Else: a.Poll}}
	lost.Poll = status
	lost.Inline = true
	lost.Memo = marshalMemo(m)
	return lost, x.stillLost(&a, c)
}

// end returns the Move that ends the operation with the status from the check.
func (x *crossCheck) end(a *answer, reported strategy.Status) move {
	mv := move{Move: strategy.Move{Status: reported}}
	if reported.State != strategy.Succeeded || !resourceIsResult(a) {
		return mv
	}

	mv.Result.URL = a.Target
	isResource := a.Poll == a.Target
	if isResource && isResult(a) {
		mv.Result.Body = a.Body
	}
	return mv
}

// resourceIsResult reports whether the resource is the result of an operation whose success the
// check has shown.
func resourceIsResult(a *answer) bool {
	switch a.Method {
	case http.MethodPut, http.MethodPatch:
		return true
	case http.MethodPost:
		return a.FinalStateVia == strategy.FinalStateViaOriginalURI
	}
	return false
}

// Cancel implements [strategy.Canceler].
func (x *crossCheck) Cancel(a strategy.Answer) (*strategy.Request, error) {
	a.Memo = readCrossMemo(a.Memo).Inner
	return x.cancel(a)
}
