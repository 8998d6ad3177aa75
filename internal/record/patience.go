package record

import (
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	graceTime  = 5 * time.Minute // 404s must last this long before the status is treated as gone (quirk W1)
	graceReads = 3               // the minimum number of reads with a 404 in that time
	maxCount   = 1 << 30         // caps the counters, because a forged token may contain any number
)

// Patience sets how long the poller tolerates failed reads.
type Patience struct {
	Time     time.Duration
	Failures int

	// Throttled limits how long the poller keeps reading while the service sends only instructions
	// to wait.
	Throttled time.Duration

	// WithoutCode, if not 0, replaces Time after a failure without an HTTP status code.
	WithoutCode time.Duration
}

// Failures describes an unbroken run of reads that each failed or got an instruction to wait. Its
// durations include only these reads and the pauses between them. They exclude time during which
// the process was down or the machine was suspended.
type Failures struct {
	Count      int  `json:"count,omitempty"`      // failed reads that count against Patience.Failures
	NotFound   int  `json:"notFound,omitempty"`   // reads that got a 404
	Other      int  `json:"other,omitempty"`      // other failed reads, except those after which the strategy chose another URL
	Waits      int  `json:"waits,omitempty"`      // reads that got an instruction to wait
	Instructed bool `json:"instructed,omitempty"` // whether the last read got an instruction to wait or was held back by the throttle gate
	Spent      span `json:"spent,omitempty"`      // the time spent on the run's reads and on the pauses between them
	Waited     span `json:"waited,omitempty"`     // the part of Spent that does not count against Patience, because the service asked the poller to wait
	Missing    span `json:"missing,omitempty"`    // the value of Spent at the first 404
	Answered   span `json:"answered,omitempty"`   // the value of Spent at the last response other than an instruction to wait

	Lost lroerrors.Reason `json:"lost,omitempty"` // why the wait was about to end when the strategy chose another URL, or ""
}

// FailedReads returns a copy of r.Failures, or the zero value if it is nil.
func (r *Record) FailedReads() Failures {
	if r.Failures == nil {
		return Failures{}
	}
	return *r.Failures
}

// An effort is the time spent on a read and the pause before it.
type effort struct {
	pause time.Duration // the actual pause before the read, up to the scheduled one
	read  time.Duration
}

func (e effort) total() span { return span(e.pause + e.read) }

// spend returns the time spent on a read and the pause before it, and sets r.LastRead. start and
// end must have monotonic clock readings, which exclude a suspension of the machine.
func (r *Record) spend(start, end time.Time) effort {
	e := effort{read: end.Sub(start)}
	// Only a scheduled read has a pause before it. The pause before the first failed read is not
	// part of the run.
	wasScheduled := r.Now == 0 && r.Failures != nil
	if wasScheduled {
		actual := max(start.Round(0).Sub(r.LastRead), 0)
		e.pause = min(actual, time.Duration(r.Pause))
	}
	r.readAt(end.Round(0))
	return e
}

// statusFailed handles a read that got no status. It schedules the next read and decides whether
// the wait ends.
func (r *Record) statusFailed(read *Reading, spent effort, rules *Rules) *Failure {
	if hasNext(&read.Move) {
		return r.redirectFailed(read, spent, rules)
	}

	isRunning := r.Failures != nil
	if !isRunning && !r.Else.IsZero() {
		return r.alternateFailed(read, &rules.Cadence)
	}

	const isRedirected = false
	r.count(read, spent, isRedirected, true)
	r.backOff(read.Header, &rules.Cadence)
	r.Now = 0
	r.swap()
	return r.verdict(read, isRedirected, &rules.Patience)
}

// redirectFailed handles a failed read after which the strategy chose what to read next.
func (r *Record) redirectFailed(read *Reading, spent effort, rules *Rules) *Failure {
	if r.losesStatus(read) {
		r.Failures = &Failures{Lost: lroerrors.ReasonGone}
		spent = effort{}
	}

	const isRedirected = true
	isUncounted := read.Move.Now && r.Now < maxNow
	r.count(read, spent, isRedirected, !isUncounted)
	r.backOff(read.Header, &rules.Cadence)
	_ = r.redirect(&read.Answer, &read.Move) // if the new URL cannot be resolved, the poller keeps the old one
	return r.verdict(read, isRedirected, &rules.Patience)
}

// losesStatus reports whether the status URL returned a 404 or 410 and the strategy names a second
// URL. It returns true at most once in a run of failed reads.
func (r *Record) losesStatus(read *Reading) bool {
	if read.Move.Else == "" || !isMissing(read.Err.StatusCode) {
		return false
	}

	wasLost := r.FailedReads().Lost != ""
	return !wasLost
}

// hasNext reports whether m says what to read next.
func hasNext(m *Move) bool {
	if m.Now {
		return true
	}

	hasURL := m.Poll != "" || m.Else != ""
	return hasURL
}

// isMissing reports whether a status code means that nothing exists at the URL.
func isMissing(code int) bool {
	switch code {
	case http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// swap makes Else the next URL to read, if reads alternate between two URLs.
func (r *Record) swap() {
	if !r.Else.IsZero() {
		r.Poll, r.Else = r.Else, r.Poll
	}
}

// verdict decides whether the wait ends after a failed read of the status.
func (r *Record) verdict(read *Reading, isRedirected bool, p *Patience) *Failure {
	f := &Failure{Err: read.Err}
	if errors.Is(read.Err.Err, strategy.ErrNotApplicable) {
		f.Reason = lroerrors.ReasonUnfollowable
		return f
	}

	if !isRedirected {
		f.Reason = r.permanentReason(read)
	}
	isPermanent := f.Reason != ""
	isExhausted := !isPermanent && p.isExhausted(r.FailedReads(), read.Code)
	if isExhausted {
		f.Reason = r.exhaustedReason()
	}
	if f.Reason == "" && !isRedirected && r.isGone(read) {
		f.Reason = lroerrors.ReasonGone
	}

	if f.Reason == "" {
		return f
	}
	hasAsked := r.FailedReads().Lost != "" // the caller asks the strategy only once in a run of failed reads
	hasNoPatience := isExhausted && p.isNone()
	f.AskStrategy = !hasAsked && !hasNoPatience
	return f
}

// isGone reports whether the status URL still returns 404 after the grace period. It returns false
// for a resource that is being created, which may be absent for longer (resource provider API,
// "Creating a resource").
func (r *Record) isGone(read *Reading) bool {
	if r.Absent || read.Err.StatusCode != http.StatusNotFound {
		return false
	}

	return r.FailedReads().isGraceOver()
}

// Replace applies m, which the strategy returned because f.AskStrategy was set. The strategy
// received the Answer a. If m says what to read next, the wait continues and the failures so far no
// longer count. Otherwise, Replace changes nothing.
func (r *Record) Replace(a *strategy.Answer, m *Move, f *Failure, rules *Rules) {
	if !hasNext(m) {
		return
	}
	r.Failures = &Failures{Lost: f.Reason}
	r.backOff(nil, &rules.Cadence)
	_ = r.redirect(a, m) // if the new URL cannot be resolved, the poller keeps the old one
	f.Reason = ""
}

// alternateFailed handles a failed read of Poll after a successful read of Else. The failure does
// not count against Patience. If the service refused the read, the wait ends. Otherwise, only Else
// is read from now on.
func (r *Record) alternateFailed(read *Reading, c *Cadence) *Failure {
	f := &Failure{Err: read.Err}
	if r.permanentReason(read) == lroerrors.ReasonRefused {
		f.Reason = lroerrors.ReasonRefused
	}
	r.Poll = r.Else
	r.Else = ""
	r.Monitor = ""
	r.Now = 0
	asked, ok := exchange.RetryAfter(read.Header, r.LastRead)
	if !ok {
		return f
	}
	next := r.LastRead.Add(min(asked, c.Max))
	if next.After(r.Next()) {
		r.pauseUntil(next, true)
	}
	return f
}

// resultFailed counts a failed read of the result and schedules the next one. If patience has run
// out or a retry cannot help, it returns a Failure with a *ResultError and resets the failure
// count.
func (r *Record) resultFailed(read *Reading, spent effort, rules *Rules) *Failure {
	f := &Failure{Err: read.Err}
	r.count(read, spent, false, true)
	r.backOff(read.Header, &rules.Cadence)
	if r.permanentReason(read) != "" || rules.Patience.isExhausted(r.FailedReads(), read.Code) {
		f.Result = &lroerrors.ResultError{URL: r.Result.URL.String(), Err: read.Err}
		r.enter(PendingResult)
	}
	return f
}

// count adds a read that got no status to the current run of failed reads. It increases
// Failures.Count only if isCounted is true, and never for an instruction to wait or a read that a
// Group abandoned.
func (r *Record) count(read *Reading, spent effort, isRedirected, isCounted bool) {
	f := r.FailedReads()
	if isInstruction(read) {
		f.addInstruction(spent)
	} else {
		f.addFailure(read.Err.StatusCode, spent, isRedirected)
		if isCounted && !read.Abandoned {
			f.Count = increment(f.Count)
		}
	}
	r.Failures = &f
}

// isInstruction reports whether a response is an instruction to wait: a 429, or a 503 with a
// Retry-After (RFC 6585, section 4; RFC 9110, section 15.6.4).
func isInstruction(read *Reading) bool {
	switch read.Err.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		_, asked := exchange.RetryAfter(read.Header, time.Time{}) // the time is irrelevant, because the pause is not used
		return asked
	}
	return false
}

// addInstruction adds a read that got an instruction to wait. The read and the pause before it do
// not count against Patience.
func (f *Failures) addInstruction(spent effort) {
	if f.Waits == 0 {
		f.Answered = f.Spent
	}
	f.Spent += spent.total()
	f.Waited += spent.total()
	f.Waits = increment(f.Waits)
	f.Instructed = true
}

// addFailure adds a failed read. The pause before it does not count against Patience if the service
// asked for the pause. f.Other does not count a read after which the strategy chose another URL
// (isRedirected).
func (f *Failures) addFailure(code int, spent effort, isRedirected bool) {
	f.Spent += spent.total()
	if f.Instructed {
		f.Waited += span(spent.pause)
	}
	f.Instructed = false

	if code != 0 && f.Waits > 0 {
		f.Answered = f.Spent
	}

	if code == http.StatusNotFound {
		if f.NotFound == 0 {
			f.Missing = f.Spent
		}
		f.NotFound = increment(f.NotFound)
		return
	}

	if !isRedirected {
		f.Other = increment(f.Other)
	}
}

func increment(n int) int { return min(n, maxCount) + 1 }

// isExhausted reports whether the failed reads in f have used up p. This is the case if, for at
// least p.Throttled, the service has sent only instructions to wait, or if both the number of
// failed reads and the time spent on them have reached their limits. code is the status code of the
// last read, or 0.
func (p *Patience) isExhausted(f Failures, code int) bool {
	if f.Instructed && time.Duration(f.Spent-f.Answered) >= p.Throttled {
		return true
	}

	if f.Count < max(p.Failures, 1) {
		return false
	}

	limit := p.Time
	if code == 0 && p.WithoutCode > 0 {
		limit = p.WithoutCode
	}

	return time.Duration(f.Spent-f.Waited) >= limit
}

// isNone reports whether p tolerates no failed reads.
func (p *Patience) isNone() bool { return p.Time <= 0 && p.Failures <= 1 }

// isGraceOver reports whether the grace period for 404s is over. Until then, the status URL may not
// exist yet (quirk W1).
func (f Failures) isGraceOver() bool {
	return f.NotFound >= graceReads && time.Duration(f.Spent-f.Missing) >= graceTime
}

// exhaustedReason returns the reason for ending the wait when patience has run out.
func (r *Record) exhaustedReason() lroerrors.Reason {
	f := r.FailedReads()
	if f.Lost != "" {
		return f.Lost
	}

	hasOtherReads := f.Other > 0 || f.Waits > 0
	if f.NotFound > 0 && !hasOtherReads {
		return lroerrors.ReasonGone
	}
	if f.isGraceOver() {
		return lroerrors.ReasonGone
	}
	return lroerrors.ReasonPatience
}

// permanentReason returns why the wait must end after a failed read, or "" if a retry may help.
func (r *Record) permanentReason(read *Reading) lroerrors.Reason {
	var isRefused bool
	switch code := read.Err.StatusCode; code {
	case http.StatusGone:
		return lroerrors.ReasonGone
	case http.StatusForbidden:
		isNewResource := r.Created && read.Poll == string(r.Target) // quirk W31
		isRefused = !isNewResource
	case 0: // there was no response
		isRefused = isPermanentError(read.Err.Err)
	default:
		isRefused = read.Authentic && isPermanentCode(code)
	}

	if isRefused {
		return lroerrors.ReasonRefused
	}
	return ""
}

// isPermanentCode reports whether a code is a 4xx that a retry is unlikely to change. 408 and 424
// are transient (quirk W54), and 404 and 429 are handled elsewhere.
func isPermanentCode(code int) bool {
	switch code {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusFailedDependency, http.StatusTooManyRequests:
		return false
	}
	return code >= 400 && code < 500
}

// isPermanentError reports whether a request that failed with err would fail again.
func isPermanentError(err error) bool {
	if errors.Is(err, lroerrors.ErrForeignOrigin) || errors.Is(err, lroerrors.ErrNoOperation) {
		return true
	}
	return exchange.Permanent(err)
}
