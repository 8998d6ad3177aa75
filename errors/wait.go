package errors

import (
	"fmt"
	"strings"
	"time"
)

// A Reason says why a wait was given up.
type Reason string

// The reasons of a [*WaitError].
const (
	Deadline     Reason = "Deadline"     // the context's deadline passed, or the next read falls after it
	Canceled     Reason = "Canceled"     // the context was canceled; the operation was not
	Patience     Reason = "Patience"     // the status could not be read for too long
	Refused      Reason = "Refused"      // the status may not be read, and asking again will not change that
	Gone         Reason = "Gone"         // the service does not know the operation any more, or not for us
	Unfollowable Reason = "Unfollowable" // the service accepted the operation, but we cannot follow it
)

// A WaitError says that we stopped waiting. The operation goes on without us,
// or has already ended: ask again, or store [WaitError.ResumeToken] and go on
// in another process.
type WaitError struct {
	Reason  Reason
	State   string        // last known: "InProgress", or "Succeeded" when only the result was awaited
	Word    string        // the service's own word for it
	URL     string        // that is asked for the status, without query and user-info
	LastErr error         // of the last read, if it failed
	Err     error         // the context's error and its cause; nil for other reasons
	Polls   int           // answers read since this poller was made
	Elapsed time.Duration // since this poller was made

	Unconfirmed bool // the operation has told success, which poller's Options.Confirm has yet to confirm

	NextPoll time.Time // when the next read is due
	Asked    bool      // it was the service that asked for the pause until NextPoll

	// Token makes the text that [WaitError.ResumeToken] returns.
	Token func() (string, error) `json:"-"`
}

// ResumeToken returns a token of the operation as it stood when the wait ended,
// for poller.Resume. It fails where there is nothing to go on with, or where
// the token would be too large; the error says so.
func (e *WaitError) ResumeToken() (string, error) {
	if e.Token == nil {
		return "", fmt.Errorf("%w, so there is no token to go on with", ErrNoOperation)
	}
	return e.Token()
}

// Error says on one line why the wait ended and what was known then.
func (e *WaitError) Error() string {
	var b strings.Builder
	b.WriteString("stopped waiting")
	if e.URL != "" {
		fmt.Fprintf(&b, " for %s", bareURL(e.URL))
	}
	fmt.Fprintf(&b, " (%s): %s", oneLine(string(e.Reason)), e.why())
	if e.State != "" {
		fmt.Fprintf(&b, "; operation last known %s", oneLine(e.State))
	}
	if e.Word != "" && !strings.EqualFold(e.Word, e.State) {
		fmt.Fprintf(&b, " (%q)", oneLine(e.Word))
	}
	if e.Unconfirmed {
		b.WriteString(", told success, not confirmed,")
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
	case Deadline, Canceled:
		return e.contextText()
	case Patience:
		return "its status could not be read for too long"
	case Refused:
		return "its status may not be read"
	case Gone:
		return "its status is gone; an expired operation and a wrong identity look alike"
	case Unfollowable:
		return "the service accepted it, but it cannot be followed with these options"
	}
	return "no reason given"
}

// contextText says what ended the context and, where a pause did not fit into
// it, who asked for the pause.
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

// Unwrap returns the context's error with its cause, and the last error.
func (e *WaitError) Unwrap() []error { return join(nil, e.Err, e.LastErr) }
