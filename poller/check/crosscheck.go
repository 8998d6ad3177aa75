package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// A Check configures the read that [CrossCheck] makes when the status is lost or overdue.
// The zero Check reads the resource when the status is lost.
type Check struct {
	// URL is read with GET. It may be relative to the URL of the first request; "" means that URL
	// itself. Its origin must be the first request's, or one of Options.Origins.
	URL string

	// State returns the meaning of a response. It receives each complete response that is a 404, a
	// 410, or a 2xx with JSON (a 202 or 204 may have no body); any other response is a failed read.
	// Like the Step method of a [strategy.Strategy], it must be a pure function.
	//
	// Nil means a function that reads the provisioningState of a resource. It returns Succeeded for
	// a resource without one, and InProgress for a 404. For a DELETE, it returns Succeeded for a
	// 404 or 410, and InProgress for any 2xx.
	State func(strategy.Answer) strategy.State

	// Times is how many reads in a row must agree on how the operation ended, in case replicas of
	// the service disagree (quirks W28 to W32 need 3 to 20). A failed read does not change the
	// count. 0 or less means 1.
	Times int

	// After is how long the operation may run before it is overdue. From then on, the poller reads
	// the check after each status that shows the operation still in progress. Either the check
	// shows that the operation has ended, or it changes nothing (quirks W17, W18, W20 and W39). 0
	// or less means that the operation is never overdue.
	After time.Duration
}

// CrossCheck returns a strategy that follows an operation the way s does, and reads the check when
// the status is lost or overdue. The status is lost if the wait would otherwise end for one of these
// reasons: the status is gone, reads of it have failed for longer than Patience, or the service
// refuses it with a 4xx other than 401 and 403 (quirks W19, W22 and W52). The status of a DELETE is
// also lost after a 410 and, once a status has been read, after a 404. Once the status is lost, the
// poller reads the check and the status in turn, with fresh patience, until one of them reports a
// status. If patience runs out again, the wait ends with the reason that made CrossCheck turn to the
// check.
//
// If it is the check that shows that the operation has ended, the resource is the result of a PUT
// or PATCH, and of a POST with FinalStateViaOriginalURI. Any other operation has no result in that
// case, because only the lost status could have named the URL of the result.
//
// The strategies of packages arm and ibmcloud wrap themselves in CrossCheck with the zero Check
// for DELETE: a deletion has succeeded when the resource is gone. This check does not consider a
// refused status lost. If you wrap one of these strategies in a CrossCheck of your own, yours takes
// precedence.
//
// You may add CrossCheck when you resume a token. If you remove it after it has stored something in
// the token, the wait ends as Unfollowable; to continue, resume that token with CrossCheck.
func CrossCheck(s strategy.Strategy, c Check) strategy.Strategy {
	x := &crossCheck{
		probe: newProbe(s, c.URL, c.State, c.Times),
		after: max(c.After, 0),
	}
	readsResource := c.URL == "" && c.State == nil
	x.isDefault = readsResource && x.times == 1 && x.after == 0
	return x
}

// String describes a check without the query of its URL.
func (c Check) String() string {
	return fmt.Sprintf("{URL:%s State:%t Times:%d After:%s}", redact.RawURL(c.URL), c.State != nil, c.Times, c.After)
}

type crossCheck struct {
	probe
	after     time.Duration
	isDefault bool // whether this is the zero Check
}

var _ strategy.Canceler = (*crossCheck)(nil)

// A crossMemo is the memo of CrossCheck. It contains the memo of the inner strategy.
type crossMemo struct {
	Check *checking       `json:"crossCheck"` // nil if the inner strategy wrote the memo
	Inner json.RawMessage `json:"inner,omitempty"`
}

type checking struct {
	agreement
	Read   bool   `json:"read,omitempty"`   // whether a status has been read
	Status string `json:"status,omitempty"` // the URL of the status; set only while the poller also reads the check
	Lost   bool   `json:"lost,omitempty"`   // whether the status is lost
	Inline bool   `json:"inline,omitempty"` // whether the response with the status may contain the result
}

// Step implements [strategy.Strategy].
func (x *crossCheck) Step(a strategy.Answer) (strategy.Move, error) {
	m := readCrossMemo(a.Memo)
	target := x.target(&a)
	if a.Lost != "" {
		return x.lost(&a, m, target), nil
	}
	if a.First {
		return x.follow(a, m)
	}

	isProbe := a.Poll == target
	isChecking := m.Check.Status != ""
	if isProbe && isChecking && !m.Check.sharesURL(target) {
		return x.check(a, m)
	}

	// The response is from the status URL.
	if !isGone(&a, m.Check) {
		return x.follow(a, m)
	}
	if isProbe { // the status and the check have the same URL
		m.Check.Lost = true
		m.Check.Status = a.Poll
		return x.check(a, m)
	}
	if target == "" {
		return x.follow(a, m)
	}
	return x.alternate(&a, m, target), strategy.ErrNoStatus
}

// readCrossMemo decodes a memo, which the inner strategy alone may have written.
func readCrossMemo(memo json.RawMessage) crossMemo {
	var m crossMemo
	err := json.Unmarshal(memo, &m)
	if err != nil || m.Check == nil {
		return crossMemo{&checking{}, memo}
	}
	return m
}

// isGone reports whether a response says that the status of a DELETE no longer exists.
func isGone(a *strategy.Answer, c *checking) bool {
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

// sharesURL reports whether the lost status and the check have the same URL. If so, the inner
// strategy interprets the document first.
func (c *checking) sharesURL(target string) bool { return c.Lost && c.Status == target }

// follow passes a response to the inner strategy.
func (x *crossCheck) follow(a strategy.Answer, m crossMemo) (strategy.Move, error) {
	memo := a.Memo
	a.Memo = m.Inner
	mv, err := x.inner.Step(a)
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

	if target != "" && x.isOverdue(&a, &mv) {
		x.probeNext(&a, &mv, m.Check, target)
	}
	mv.Memo = marshalMemo(m)
	return mv, nil
}

// failed handles a response in which the inner strategy found no status. While the status is lost,
// the check and the status are read in turn.
func (x *crossCheck) failed(a strategy.Answer, m crossMemo, mv strategy.Move, err error) (strategy.Move, error) {
	target := x.target(&a)
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

// hasNext reports whether a move says what to read next.
func hasNext(mv *strategy.Move) bool {
	if mv.Now {
		return true
	}

	hasURL := mv.Poll != "" || mv.Else != ""
	return hasURL
}

// isOverdue reports whether the operation has been in progress for so long that the check is read
// next.
func (x *crossCheck) isOverdue(a *strategy.Answer, mv *strategy.Move) bool {
	if x.after == 0 || a.Age < x.after {
		return false
	}
	if a.First {
		return false
	}

	hasPriority := mv.Now || mv.Hold != 0 // the inner strategy says exactly when to read
	return !hasPriority
}

// probeNext changes a move so that the check is read at once, and then the status again.
func (x *crossCheck) probeNext(a *strategy.Answer, mv *strategy.Move, c *checking, target string) {
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

// lost starts the check when the wait is about to end, unless the reason is a 401, a 403, or an
// error that a retry cannot fix.
func (x *crossCheck) lost(a *strategy.Answer, m crossMemo, target string) strategy.Move {
	if m.Check.Lost || target == "" {
		return strategy.Move{}
	}

	isRefused := a.Lost == lroerrors.ReasonRefused
	if isRefused && !x.checksRefused(a) {
		return strategy.Move{}
	}

	return x.alternate(a, m, target)
}

// checksRefused reports whether the check is read after the service refused the status.
func (x *crossCheck) checksRefused(a *strategy.Answer) bool {
	switch a.Code {
	case 0, http.StatusUnauthorized, http.StatusForbidden:
		return false
	}

	isDeleteRule := x.isDefault && a.Method == http.MethodDelete
	return !isDeleteRule
}

// alternate returns the Move that reads the check next. If the status has just been lost, the check
// is read at once. After that, reads alternate between the check and the status.
func (x *crossCheck) alternate(a *strategy.Answer, m crossMemo, target string) strategy.Move {
	isNews := !m.Check.Lost
	m.Check.Lost = true
	if m.Check.Status == "" {
		m.Check.Status = a.Poll
	}

	return strategy.Move{
		Poll:   target,
		Else:   m.Check.Status,
		Inline: true,
		Now:    isNews,
		Memo:   marshalMemo(m),
	}
}

var (
	errStillLost   = errors.New("the status of the operation is gone, and the check does not report an end")
	errStillExists = errors.New("the status of the operation is gone, and the resource still exists")
)

// check interprets a response to the probe.
func (x *crossCheck) check(a strategy.Answer, m crossMemo) (strategy.Move, error) {
	reported, err := x.read(a)
	if err != nil {
		return strategy.Move{}, err
	}

	c := m.Check
	isAgreed := c.add(reported.State, x.times)
	if isAgreed {
		return x.end(&a, reported), nil
	}

	status := c.Status
	if !c.Lost { // the status is read on schedule
		c.Status = ""
		overdue := strategy.Move{
			Status: a.Status,
			Poll:   status,
			Inline: c.Inline,
			Memo:   marshalMemo(m),
			Beside: true,
		}
		return overdue, nil
	}

	if reported.State.Terminal() { // read the check again, after the usual pause between reads of a status
		again := strategy.Move{
			Status: a.Status,
			Else:   status,
			Inline: true,
			Memo:   marshalMemo(m),
			Beside: true,
		}
		return again, nil
	}

	lost := strategy.Move{
		Poll:   status,
		Else:   a.Poll,
		Inline: true,
		Memo:   marshalMemo(m),
	}
	if x.isDefault && a.Method == http.MethodDelete {
		return lost, errStillExists
	}
	return lost, errStillLost
}

// end returns the Move that ends the operation with the status that the check reported.
func (x *crossCheck) end(a *strategy.Answer, reported strategy.Status) strategy.Move {
	mv := strategy.Move{Status: reported}
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

// resourceIsResult reports whether the resource is the result of an operation whose status is lost.
func resourceIsResult(a *strategy.Answer) bool {
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
