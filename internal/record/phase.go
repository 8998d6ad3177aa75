package record

// A Phase says how far an operation has been followed, and thus what to read next. See the package
// comment.
type Phase uint8

// The phases of an operation.
const (
	Unfollowed    Phase = iota + 1 // accepted by the service, but impossible to follow with the caller's options
	Polling                        // in progress
	PendingResult                  // succeeded; the result is at a URL that has not been read
	Ended                          // succeeded with its result, failed, or canceled
)

var phases = [...]string{Unfollowed: "unfollowed", Polling: "polling", PendingResult: "reading", Ended: "ended"}

// String returns the name of the phase, as it appears in a token.
func (p Phase) String() string { return phases[p] }
