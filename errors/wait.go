package errors

import (
	"fmt"
	"strings"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// Reason says why a wait ended before the operation did.
type Reason string

// These are the possible values of [WaitError.Reason].
const (
	ReasonDeadline     Reason = "Deadline"     // the context's deadline passed, or the next read is due after it
	ReasonCanceled     Reason = "Canceled"     // the context was canceled; the operation was not
	ReasonPatience     Reason = "Patience"     // the status could not be read for too long
	ReasonRefused      Reason = "Refused"      // the status may not be read, and a retry would not help
	ReasonGone         Reason = "Gone"         // the service no longer knows the operation, or hides it from this caller
	ReasonUnfollowable Reason = "Unfollowable" // the service accepted the operation, but these options cannot follow it
)

// WaitError reports that we stopped waiting. The operation may still be running or
// may have ended: wait again, or store [WaitError.ResumeToken] and continue in
// another process.
type WaitError struct {
	Reason  Reason
	State   string        // last known: "InProgress", or "Succeeded" if only the result was missing
	Word    string        // the service's own word for the state
	URL     string        // that is polled, without query and user-info; or the name of a poller.Watch
	LastErr error         `json:"-"` // why the last read failed; nil if it did not
	Err     error         `json:"-"` // the context's error and its cause; nil for other reasons
	Polls   int           // how many responses this poller has read
	Elapsed time.Duration // since this poller was created

	Unconfirmed bool // the service reported success, but the strategy Confirm of package poller has not confirmed it yet

	NextPoll time.Time // when the next read is due
	Asked    bool      // the service requested the pause until NextPoll

	token func() (string, error) // nil: there is no token
}

// WithToken returns a copy of e whose ResumeToken method calls token. It is for
// package poller and for tests.
func (e *WaitError) WithToken(token func() (string, error)) *WaitError {
	with := *e
	with.token = token
	return &with
}

// ResumeToken returns a token for poller.Resume, with everything that was known about
// the operation when the wait ended. It fails if there is no operation to resume or
// the token would be too large.
func (e *WaitError) ResumeToken() (string, error) {
	if e.token == nil {
		return "", fmt.Errorf("%w, so there is no token to resume from", ErrNoOperation)
	}
	return e.token()
}

// Error returns, on one line, why the wait ended and the last known state.
func (e *WaitError) Error() string {
	var b strings.Builder
	b.WriteString("stopped waiting")
	if e.URL != "" {
		fmt.Fprintf(&b, " for %s", subjectText(e.URL))
	}
	fmt.Fprintf(&b, " (%s): %s", redact.Text(string(e.Reason)), e.why())
	if e.State != "" {
		fmt.Fprintf(&b, "; operation last known %s", redact.Text(e.State))
	}
	if e.Word != "" && !strings.EqualFold(e.Word, e.State) {
		fmt.Fprintf(&b, " (%q)", redact.Text(e.Word))
	}
	if e.Unconfirmed {
		b.WriteString(", reported success, not confirmed,")
	}
	fmt.Fprintf(&b, " after %s in %s", polls(e.Polls), e.Elapsed.Round(time.Millisecond))
	if e.LastErr != nil {
		fmt.Fprintf(&b, ": %s", causeText(e.LastErr))
	}
	return prefixed(b.String())
}

func polls(n int) string {
	if n == 1 {
		return "1 poll"
	}
	return fmt.Sprintf("%d polls", n)
}

func (e *WaitError) why() string {
	switch e.Reason {
	case ReasonDeadline, ReasonCanceled:
		return e.contextText()
	case ReasonPatience:
		return "its status could not be read for too long"
	case ReasonRefused:
		return "its status may not be read"
	case ReasonGone:
		return "its status is gone; an expired operation and a wrong identity look alike"
	case ReasonUnfollowable:
		return "the service accepted it, but it cannot be followed with these options"
	}
	return "no reason given"
}

// contextText says why the context ended. If the next read would have been due after
// the deadline, it also says who requested that pause.
func (e *WaitError) contextText() string {
	s := "the context ended"
	if e.Err != nil {
		s = causeText(e.Err)
	}
	if e.NextPoll.IsZero() {
		return s
	}
	who := "the pace is ours"
	if e.Asked {
		who = "the service asked for this pause"
	}
	return fmt.Sprintf("%s; the next read is due at %s (%s)", s, e.NextPoll.UTC().Format(time.RFC3339), who)
}

// Unwrap returns Err and LastErr, if present, redacted as described at
// [StatusError.Unwrap].
func (e *WaitError) Unwrap() []error { return join(nil, e.Err, e.LastErr) }
