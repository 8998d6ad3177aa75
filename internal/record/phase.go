package record

import (
	"slices"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// A Phase says what is left to read of an operation; see the package comment.
type Phase uint8

// The phases of an operation.
const (
	Unfollowed    Phase = iota + 1 // the service accepted the operation, but these options cannot follow it
	Polling                        // in progress
	PendingResult                  // succeeded; the result is at a URL that has not been read
	Ended                          // succeeded with its result, failed, or canceled
)

var phases = [...]string{Unfollowed: "unfollowed", Polling: "polling", PendingResult: "reading", Ended: "ended"}

// String returns the name of the phase, as it appears in a token.
func (p Phase) String() string { return phases[p] }

// MarshalText implements [encoding.TextMarshaler].
func (p Phase) MarshalText() ([]byte, error) { return []byte(phases[p]), nil }

// UnmarshalText sets p to zero, which is not a phase, if the text is not the name of one.
func (p *Phase) UnmarshalText(b []byte) error {
	*p = Phase(max(slices.Index(phases[:], string(b)), 0))
	return nil
}

// A Reading is what one read found.
type Reading struct {
	strategy.Answer // the response as the strategy saw it; Code is 0 if there was no response

	Move strategy.Move          // what the strategy returned
	Err  *lroerrors.StatusError // why the read got no status or result; nil if it got one

	Authentic bool // the response is complete, and does not look like the page of a gateway
	Held      bool // the throttle gate of package transport held the request back
	Abandoned bool // a Group ended the read, because another read needed its connection
}

// A Failure describes why the last read got no status or result. It is immutable once Apply or
// Replace has returned.
type Failure struct {
	Err    *lroerrors.StatusError
	Reason lroerrors.Reason // why the wait is over; "" if reading continues
	Held   bool             // whether the throttle gate of package transport held the request back
	Result error            // a *ResultError if this was the last attempt to read the result

	// AskStrategy is set if the wait ends for Reason unless the strategy names another URL to read.
	// The caller must ask, and pass the answer to [Record.Replace].
	AskStrategy bool
}

// Rules are the options that decide how a record changes.
type Rules struct {
	Cadence  Cadence
	Patience Patience
}

// Apply changes the record according to a reading that was made between two times. It returns nil
// if the reading has a status or the result.
func (r *Record) Apply(read *Reading, start, end time.Time, rules *Rules) *Failure {
	spent := r.spend(start, end)
	if r.Phase == PendingResult {
		if read.Err != nil {
			return r.resultFailed(read, spent, rules)
		}
		r.applyResult(read.Body)
		return nil
	}

	if read.Err != nil {
		return r.statusFailed(read, spent, rules)
	}
	_ = r.Adopt(&read.Answer, &read.Move, rules) // a URL that cannot be resolved is not polled
	return nil
}

// applyResult stores the body of the result.
func (r *Record) applyResult(body []byte) {
	if body == nil {
		body = []byte{} // not nil, because the result has been read
	}
	r.Result = &Result{URL: r.Result.URL, Body: body}
	r.enter(phaseAfter(strategy.Succeeded, r.Result))
}

// phaseAfter returns the phase of an operation that has the given state and result. A record
// changes its phase only by calling enter.
func phaseAfter(s strategy.State, result *Result) Phase {
	if !s.Terminal() {
		return Polling
	}

	if s == strategy.Succeeded && result.isUnread() {
		return PendingResult
	}
	return Ended
}

// enter changes the phase and clears the fields that belong to the previous phase.
func (r *Record) enter(p Phase) {
	r.Phase = p
	if p == Polling {
		return
	}
	r.Failures = nil // in phase reading, the count of failed reads starts over
	r.Now = 0
	r.Held = false
	r.Asked = false
	r.Else = ""
	r.Monitor = ""
	r.First = nil
	r.Next = r.LastRead // the read of the result is due at once
	r.Pause = 0
}

// Done reports whether the operation has ended. Its result may still have to be read.
func (r *Record) Done() bool { return r.Phase == PendingResult || r.Phase == Ended }

// Task returns the URL that is read in the current phase, and whether the response may contain the
// result, so that MaxResultBytes limits it.
func (r *Record) Task() (url exchange.Link, mayBeResult bool) {
	if r.Phase == PendingResult {
		return r.Result.URL, true
	}
	return r.Poll, r.Inline
}
