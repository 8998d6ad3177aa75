package record

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// A Record holds everything known about an operation, and its JSON is the resume token. A release
// ignores members that it does not know, so a later release may add members. To change the meaning
// of a member, a release must increase the token's version. A record contains only what a token may
// contain. In its URLs, the user-info is masked. Of the first request's headers, it keeps only
// those that every poll repeats.
//
// A method that changes a record replaces the values that fields point to, and never modifies them.
// A copy of a Record therefore stays valid.
type Record struct {
	// The small fields are next to each other to save memory. A group may hold 100,000 records.
	Phase           Phase `json:"phase"`
	Now             uint8 `json:"now,omitempty"`             // how many immediate reads in a row the strategy has requested
	Asked           bool  `json:"asked,omitempty"`           // whether the service asked for the current pause
	Held            bool  `json:"held,omitempty"`            // whether reads are forbidden until Pause is over
	Inline          bool  `json:"inline,omitempty"`          // whether the next response may contain the result
	Created         bool  `json:"created,omitempty"`         // whether the first response was a 201 to a PUT (quirk W31)
	Absent          bool  `json:"absent,omitempty"`          // whether the status URL belongs to a resource that may not exist yet
	Once            bool  `json:"once,omitempty"`            // whether, if the next read gets no status, the strategy decides how the operation ended
	InterpretResult bool  `json:"interpretResult,omitempty"` // whether the strategy must interpret the result

	Method string              `json:"method,omitempty"` // the method of the request that started the operation
	Target exchange.Link       `json:"target,omitzero"`  // the URL of that request
	Header exchange.Propagated `json:"header,omitzero"`  // the headers from that request that every poll repeats
	TokenOptions

	Poll    exchange.Link    `json:"poll,omitzero"`    // the URL to poll next
	Else    exchange.Link    `json:"else,omitzero"`    // if not empty, reads alternate between this URL and Poll
	Monitor exchange.Link    `json:"monitor,omitzero"` // the status URL; set only if Poll or Else is the URL of a check
	Memo    json.RawMessage  `json:"memo,omitempty"`   // the Memo that the strategy last returned
	Status  *strategy.Status `json:"status"`
	Result  *Result          `json:"result,omitempty"` // nil until the operation has succeeded
	First   *First           `json:"first,omitempty"`  // the first response; nil except in phase Unfollowed

	Began    time.Time `json:"began,omitzero"`       // when the operation started, if known
	LastRead time.Time `json:"lastRead"`             // when the last read ended; initially, when the first response arrived
	Pause    span      `json:"pause,omitempty"`      // how long after LastRead the next read is due, if Now is 0
	Pace     span      `json:"pace,omitempty"`       // the cadence's current pause, which grows from Cadence.First to Cadence.Default
	Given    *span     `json:"retryAfter,omitempty"` // the pause that the service last asked for, unchanged by failed reads and checks
	Failures *Failures `json:"failures,omitempty"`   // the current run of failed reads; nil if the last read got a status
}

// TokenOptions are the options stored in a token. They say how to interpret each response.
type TokenOptions struct {
	Via     strategy.FinalStateVia    `json:"finalStateVia,omitempty"`
	Pointer string                    `json:"resultPointer,omitempty"`
	Words   map[string]strategy.State `json:"words,omitempty"` // the keys are in lower case
}

// Override returns a copy of o in which the options that the caller has set replace the stored
// ones.
func (o TokenOptions) Override(callers TokenOptions) TokenOptions {
	o.Via = cmp.Or(callers.Via, o.Via)
	o.Pointer = cmp.Or(callers.Pointer, o.Pointer)
	if len(callers.Words) > 0 {
		o.Words = callers.Words
	}
	return o
}

// LowerWords returns a copy of words with keys in lower case and without surrounding spaces.
func LowerWords(words map[string]strategy.State) map[string]strategy.State {
	if len(words) == 0 {
		return nil
	}
	lower := make(map[string]strategy.State, len(words))
	for word, s := range words {
		lower[strings.ToLower(strings.TrimSpace(word))] = s
	}
	return lower
}

// A First is the response to the request that started an operation. If the options do not suffice
// to follow the operation, the token contains the First, so that Resume can try other options.
type First struct {
	URL    exchange.Link `json:"url,omitzero"`
	Code   int           `json:"code"`
	Header http.Header   `json:"header,omitempty"`
	Body   []byte        `json:"body,omitempty"`   // base64
	Broken bool          `json:"broken,omitempty"` // the body could not be read completely, or was too large to store

	Err  error         `json:"-"` // why the body is broken
	Sent exchange.Sent `json:"-"` // what package transport reported about the request
}

// A Move combines the Move and the Detour that a strategy returned.
type Move struct {
	strategy.Move
	strategy.Detour
}

// A Reading is the outcome of one read.
type Reading struct {
	strategy.Answer // the response as the strategy received it; Code is 0 if there was no response

	Move Move                   // what the strategy returned
	Err  *lroerrors.StatusError // why the read got no status or result; nil if it got one

	Authentic    bool      // the response is complete and does not look like a gateway's error page
	NotSucceeded bool      // the response was read as the result, but shows that the operation has not succeeded
	Turn         time.Time // when the throttle gate will let the request pass, if the gate held it back; otherwise zero
	Abandoned    bool      // a Group ended the read to free its connection for another read
}

// A Failure describes why the last read got no status or result. It no longer changes once Apply
// has returned or, if AskStrategy is set, once Replace has returned.
type Failure struct {
	Err    *lroerrors.StatusError
	Reason lroerrors.Reason // why the wait ends; "" if it continues or if Result is set
	Result error            // a *ResultError if the poller gives up reading the result

	// If AskStrategy is set, the caller must ask the strategy for another URL to read and pass the
	// answer to [Record.Replace]. If the answer names no URL, the wait ends with Reason.
	AskStrategy bool
	Once        bool // before Replace, the caller must pass the strategy's answer to [Record.Decide]
}

// Rules are the options that determine how a record changes.
type Rules struct {
	Cadence  Cadence
	Patience Patience
}

// Apply updates the record after a read that lasted from start to end. It returns nil if the read
// got a status or the result.
func (r *Record) Apply(read *Reading, start, end time.Time, rules *Rules) *Failure {
	due, wasAsked := r.Next(), r.Asked
	spent := r.spend(start, end)
	r.pauseUntil(due, wasAsked) // keep the time of the next read, unless a function below changes it
	if read.Err == nil {
		r.succeeded(read, rules)
		return nil
	}
	if r.Phase == PendingResult {
		return r.resultFailed(read, spent, rules)
	}
	if r.Once {
		return r.failOnce(read, spent, rules)
	}
	return r.statusFailed(read, spent, rules)
}

// succeeded applies a read that got a status or the result.
func (r *Record) succeeded(read *Reading, rules *Rules) {
	isResult := r.Phase == PendingResult && !read.NotSucceeded
	if isResult {
		r.applyResult(read.Body)
		return
	}
	_ = r.Adopt(&read.Answer, &read.Move, rules) // if the new URL cannot be resolved, the poller keeps the old one
}

// End records that the operation ended with the status s and has no result to read.
func (r *Record) End(s strategy.Status) {
	r.Status = &s
	r.Result = &Result{}
	r.enter(Ended)
}

// Adopt applies a strategy's Move for a response that reports a status. If Move.Poll cannot be
// resolved, Adopt returns an error and the poller keeps polling the same URL.
func (r *Record) Adopt(a *strategy.Answer, m *Move, rules *Rules) error {
	header := a.Header
	r.Absent = false
	if !m.FromCheck {
		r.Failures = nil
		r.Status = adoptStatus(&m.Status, a)
	} else if m.Poll != "" {
		header = nil // a Retry-After from this URL does not apply to the next URL
	}
	err := r.redirect(a, m)
	r.Result = nil
	if r.Status.State == strategy.Succeeded {
		r.Result = r.resultOf(a, &m.Result)
	}
	r.schedule(header, m.After, &m.Detour, &rules.Cadence)
	r.enter(phaseAfter(r.Status.State, r.Result))
	return err
}

// redirect makes the URLs in m the next ones to read. If m.Poll cannot be resolved, redirect
// returns the error and keeps r.Poll.
func (r *Record) redirect(a *strategy.Answer, m *Move) error {
	r.Inline = m.Inline
	r.Memo = m.Memo
	r.Once = m.Once
	r.InterpretResult = m.InterpretResult
	r.alternate(a, m.Else)
	to, err := r.resolve(a.URL, m.Poll)
	if err == nil {
		r.Poll = to
	}
	r.Now++
	if !m.Now || r.Now > maxNow {
		r.Now = 0
	}
	return err
}

// maxNow limits how many immediate reads in a row a strategy may ask for. See [strategy.Move].
const maxNow = 3

// alternate makes reads alternate between r.Poll and ref. If ref is empty or cannot be resolved,
// only r.Poll is read.
func (r *Record) alternate(a *strategy.Answer, ref string) {
	monitor := r.MonitorURL()
	var other exchange.Link
	if ref != "" {
		other, _ = r.resolve(a.URL, ref) // if ref cannot be resolved, other stays empty
	}
	if !other.IsZero() && r.Monitor.IsZero() {
		monitor = other
	}

	r.Else = other
	r.Monitor = ""
	if !other.IsZero() || r.Status.Unconfirmed {
		r.Monitor = monitor
	}
}

// resolve resolves ref, a URL in a response from base. If ref is empty, resolve returns r.Poll.
func (r *Record) resolve(base, ref string) (exchange.Link, error) {
	if ref == "" || ref == string(r.Poll) {
		return r.Poll, nil
	}
	return exchange.NewLink(base).Resolve(ref)
}

// MonitorURL returns the status URL, even if the poller reads a check next.
func (r *Record) MonitorURL() exchange.Link {
	if !r.Monitor.IsZero() {
		return r.Monitor
	}
	return r.Poll
}

// resultOf returns the result that a strategy found, with absolute URLs. A URL that cannot be
// resolved stays unchanged, and reading it reports the error.
func (r *Record) resultOf(a *strategy.Answer, found *strategy.Result) *Result {
	result := &Result{}
	if found.Err != nil {
		result.Err = new(redact.Cleaner).Text(found.Err.Error())
	}
	if len(found.Body) > 0 || found.URL == "" {
		result.Body = exact(found.Body)
		result.From = exchange.NewLink(cmp.Or(found.From, a.URL))
	}

	if found.URL == string(r.Target) {
		result.URL = r.Target
		return result
	}
	if found.URL == "" {
		return result
	}

	to, err := exchange.NewLink(a.URL).Resolve(found.URL)
	if err != nil {
		to = exchange.NewLink(found.URL)
	}
	result.URL = to
	return result
}

// adoptStatus returns a copy of s for a record, with long strings shortened and credentials masked.
func adoptStatus(s *strategy.Status, a *strategy.Answer) *strategy.Status {
	adopted := new(strategy.Status)
	copyStatus(adopted, s, new(redact.Cleaner))
	adopted.StatusCode = a.Code
	adopted.RequestID = exchange.RequestID(a.Header)
	adopted.CorrelationID = exchange.CorrelationID(a.Header)

	if adopted.ID != "" {
		i := strings.Index(a.Poll, adopted.ID)
		if i >= 0 { // the ID "should match" the status URL, so it can usually share the URL's memory
			adopted.ID = a.Poll[i:][:len(adopted.ID)]
		}
	}

	if !adopted.State.Terminal() {
		adopted.State = strategy.InProgress
	}
	adopted.NextPoll = time.Time{}
	adopted.ReadErr = nil
	if p := adopted.PercentComplete; p != nil && (math.IsNaN(*p) || math.IsInf(*p, 0)) {
		adopted.PercentComplete = nil // a token is JSON, which cannot represent NaN or infinity
	}
	return adopted
}

// CopyStatus returns a deep copy of a record's status.
func CopyStatus(s *strategy.Status) (st strategy.Status) {
	copyStatus(&st, s, unchanged)
	return st
}

// unchanged is a nil Cleaner, which changes nothing. It is for strings that are already clean.
var unchanged *redact.Cleaner

// copyStatus sets *clean to a deep copy of s, in which c has cleaned the strings.
func copyStatus(clean, s *strategy.Status, c *redact.Cleaner) {
	*clean = *s
	for _, text := range []*string{&clean.Word, &clean.ID, &clean.Name, &clean.RequestID, &clean.CorrelationID} {
		*text = c.Text(*text)
	}
	clean.Detail = exchange.CleanDetail(c, s.Detail)
	if s.PercentComplete != nil {
		clean.PercentComplete = new(*s.PercentComplete)
	}

	clean.Operations = slices.Clone(s.Operations)
	for i := range s.Operations {
		copyStatus(&clean.Operations[i], &s.Operations[i], c)
	}
}

// OperationError returns the error for an operation that failed or was canceled.
func (r *Record) OperationError() *lroerrors.OperationError {
	s := r.Status
	return &lroerrors.OperationError{
		URL:           r.Poll.String(),
		State:         s.State,
		Word:          s.Word,
		Detail:        exchange.CleanDetail(unchanged, s.Detail),
		StatusCode:    s.StatusCode,
		ID:            s.ID,
		Name:          s.Name,
		RequestID:     s.RequestID,
		CorrelationID: s.CorrelationID,
	}
}

// phaseAfter returns the phase of an operation with the given state and result.
func phaseAfter(s strategy.State, result *Result) Phase {
	if !s.Terminal() {
		return Polling
	}

	if s == strategy.Succeeded && result.isUnread() {
		return PendingResult
	}
	return Ended
}

// enter changes the phase. Unless the new phase is Polling, enter clears the fields that belong to
// the previous phase.
func (r *Record) enter(p Phase) {
	r.Phase = p
	if p == Polling {
		return
	}
	r.Failures = nil // failed reads of the result are counted from zero
	r.Now = 0
	r.Held = false
	r.Asked = false
	r.Absent = false
	r.Once = false
	r.Else = ""
	r.Monitor = ""
	r.First = nil
	r.Pause = 0 // the read of the result is due at once
}

// Done reports whether the operation has ended, even if its result is still unread.
func (r *Record) Done() bool { return r.Phase == PendingResult || r.Phase == Ended }

// Task returns the URL to read in the current phase, and whether the response may contain the
// result. A body with a result can be up to MaxResultBytes long.
func (r *Record) Task() (url exchange.Link, mayBeResult bool) {
	if r.Phase == PendingResult {
		return r.Result.URL, true
	}
	return r.Poll, r.Inline
}
