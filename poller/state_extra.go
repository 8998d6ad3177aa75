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
