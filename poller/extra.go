package poller

import (
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// extra is what the state of an operation holds for Options.Confirm, CrossCheck
// and Repeat. It is not changed in place, and nil where there is nothing to hold.
type extra struct {
	Said  State // what the last readings of a check said, one like the other; "" that it goes on
	Count int   // of these readings

	Unread bool // the check is asked because the status could not be read, not because it is gone

	Began time.Time // the operation; zero where CrossCheck.After is not set

	Used    int                    // how often the first request has been sent again
	Ended   State                  // how the operation ended that is to be begun again; "" none is
	Refused *lroerrors.StatusError // the request when it was sent again last

	Canceled bool // the service has accepted a cancel: nothing is begun again

	request *http.Request // that of Begin, to be sent again; nil: none is at hand
}

// extras returns what is held, for a change that keep stores.
func (s *state) extras() extra {
	if s.extra == nil {
		return extra{}
	}
	return *s.extra
}

func (s *state) keep(x extra) {
	s.extra = nil
	if x != (extra{}) {
		s.extra = new(x)
	}
}

// confirming reports whether the operation has told success, and Options.Confirm
// is asked about it.
func (s *state) confirming() bool { return s.End != nil && !s.done() }

// repeating reports whether the operation has ended badly, and is to be begun again.
func (s *state) repeating() bool { return s.extra != nil && s.Ended != "" && !s.done() }

// spare lets go of the request of an operation that will not be begun again.
func (s *state) spare() {
	if x := s.extras(); s.done() && x.request != nil {
		x.request = nil
		s.keep(x)
	}
}

// row counts a reading of a check. It reports whether as many in a row as times say
// the same ending.
func (s *state) row(said State, times int) bool {
	x := s.extras()
	if said != x.Said || !said.Terminal() {
		x.Said, x.Count = "", 0
	}
	enough := false
	if said.Terminal() {
		x.Said, x.Count = said, min(x.Count, maxFailures)+1 // saturate: a token may bring any count
		enough = x.Count >= times
	}
	if enough {
		x.Said, x.Count = "", 0
	}
	s.keep(x)
	return enough
}

// early reports whether the next read may not be made yet, however it is asked for:
// a pause of Confirm.After or Repeat.Every lasts.
func (s *state) early() bool { return s.Held && time.Now().Before(s.Next) }

// firm reports whether the pause before the next read is not to be cut to fit a
// deadline: somebody asked for it.
func (s *state) firm() bool { return s.Asked || s.Held }

// hold lets no read come before a pause since the last one is over.
func (s *state) hold(pause time.Duration, asked bool) {
	s.Next, s.Held, s.Asked, s.Now = s.LastRead.Add(pause), pause > 0, asked, false
}

// reconsider lets the options have their say when an answer has told an end.
func (c *core) reconsider(s *state, h http.Header) {
	switch s.Status.State {
	case Succeeded:
		if c.Confirm != nil {
			c.putOff(s)
		}
	case Failed, Canceled:
		if c.Repeat != nil {
			c.repeatLater(s, h)
		}
	}
}

// retold makes a state that a token brought one that these options can follow. What
// was told counts where there is no option to doubt it.
func (c *core) retold() {
	s, now := &c.s, time.Now()
	x := s.extras()
	if s.confirming() && c.Confirm == nil {
		s.Status.State = Succeeded
		s.Failing, s.Asked, s.Next = nil, false, s.LastRead
	}
	if s.repeating() && (c.Repeat == nil || c.Repeat.Request == nil) {
		s.giveUp(x.Refused)
	}
	s.Checking = s.Checking && c.crossCheck(s) != nil
	s.Held = s.Held && (s.confirming() || s.repeating())
	x = s.extras()
	if !s.confirming() && !s.Checking && c.CrossCheck == nil {
		x.Said, x.Count = "", 0
	}
	x.Unread = x.Unread && s.Checking
	x.Began = earlier(x.Began, now)
	if x.Began.IsZero() && !s.done() {
		x.Began = c.beginning()
	}
	s.keep(x)
}
