package trace

// A State is the state of an operation according to one response.
type State string

// The states that a response can report. All except Unknown and Foreign are defined by the
// specification.
const (
	Unknown      State = "" // the response does not report a state
	InProgress   State = "in progress"
	HasSucceeded State = "succeeded"
	HasFailed    State = "failed"
	WasCanceled  State = "canceled"
	Foreign      State = "foreign word" // a word for the end, such as "Completed", that the specification does not define
)

// Terminal reports whether s is a terminal state of the specification. Foreign is not one.
func (s State) Terminal() bool { return s == HasSucceeded || s == HasFailed || s == WasCanceled }

// End returns the End that corresponds to s, or Unfinished if s is not terminal.
func (s State) End() End {
	switch s {
	case HasSucceeded:
		return Succeeded
	case HasFailed:
		return Failed
	case WasCanceled:
		return Canceled
	}
	return Unfinished
}

// A Watch describes where to read the status of an operation.
type Watch struct {
	Role   Role   // Status or Resource
	Source string // as in Exchange.Source
	URL    string
}
