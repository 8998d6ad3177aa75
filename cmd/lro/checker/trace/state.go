package trace

// A State is what one response says about an operation.
type State string

// The states that a response can report. All except Unknown and Foreign are defined by the
// specification.
const (
	Unknown      State = "" // the response says nothing about the operation
	InProgress   State = "in progress"
	HasSucceeded State = "succeeded"
	HasFailed    State = "failed"
	WasCanceled  State = "canceled"
	Foreign      State = "foreign word" // a word that means an end, such as "Completed", but that the specification does not define
)

// Terminal reports whether s is a terminal state of the specification. Foreign is not one.
func (s State) Terminal() bool { return s == HasSucceeded || s == HasFailed || s == WasCanceled }

// End returns the End that corresponds to s.
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

// A Watch is a place where the status of an operation can be read.
type Watch struct {
	Role   Role   // Status or Resource
	Source string // as in Exchange.Source
	URL    string
}
