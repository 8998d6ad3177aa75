package errors

import (
	"fmt"
	"strings"

	"github.com/lro-go/lro/internal/redact"
)

// OperationError reports that the operation failed or was canceled. It is final:
// reading the status again gives the same error. errors.Is(err, [ErrCanceled]) is
// true only for a canceled operation.
type OperationError struct {
	State         string  // "Failed" or "Canceled"
	Word          string  // the service's own word for the state
	Detail        *Detail // the service's reason; nil if it gave none
	StatusCode    int     // of the response that reported the end; 200 for an operation resource
	ID, Name      string  // of the operation, if the service sent them
	RequestID     string  // x-ms-request-id of that response
	CorrelationID string  // x-ms-correlation-request-id of that response
}

// Error returns the ending and the service's own words on one line.
func (e *OperationError) Error() string {
	s := "operation " + redact.Text(e.State)
	if e.Word != "" && !strings.EqualFold(e.Word, e.State) {
		s += fmt.Sprintf(" (%q)", redact.Text(e.Word))
	}
	if !e.Detail.IsZero() {
		s += ": " + e.Detail.Error()
	} else {
		s += ": the service gave no reason"
	}
	return prefixed(s + requestIDText(e.RequestID))
}

// Is reports whether target is [ErrCanceled] and the operation was canceled.
func (e *OperationError) Is(target error) bool {
	return target == ErrCanceled && e.State == "Canceled"
}

// Unwrap returns the Detail, if there is one.
func (e *OperationError) Unwrap() []error { return join(e.Detail) }
