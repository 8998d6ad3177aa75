package errors

import (
	"fmt"
	"strings"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// A Reason says why a wait ended before the operation did.
type Reason string

// These are the possible values of [WaitError.Reason].
const (
	ReasonDeadline     Reason = "Deadline"     // the context's deadline passed, or the next read is due after it
	ReasonCanceled     Reason = "Canceled"     // the context was canceled, not the operation
	ReasonPatience     Reason = "Patience"     // reads of the status failed for too long
	ReasonRefused      Reason = "Refused"      // the service refused a read of the status, and a retry would not help
	ReasonGone         Reason = "Gone"         // the status no longer exists, or the service hides it from this caller
	ReasonUnfollowable Reason = "Unfollowable" // the service accepted the operation, but the poller cannot follow it with these options
)

// WaitError reports that the wait stopped early. The operation may still be running, or only its
// result may be missing. Wait again, or store the token from [WaitError.ResumeToken] and continue
// in another process.
type WaitError struct {
	Reason  Reason        // why the wait stopped
	State   State         // the last known state: InProgress, or Succeeded if only the result is missing
	Word    string        // the service's own word for the state
	URL     string        // the URL being polled, without query and user-info; or the name of a poller.Watch
	LastErr *StatusError  `json:"-"` // why the last request failed; nil if it did not fail
	Err     error         `json:"-"` // the context's error and its cause, if the context ended the wait; otherwise nil
	Polls   int           // how many times this poller has read the status
	Elapsed time.Duration // the time since this poller was created

	Unconfirmed bool // the service reported success, but later reads, such as the checks of poller.Confirm, have not confirmed it

	NextPoll time.Time // when the next read is due
	Asked    bool      // the service requested the pause until NextPoll

	token func() (string, error) // nil if there is no token
}

// WithToken returns a copy of e whose ResumeToken method calls the given function. It is for
// pollers and for tests.
func (e *WaitError) WithToken(token func() (string, error)) *WaitError {
	with := *e
	with.token = token
	return &with
}

// ResumeToken returns a token for poller.Resume, with everything known about the operation when the
// wait ended. It returns an error if there is no operation to resume or if the token would be too
// large.
func (e *WaitError) ResumeToken() (string, error) {
	if e.token == nil {
		return "", fmt.Errorf("%w, so there is no resume token", ErrNoOperation)
	}
	return e.token()
}

// Error returns one line that says why the wait ended, with the last known state.
func (e *WaitError) Error() string {
	var b strings.Builder
	b.WriteString("stopped waiting")
	if e.URL != "" {
		fmt.Fprintf(&b, " for %s", subjectText(e.URL))
	}
	fmt.Fprintf(&b, " (%s): %s", redact.Text(string(e.Reason)), e.reasonText())
	if e.State != "" {
		fmt.Fprintf(&b, "; operation last known %s", redact.Text(string(e.State)))
	}
	if e.Word != "" && !strings.EqualFold(e.Word, string(e.State)) {
		fmt.Fprintf(&b, " (%q)", redact.Text(e.Word))
	}
	if e.Unconfirmed {
		b.WriteString(", reported success, not confirmed,")
	}
	fmt.Fprintf(&b, " after %s in %s", polls(e.Polls), e.Elapsed.Round(time.Millisecond))
	if e.LastErr != nil {
		fmt.Fprintf(&b, ": %s", causeText(e.lastErr()))
	}
	return prefixed(b.String())
}

// Is reports whether target is [ErrUnfollowable] and the Reason is ReasonUnfollowable.
func (e *WaitError) Is(target error) bool {
	return target == ErrUnfollowable && e.Reason == ReasonUnfollowable
}

// lastErr returns LastErr, without its URL if it equals e.URL, so that the text contains the URL
// only once.
func (e *WaitError) lastErr() error {
	if e.LastErr.URL != e.URL {
		return e.LastErr
	}
	bare := *e.LastErr
	bare.URL = ""
	return &bare
}

func polls(n int) string {
	if n == 1 {
		return "1 poll"
	}
	return fmt.Sprintf("%d polls", n)
}

func (e *WaitError) reasonText() string {
	switch e.Reason {
	case ReasonDeadline, ReasonCanceled:
		return e.contextText()
	case ReasonPatience:
		return "its status could not be read for too long"
	case ReasonRefused:
		return "a read of its status was refused"
	case ReasonGone:
		return "its status is gone: the operation has expired, or this identity cannot see it"
	case ReasonUnfollowable:
		return "the service accepted the operation, but these options cannot follow it"
	}
	return "no reason given"
}

// contextText returns text that says why the context ended and when the next read is due.
func (e *WaitError) contextText() string {
	s := "the context ended"
	if e.Err != nil {
		s = causeText(e.Err)
	}
	if e.NextPoll.IsZero() {
		return s
	}
	s += "; the next read is due at " + e.NextPoll.UTC().Format(time.RFC3339)
	if e.Asked {
		s += ", as the service asked"
	}
	return s
}

// Unwrap returns Err and LastErr, if present, redacted as in [StatusError.Unwrap]. errors.As does
// not find the *StatusError in LastErr. To get that *StatusError, use LastErr.
func (e *WaitError) Unwrap() []error {
	if e.LastErr == nil {
		return join(nil, e.Err)
	}
	return join(nil, e.Err, e.LastErr)
}
