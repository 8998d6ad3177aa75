package errors

import (
	"fmt"
	"strings"
)

// An OperationError says that the operation ended, and not well. It is final:
// asking again gives the same error. errors.Is(err, [ErrCanceled]) tells a
// canceled operation from a failed one.
type OperationError struct {
	State         string  // "Failed" or "Canceled"
	Word          string  // the service's own word for it
	Detail        *Detail // the service's reason; nil where it gave none
	StatusCode    int     // of the answer that told the end; 200 on an operation resource
	ID, Name      string  // of the operation, where the service told them
	RequestID     string  // x-ms-request-id of that answer
	CorrelationID string  // x-ms-correlation-request-id of that answer
	Err           error   // why it was not begun again (poller's Options.Repeat); nil where that was not tried
}

// Error tells the ending and the service's own words on one line.
func (e *OperationError) Error() string {
	s := "operation " + oneLine(e.State)
	if e.Word != "" && !strings.EqualFold(e.Word, e.State) {
		s += fmt.Sprintf(" (%q)", oneLine(e.Word))
	}
	if e.Detail != nil && !e.Detail.IsZero() {
		s += ": " + e.Detail.Error()
	} else {
		s += ": the service gave no reason"
	}
	s += requestIDText(e.RequestID)
	if e.Err != nil {
		s += "; not begun again: " + causeText(e.Err)
	}
	return prefixed(s)
}

// Is reports whether target is [ErrCanceled] and the operation was canceled.
func (e *OperationError) Is(target error) bool {
	return target == ErrCanceled && e.State == "Canceled"
}

// Unwrap returns the service's error, if it gave one, and why the operation was
// not begun again.
func (e *OperationError) Unwrap() []error { return join(e.Detail, e.Err) }
