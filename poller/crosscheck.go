package poller

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
)

// A Check configures the read that [CrossCheck] makes when the status is lost or overdue.
// The zero Check reads the resource when the status is lost.
type Check struct {
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

	// After is how long the operation may run before it is overdue. From then on, the poller reads
	// the check after each status that shows the operation still in progress. Either the check
	// shows that the operation has ended, or it changes nothing (quirks W17, W18, W20 and W39). 0
	// or less means that the operation is never overdue.
	After time.Duration
}

// CrossCheck returns a strategy that follows an operation the way s does, and reads the check when
// the status is lost or overdue. A nil s means [ARM]. The status is lost if the wait would
// otherwise end for one of these reasons: the status is gone, reads of it have failed for longer
// than Patience, or the service refuses it with a 4xx other than 401 and 403 (quirks W19, W22 and
// W52). The status of a DELETE is also lost after a 410 and, once a status has been read, after a
// 404. Once the status is lost, the poller reads the check and the status in turn, with fresh
// patience, until one of them reports a status. If patience runs out again, the wait ends with the
// reason that made CrossCheck turn to the check.
//
// If it is the check that shows that the operation has ended, the resource is the result of a PUT
// or PATCH, and of a POST with FinalStateViaOriginalURI. Any other operation has no result in that
// case, because only the lost status could have named the URL of the result.
//
// [ARM] and the strategies of package ibmcloud wrap themselves in CrossCheck with the zero Check
// for DELETE: a deletion has succeeded when the resource is gone. This check does not consider a
// refused status lost. If you wrap one of these strategies in a CrossCheck of your own, yours takes
// precedence.
//
// You may add CrossCheck when you resume a token. If you remove it after it has stored something in
// the token, the wait ends as Unfollowable; to continue, resume that token with CrossCheck.
func CrossCheck(s Strategy, c Check) Strategy {
	x := &crossCheck{newProbe(s, c.URL, c.State, c.Times), max(c.After, 0), false}
	x.zero = c.URL == "" && c.State == nil && x.times == 1 && x.after == 0
	return x
}

// String describes a check without the query of its URL.
func (c Check) String() string {
	return fmt.Sprintf("{URL:%s State:%t Times:%d After:%s}", redact.RawURL(c.URL), c.State != nil, c.Times, c.After)
}

type crossCheck struct {
	probe
	after time.Duration
	zero  bool // whether this is the zero Check
}

var _ Canceler = (*crossCheck)(nil)

// A crossMemo is the memo of CrossCheck. It contains the memo of the inner strategy.
type crossMemo struct {
	Check *checking       `json:"crossCheck"` // nil if the inner strategy wrote the memo
	Inner json.RawMessage `json:"inner,omitempty"`
}

type checking struct {
	row
	Read   bool   `json:"read,omitempty"`   // whether a status has been read
	Status string `json:"status,omitempty"` // the URL of the status; set only while the poller also reads the check
	Lost   bool   `json:"lost,omitempty"`   // whether the status is lost
	Inline bool   `json:"inline,omitempty"` // whether the response with the status may contain the result
}

// Step implements [Strategy].
func (x *crossCheck) Step(a Answer) (Move, error) {
	var m crossMemo
	if json.Unmarshal(a.Memo, &m) != nil || m.Check == nil {
		m = crossMemo{&checking{}, a.Memo}
	}
	switch target := x.target(&a); {
	case a.Lost != "":
		return x.lost(&a, m, target), nil
	case a.First:
	case m.Check.Status != "" && a.Poll == target && !m.Check.both(target):
		return x.check(a, m)
	case x.isGone(&a, m.Check) && a.Poll == target: // the status and the check have the same URL
		m.Check.Lost, m.Check.Status = true, a.Poll
		return x.check(a, m)
	case x.isGone(&a, m.Check) && target != "":
		return x.turn(&a, m, target), ErrNoStatus
	}
	return x.follow(a, m)
}

// follow passes a response to the inner strategy.
func (x *crossCheck) follow(a Answer, m crossMemo) (Move, error) {
	inner := a
	inner.Memo = m.Inner
	mv, err := x.inner.Step(inner)
	target := x.target(&a)
	switch {
	case err != nil && m.Check.Lost && !errors.Is(err, ErrNotApplicable) && m.Check.both(target):
		return x.check(a, m)
	case err != nil && m.Check.Lost && !errors.Is(err, ErrNotApplicable):
		return x.turn(&a, m, target), err
	case err == nil && m.Check.both(target):
		m.Check.row = row{}
	}
	if mv.Memo != nil || err == nil {
		m.Inner = mv.Memo
	}
	if err != nil || mv.Status.State.Terminal() {
		if mv.leads() {
			mv.Memo = marshalMemo(m)
		}
		return mv, err
	}
	m.Check.Read, m.Check.Status, m.Check.Lost = m.Check.Read || !a.First, "", false
	if x.after > 0 && a.Age >= x.after && !a.First && !mv.Now && mv.Hold == 0 && target != "" {
		status := a.Poll
		if to, err := a.Resolve(mv.Poll); err == nil && to != "" {
			status = to
		}
		m.Check.Status, m.Check.Inline = status, mv.Inline
		mv.Poll, mv.Else, mv.Inline, mv.Now = target, status, true, true
	}
	mv.Memo = marshalMemo(m)
	return mv, nil
}

// isGone reports whether a response says that the status of a DELETE no longer exists.
func (x *crossCheck) isGone(a *Answer, c *checking) bool {
	if a.Method != http.MethodDelete {
		return false
	}
	return a.Code == http.StatusGone || a.Code == http.StatusNotFound && (c.Read || c.Lost)
}

// both reports whether the lost status and the check have the same URL. If so, the inner strategy
// interprets the document first.
func (c *checking) both(target string) bool { return c.Lost && c.Status == target }

// lost starts the check when the wait is about to end, unless the reason is a 401, a 403, or an
// error that a retry cannot fix.
func (x *crossCheck) lost(a *Answer, m crossMemo, target string) Move {
	refused := a.Lost == lroerrors.ReasonRefused
	switch {
	case m.Check.Lost || target == "":
		return Move{}
	case refused && (a.Code == 0 || a.Code == http.StatusUnauthorized || a.Code == http.StatusForbidden):
		return Move{}
	case refused && x.zero && a.Method == http.MethodDelete:
		return Move{}
	}
	return x.turn(a, m, target)
}

// turn returns the Move that reads the check next. If the status has just been lost, the check is
// read at once. After that, reads alternate between the check and the status.
func (x *crossCheck) turn(a *Answer, m crossMemo, target string) Move {
	now := !m.Check.Lost
	if m.Check.Lost = true; m.Check.Status == "" {
		m.Check.Status = a.Poll
	}
	return Move{Poll: target, Else: m.Check.Status, Inline: true, Now: now, Memo: marshalMemo(m)}
}

// check interprets a response to the probe.
func (x *crossCheck) check(a Answer, m crossMemo) (Move, error) {
	said, err := x.read(a)
	if err != nil {
		return Move{}, err
	}
	c := m.Check
	enough := c.add(said.State, x.times)
	status := c.Status
	switch {
	case enough:
		return x.end(&a, said), nil
	case !c.Lost: // the status is read on schedule
		c.Status = ""
		return Move{Status: a.Status, Poll: status, Inline: c.Inline, Memo: marshalMemo(m), Beside: true}, nil
	case said.State.Terminal(): // read the check again, after the usual pause between reads of a status
		return Move{Status: a.Status, Else: status, Inline: true, Memo: marshalMemo(m), Beside: true}, nil
	}
	why := errors.New("the status of the operation is gone, and the check does not report an end")
	if x.zero && a.Method == http.MethodDelete {
		why = errors.New("the status of the operation is gone, and the resource still exists")
	}
	return Move{Poll: status, Else: a.Poll, Inline: true, Memo: marshalMemo(m)}, why
}

// end returns the Move that ends the operation with the status that the check reported.
func (x *crossCheck) end(a *Answer, said Status) Move {
	mv := Move{Status: said}
	if said.State != Succeeded {
		return mv
	}
	if readable(a.Method) && a.Method != http.MethodGet || a.Method == http.MethodPost && a.FinalStateVia == FinalStateViaOriginalURI {
		mv.Result.URL = a.Target
		if a.Poll == a.Target && isResult(a) {
			mv.Result.Body = a.Body
		}
	}
	return mv
}

// Cancel implements [Canceler].
func (x *crossCheck) Cancel(a Answer) (*Request, error) {
	var m crossMemo
	if json.Unmarshal(a.Memo, &m) == nil && m.Check != nil {
		a.Memo = m.Inner
	}
	return x.cancel(a)
}

// A probe is the check that [Confirm] and [CrossCheck] add to a strategy: a read of another
// document, usually the resource.
type probe struct {
	inner Strategy
	url   string             // may be relative to the URL of the first request; "" means that URL itself
	state func(Answer) State // if nil, the provisioningState decides or, for a DELETE, whether the resource exists
	times int                // how many reads in a row must agree
}

func newProbe(s Strategy, url string, state func(Answer) State, times int) probe {
	if s == nil {
		s = ARM
	}
	return probe{s, url, state, max(times, 1)}
}

// Validate rejects a URL that cannot be parsed or has no host, and calls the Validate method of the
// inner strategy.
func (k probe) Validate() error {
	if _, err := (Answer{URL: "https://host/"}).Resolve(k.url); err != nil {
		return errors.New("lro: the URL of a Confirmation or Check cannot be parsed, or has no host")
	}
	return validate(k.inner)
}

// String names the inner strategy. It omits the URL, whose query may be secret.
func (k probe) String() string { return "a check around " + strategyName(k.inner) }

// cancel returns the cancel request of the inner strategy, or nil if that strategy cannot cancel
// operations.
func (k probe) cancel(a Answer) (*Request, error) {
	if c, ok := k.inner.(Canceler); ok {
		return c.Cancel(a)
	}
	return nil, nil
}

// target returns the absolute URL that the probe reads, or "" if that URL is unknown.
func (k probe) target(a *Answer) string {
	if k.url == "" {
		return a.Target
	}
	to, _ := Answer{URL: a.Target}.Resolve(k.url)
	return to
}

// read interprets a response to the probe. It returns an error if the response reports no status.
func (k probe) read(a Answer) (Status, error) {
	gone := a.Code == http.StatusNotFound || a.Code == http.StatusGone
	if !gone && (a.Code < 200 || a.Code > 299) {
		return Status{}, ErrNoStatus
	}
	switch {
	case k.state != nil:
		return k.ask(a)
	case a.Method == http.MethodDelete && gone:
		return Status{State: Succeeded}, nil
	case a.Method == http.MethodDelete, a.Code == http.StatusNotFound:
		return Status{State: InProgress}, nil
	}
	a.Memo, a.First = armMemo{Strategy: ProvisioningState}.text(), false
	m, err := bareARM(ProvisioningState).Step(a)
	return m.Status, err
}

// ask calls the caller's function. It rejects a body that may come from a gateway, because a
// function that waits for a member to disappear would mistake such a body for success.
func (k probe) ask(a Answer) (Status, error) {
	if a.Code >= 200 && a.Code <= 299 {
		switch empty := jsonread.IsEmpty(a.Body); {
		case empty && a.Code != http.StatusNoContent && a.Code != http.StatusAccepted:
			return Status{}, errors.New("the body is empty")
		case !empty && !json.Valid(a.Body):
			return Status{}, errNotJSON
		}
	}
	s := Status{State: k.state(a)}
	if s.State == Failed || s.State == Canceled {
		s.Error = a.Detail()
	}
	return s, nil
}

// isResult reports whether the response to a probe can be the result. A 404 cannot, even if the
// caller's function accepts it.
func isResult(a *Answer) bool {
	return a.Code != http.StatusAccepted && a.Code >= 200 && a.Code <= 299 && !jsonread.IsEmpty(a.Body) && json.Valid(a.Body)
}

// A row counts how many consecutive reads of a probe agree on an ending.
type row struct {
	Said  State `json:"said,omitempty"`
	Count int   `json:"count,omitempty"`
}

// add counts a read, and reports whether enough reads in a row agree.
func (r *row) add(s State, times int) bool {
	switch {
	case !s.Terminal():
		*r = row{}
		return false
	case s != r.Said:
		*r = row{Said: s}
	}
	if r.Count = min(r.Count, maxCount) + 1; r.Count < times {
		return false
	}
	*r = row{}
	return true
}
