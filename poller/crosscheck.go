package poller

import (
	"context"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// crossCheck is what tells of an operation whose status does not; nil: nothing. That
// of a DELETE is its resource, if the caller names no other.
func (c *core) crossCheck(s *state) *Check {
	switch {
	case c.CrossCheck != nil:
		return c.CrossCheck
	case s.Method == http.MethodDelete:
		return deletion
	}
	return nil
}

// checkable reports whether the check can be made in place of the status.
func (c *core) checkable(s *state) bool {
	k := c.crossCheck(s)
	return k != nil && !s.Checking && !s.confirming() && s.checkURL(k) != ""
}

// gone reports whether a code says that the status of a DELETE is no more: the
// resource then tells whether the deletion has ended.
func (c *core) gone(s *state, code int) bool {
	if s.Method != http.MethodDelete || !c.checkable(s) {
		return false
	}
	return code == http.StatusGone || (code == http.StatusNotFound && s.Read)
}

// lost reports whether the caller's check is to be made, because the status will not
// be read any more: it is gone, patience is spent, or its URL makes no sense to the
// service (quirks W19, W22 and W52). Who may not read the one is not sent to the other.
func (c *core) lost(s *state, v verdict) bool {
	if c.CrossCheck == nil || !c.checkable(s) {
		return false
	}
	switch v.reason {
	case lroerrors.Gone, lroerrors.Patience:
		return true
	case lroerrors.Refused:
		code := v.err.StatusCode
		return code >= 400 && code != http.StatusUnauthorized && code != http.StatusForbidden
	}
	return false
}

// replace turns to the check in place of a status that was lost for a reason.
func (s *state) replace(reason lroerrors.Reason) verdict {
	x := s.extras()
	x.Unread = reason == lroerrors.Patience
	s.keep(x)
	s.Failing = nil
	return s.checkInstead()
}

// checkInstead turns to the check at once, where the status is lost.
func (s *state) checkInstead() verdict {
	s.Checking, s.Now = true, true
	return verdict{again: true}
}

// checked judges the answer to the check that is made in place of the status.
func (c *core) checked(s *state, ans wire.Answer) verdict {
	k := c.crossCheck(s)
	said, err := k.read(c.answer(s, ans, false))
	if err != nil {
		return c.failed(s, ans.Header, wire.Refusal(http.MethodGet, ans, toldNothing(ans.Code, err)), true)
	}
	switch enough := s.row(said.State, k.Times); {
	case enough:
		c.found(s, ans, said)
	case said.State.Terminal():
		c.schedule(s, ans.Header, 0) // the run of failures goes on until it is sure
	default:
		return c.notYet(s, ans)
	}
	return verdict{}
}

// notYet counts an answer that tells no end as a failure to read the status, so that
// patience bounds how long it is asked for.
func (c *core) notYet(s *state, ans wire.Answer) verdict {
	now := time.Now()
	s.addFailure(now, false)
	c.backOff(s, ans.Header, now)
	why := errors.New("the operation's status is gone, and the check in its place tells no end")
	if c.CrossCheck == nil {
		why = errors.New("the operation's status is gone, and the resource is still there")
	}
	v := verdict{err: wire.Refusal(http.MethodGet, ans, why)}
	if c.Patience.spent(s.failures(), now) {
		v.reason = s.spentChecking()
	}
	return v
}

// spentChecking is the reason when patience with the check, too, is spent. A status
// that was never answered is not gone: the network may be.
func (s *state) spentChecking() lroerrors.Reason {
	if s.extras().Unread {
		return lroerrors.Patience
	}
	return lroerrors.Gone
}

// found ends the operation as a check has told. The result of a PUT or PATCH is its
// resource; where that of others was went with the status.
func (c *core) found(s *state, ans wire.Answer, said Status) {
	mv, asked := s.ending(said), s.checkURL(c.crossCheck(s))
	via := s.via(c.FinalStateVia)
	if s.Method == http.MethodPut || s.Method == http.MethodPatch || (s.Method == http.MethodPost && via == FinalStateViaOriginalURI) {
		mv.Result.URL = s.Target
	}
	c.adopt(s, ans, mv)
	if s.End != nil && !s.confirming() { // until it is confirmed the document may change
		s.readAlready(asked, ans)
	}
}

// overdue reports whether the operation has gone on for so long that the check is
// made beside its status (quirks W17, W18, W20 and W39).
func (c *core) overdue(s *state) bool {
	if c.CrossCheck == nil || c.CrossCheck.After == 0 || s.Now || s.done() || s.repeating() {
		return false
	}
	return c.checkable(s) && s.LastRead.Sub(s.extras().Began) >= c.CrossCheck.After
}

// beside makes the check after an answer that told "in progress". It can end the
// operation: where it cannot be read, the status goes on to count, and the error is
// told beside it. Where it is refused for good, the option cannot work, and the wait
// ends to say so.
func (c *core) beside(ctx context.Context, s *state) verdict {
	k := c.CrossCheck
	url := s.checkURL(k)
	ans, err := c.get(ctx, s, url, c.resultLimit)
	if err != nil && ctx.Err() != nil {
		return verdict{} // the status has been read
	}
	whole := err == nil
	var said Status
	if whole {
		if said, err = k.read(c.answer(s, ans, false)); err != nil {
			err = wire.Refusal(http.MethodGet, ans, toldNothing(ans.Code, err))
		}
	}
	if err != nil {
		s.heed(ans.Header, c.Cadence.Max)
		v := verdict{err: asStatusError(http.MethodGet, url, err)}
		if reason := s.final(url, v.err, whole); reason == lroerrors.Refused {
			v.reason = reason
		}
		return v
	}
	if s.row(said.State, k.Times) {
		s.LastRead = time.Now() // what follows is counted from what told the end
		c.found(s, ans, said)
	}
	return verdict{}
}

// beginning is when an operation began that begins now; zero where that is of no
// interest.
func (c *core) beginning() time.Time {
	if c.CrossCheck == nil || c.CrossCheck.After == 0 {
		return time.Time{}
	}
	return time.Now()
}
