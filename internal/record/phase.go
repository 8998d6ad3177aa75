package record

// A Phase says what is left to read for an operation. See the package comment.
type Phase uint8

// The phases of an operation.
const (
	Unfollowed    Phase = iota + 1 // accepted by the service, but impossible to follow with the caller's options
	Polling                        // in progress
	PendingResult                  // succeeded, but the result's URL has not been read yet
	Ended                          // succeeded with nothing left to read, failed, or canceled
)

var phases = [...]string{Unfollowed: "unfollowed", Polling: "polling", PendingResult: "reading", Ended: "ended"}

// String returns the phase's name as it appears in a token.
func (p Phase) String() string { return phases[p] }
