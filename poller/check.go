package poller

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/wire"
)

// A Check asks another document, as a rule the resource, what became of an
// operation: for Options.Confirm and Options.CrossCheck. The zero Check asks the
// resource, and is ready to use.
type Check struct {
	// URL is asked, by GET. It is relative to that of the first request, "" is that
	// one, and it leads to the same origin or to one of Options.Origins.
	URL string

	// State says what an answer means. It sees every complete answer that is 404,
	// 410, or 2xx with JSON (a 202 or 204 may have no body); any other is a failed
	// read, which changes nothing. It is a pure function, as [Strategy] has it, and
	// is used by many pollers at once.
	//
	// Nil is for a resource with a provisioningState: Succeeded without one, and
	// InProgress after 404. After a DELETE it is Succeeded by 404 and 410, and
	// InProgress by any 2xx.
	State func(Answer) State

	// Times is how many readings in a row have to say the same ending, whichever
	// that is, for replicas that do not agree (quirks W28 to W32 need 3 to 20). A
	// failed read does not break the row. 0 or less: 1.
	Times int

	// After is, of a Confirm, the pause before its first reading, for documents that
	// are stale at first (quirk W32: 10 minutes). No read comes earlier, not by Poll
	// and WakeUp either, and it is not cut to fit a deadline.
	//
	// Of a CrossCheck it is how long the operation may go on until every read of the
	// status that tells "in progress" is followed by one of the check, which ends the
	// operation or changes nothing; a check that is refused (4xx other than 404, 408,
	// 410, 424 and 429, or a foreign origin) ends the wait. 0 or less: no read of the
	// check before the status is lost.
	After time.Duration
}

// String describes a check without the query of its URL.
func (k Check) String() string {
	return fmt.Sprintf("{URL:%s State:%t Times:%d After:%s}", wire.Redacted(k.URL), k.State != nil, k.Times, k.After)
}

// withDefaults returns a copy of k that is ours; nil of nil.
func (k *Check) withDefaults() *Check {
	if k == nil {
		return nil
	}
	mine := *k
	mine.Times, mine.After = max(mine.Times, 1), max(mine.After, 0)
	return &mine
}

// valid reports what is wrong with the check that an option of a name holds.
func (k *Check) valid(name string) error {
	if k == nil || k.URL == "" {
		return nil
	}
	if _, _, err := wire.ParseURL(k.URL); err != nil {
		return fmt.Errorf("lro: %s.URL cannot be parsed", name)
	}
	return nil
}

// deletion is the check of a DELETE whose status is gone, where the caller names none.
var deletion = (&Check{}).withDefaults()

// read says what an answer means. An error means "this told nothing".
func (k *Check) read(a Answer) (Status, error) {
	gone := a.Code == http.StatusNotFound || a.Code == http.StatusGone
	if !gone && (a.Code < 200 || a.Code > 299) {
		return Status{}, ErrNoStatus
	}
	switch {
	case k.State != nil:
		return k.ask(a)
	case a.Method == http.MethodDelete && gone:
		return Status{State: Succeeded}, nil
	case a.Method == http.MethodDelete, a.Code == http.StatusNotFound:
		return Status{State: InProgress}, nil
	}
	mv, err := armMemo{Strategy: ProvisioningState}.stepResource(&a)
	return mv.Status, err
}

var errNoBody = errors.New("the body is empty")

// ask asks the caller's function, unless the answer is one that a gateway may have
// given: a function that looks for what must not be there would take it for ready.
func (k *Check) ask(a Answer) (Status, error) {
	if a.Code >= 200 && a.Code <= 299 {
		switch empty := wire.IsEmpty(a.Body); {
		case empty && a.Code != http.StatusNoContent && a.Code != http.StatusAccepted:
			return Status{}, errNoBody
		case !empty && !json.Valid(a.Body):
			return Status{}, errNotJSON
		}
	}
	s := Status{State: k.State(a)}
	if s.State == Failed || s.State == Canceled {
		s.Error = a.Detail()
	}
	return s, nil
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

// checkURL is where a check goes; "" where that cannot be told.
func (s *state) checkURL(k *Check) string {
	if k.URL == "" {
		return s.Target
	}
	u, _ := resolveRef(s.Target, k.URL) // what does not parse leads nowhere
	return u
}
