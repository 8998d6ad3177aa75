package poller

import (
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
	"github.com/lro-go/lro/transport"
)

const (
	graceTime  = 5 * time.Minute // a 404 is tolerated for at least this long (quirk W1)
	graceReads = 3               // a 404 is also tolerated for at least this many reads
	maxCount   = 1 << 30         // limits the counters, because a forged token may contain any number

	// maxWaiting limits how long the poller waits for a service that sends nothing but instructions
	// to wait.
	maxWaiting = 24 * time.Hour
)

// failures describes an unbroken run of reads, each of which failed or got an instruction to wait.
// Its durations add up the time that the poller spent on these reads and on the pauses between
// them. This may be less than the time that has passed, so that patience does not run out while the
// process is down or the machine is suspended.
type failures struct {
	Count    int  `json:"count,omitempty"`    // failed reads that count against Patience.Failures
	NotFound int  `json:"notFound,omitempty"` // reads that got a 404
	Other    int  `json:"other,omitempty"`    // reads that failed in another way, unless the strategy then chose another URL
	Waits    int  `json:"waits,omitempty"`    // reads that got an instruction to wait
	Told     bool `json:"told,omitempty"`     // whether the last read got an instruction to wait
	Spent    span `json:"spent,omitempty"`    // the time spent on all these reads and on the pauses between them
	Waited   span `json:"waited,omitempty"`   // the part of Spent that the service asked for
	Missing  span `json:"missing,omitempty"`  // the value of Spent at the first 404
	Heard    span `json:"heard,omitempty"`    // the value of Spent at the last response that was not an instruction to wait

	Lost lroerrors.Reason `json:"lost,omitempty"` // why the wait would have ended, had the strategy not chosen another URL; "" if this has not happened
}

// failures returns a copy of r.Failures, or the zero value if it is nil.
func (r *record) failures() failures {
	if r.Failures == nil {
		return failures{}
	}
	return *r.Failures
}

// An effort is the time spent on one read.
type effort struct {
	pause time.Duration // the actual pause before the read, capped at its scheduled length
	read  time.Duration
}

// spend returns the effort of a read that has just ended. Its start time has a monotonic clock
// reading, so the effort does not include time during which the machine was suspended.
func (r *record) spend(began time.Time) effort {
	end := time.Now()
	e := effort{min(max(began.Round(0).Sub(r.LastRead), 0), time.Duration(r.Pause)), end.Sub(began)}
	if r.Now > 0 || r.Failures == nil {
		e.pause = 0 // there was no scheduled pause, or it came before the run of failed reads
	}
	r.LastRead = end.Round(0)
	return e
}

// count adds to the run a read that got no status. If a Group gave up the read to make other reads,
// only its time is added; it is not counted as a failure.
func (r *record) count(s *sighting, led, counts bool, spent effort) {
	if isInstruction(s) {
		r.wait(spent)
		return
	}
	r.fail(s.err.StatusCode, led, counts && !errors.Is(s.err.Err, errGivenUp), spent)
}

// wait adds to the run a read that got an instruction to wait. Neither this read nor the pause
// before it uses up any of Patience.
func (r *record) wait(spent effort) {
	f := r.failures()
	if f.Waits == 0 {
		f.Heard = f.Spent
	}
	f.Spent, f.Waited = f.Spent+span(spent.pause+spent.read), f.Waited+span(spent.pause+spent.read)
	f.Waits, f.Told = min(f.Waits, maxCount)+1, true
	r.Failures = &f
}

// isInstruction reports whether a response only asks the client to wait (RFC 9110, section
// 15.6.4; RFC 6585, section 4).
func isInstruction(s *sighting) bool {
	_, asked := transport.RetryAfter(s.Header, time.Time{}) // only whether it asks matters here
	return s.err.StatusCode == http.StatusTooManyRequests || s.err.StatusCode == http.StatusServiceUnavailable && asked
}

// fail adds a failed read to the run. If the service asked for the pause before the read, the pause
// does not count against Patience.
func (r *record) fail(code int, led, counts bool, spent effort) {
	f := r.failures()
	if f.Spent += span(spent.pause + spent.read); f.Told {
		f.Waited += span(spent.pause)
	}
	if f.Told = false; code != 0 && f.Waits > 0 {
		f.Heard = f.Spent
	}
	if code == http.StatusNotFound {
		if f.NotFound == 0 {
			f.Missing = f.Spent
		}
		f.NotFound = min(f.NotFound, maxCount) + 1
	} else if !led {
		f.Other = min(f.Other, maxCount) + 1
	}
	if counts {
		f.Count = min(f.Count, maxCount) + 1
	}
	r.Failures = &f
}

// exhausted reports whether the run is longer than p allows, or the service has sent nothing but
// instructions to wait for longer than maxWaiting.
func (p Patience) exhausted(f failures) bool {
	return f.Count >= max(p.Failures, 1) && time.Duration(f.Spent-f.Waited) >= p.Time || f.Told && time.Duration(f.Spent-f.Heard) >= maxWaiting
}

// isNone reports whether p ends the wait at the first failed read.
func (p Patience) isNone() bool { return p.Time <= 0 && p.Failures <= 1 }

// outgraced reports whether the grace period for 404s is over. A service may be late to publish the
// status URL (quirk W1), but not that late.
func (f failures) outgraced() bool {
	return f.NotFound >= graceReads && time.Duration(f.Spent-f.Missing) >= graceTime
}

// failed counts a read that got no status, schedules the next read and decides whether the wait
// ends. Before the wait ends, failed asks the strategy for another URL to read. If there is one,
// the wait continues.
func (c *core) failed(r *record, s *sighting, spent effort) *trouble {
	t := &trouble{err: s.err}
	led := hasNext(&s.move)
	if !led && r.Failures == nil && !r.Else.IsZero() {
		return c.failedNextTo(r, s, t)
	}
	if code := s.err.StatusCode; led && s.move.Else != "" && r.failures().Lost == "" && (code == http.StatusNotFound || code == http.StatusGone) {
		r.Failures, spent = &failures{Lost: lroerrors.ReasonGone}, effort{}
	}
	r.count(s, led, !led || !s.move.Now || r.Now >= maxNow, spent)
	c.backOff(r, s.Header)
	if led {
		_ = r.redirect(&s.Answer, s.move)
	} else if r.Now = 0; !r.Else.IsZero() {
		r.Poll, r.Else = r.Else, r.Poll
	}
	patience := c.Patience
	if c.watched != nil && c.watched.impatient && s.Code == 0 {
		patience.Time = graceTime
	}
	final, exhausted := c.permanent(r, s), patience.exhausted(r.failures())
	switch {
	case errors.Is(s.err.Err, strategy.ErrNotApplicable):
		t.ended = lroerrors.ReasonUnfollowable
		return t
	case !led && final != "":
		t.ended, exhausted = final, false
	case exhausted:
		t.ended = r.exhaustedReason()
	case !led && s.err.StatusCode == http.StatusNotFound && r.failures().outgraced():
		t.ended = lroerrors.ReasonGone
	}
	if t.ended != "" && (!exhausted || !c.Patience.isNone()) && c.continued(r, s, t.ended) {
		t.ended = ""
	}
	return t
}

// failedNextTo handles a failed read of Poll if the last status came from Else. The failure does
// not count against Patience. The poller then reads Else, at the time that is already scheduled or
// later if the service asks for that. The wait ends only if the read was refused.
func (c *core) failedNextTo(r *record, s *sighting, t *trouble) *trouble {
	if c.permanent(r, s) == lroerrors.ReasonRefused {
		t.ended = lroerrors.ReasonRefused
	}
	r.Poll, r.Else, r.Monitor, r.Now = r.Else, "", "", 0
	if asked, ok := transport.RetryAfter(s.Header, r.LastRead); ok {
		if next := r.LastRead.Add(min(asked, c.Cadence.Max)); next.After(r.Next) {
			r.pauseUntil(next, true)
		}
	}
	return t
}

// exhaustedReason returns the reason to report if the wait ends because patience has run out. If
// the strategy chose another URL during this run, that is the reason with which the wait would have
// ended at that moment. If not, it is ReasonGone if every read got a 404, or if the grace period
// for 404s is over, and ReasonPatience otherwise.
func (r *record) exhaustedReason() lroerrors.Reason {
	f := r.failures()
	switch {
	case f.Lost != "":
		return f.Lost
	case f.NotFound > 0 && f.Other == 0 && f.Waits == 0, f.outgraced():
		return lroerrors.ReasonGone
	}
	return lroerrors.ReasonPatience
}

// continued asks the strategy for another URL to read, because the wait would end otherwise. It
// asks only once in a run of failed reads. It reports whether the strategy named a URL; if so,
// patience starts over.
func (c *core) continued(r *record, s *sighting, why lroerrors.Reason) bool {
	if r.failures().Lost != "" {
		return false
	}
	a := s.Answer
	a.Lost = why
	m, _ := c.step(a)
	if !hasNext(&m) {
		return false
	}
	r.Failures = &failures{Lost: why}
	c.backOff(r, nil)
	_ = r.redirect(&a, m)
	return true
}

// hasNext reports whether m says which URL to read next. This matters if Step also returned an
// error, or if Answer.Lost is set.
func hasNext(m *strategy.Move) bool { return m.Poll != "" || m.Else != "" || m.Now }

// permanent returns why the wait must end after a failed read, or "" if a retry may help.
func (c *core) permanent(r *record, s *sighting) lroerrors.Reason {
	switch code := s.err.StatusCode; {
	case code == http.StatusGone:
		return lroerrors.ReasonGone
	case code == http.StatusForbidden && r.Created && s.Poll == string(r.Target):
		return "" // the resource was just created (quirk W31)
	case code == http.StatusForbidden, s.whole && permanentCode(code), code == 0 && hopeless(s.err.Err):
		return lroerrors.ReasonRefused
	}
	return ""
}

// permanentCode reports whether a code is a 4xx that a retry is unlikely to change. 408 and 424 are
// transient (quirk W54). 403 and 404 are handled by the methods permanent and failed, and 429 by
// isInstruction.
func permanentCode(code int) bool {
	switch code {
	case http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout,
		http.StatusFailedDependency, http.StatusTooManyRequests:
		return false
	}
	return code >= 400 && code < 500
}

// hopeless reports whether a request that failed with err would fail again.
func hopeless(err error) bool {
	return errors.Is(err, lroerrors.ErrForeignOrigin) || errors.Is(err, lroerrors.ErrNoOperation) || exchange.Permanent(err)
}

// resultFailed counts a failed read of the result and schedules the next one. If patience has run
// out or a retry cannot help, the trouble that it returns contains a *ResultError, and the next
// call starts with a count of zero.
func (c *core) resultFailed(r *record, s *sighting, spent effort) *trouble {
	t := &trouble{err: s.err}
	r.count(s, false, true, spent)
	c.backOff(r, s.Header)
	r.Now, s.Poll = 0, string(r.Result.URL)
	if c.permanent(r, s) != "" || c.Patience.exhausted(r.failures()) {
		t.result = &lroerrors.ResultError{URL: r.Result.URL.String(), Err: s.err}
		r.enter(reading)
	}
	return t
}

// reasonNextTo returns err, the strategy's error for a response without a status. It returns nil if
// the error would add nothing to what the status code already says.
func reasonNextTo(code int, err error) error {
	if code >= 400 && errors.Is(err, strategy.ErrNoStatus) {
		return nil
	}
	return err
}

func asStatusError(method, rawURL string, err error) *lroerrors.StatusError {
	if se, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // a wrapped one describes another request
		return se
	}
	return &lroerrors.StatusError{Method: method, URL: redact.RawURL(rawURL), Err: err}
}
