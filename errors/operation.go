package errors

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lro-go/lro/internal/redact"
)

// OperationError reports that the operation failed or was canceled. This is final: waiting again
// returns the same error. errors.Is(err, [ErrCanceled]) is true only for a canceled operation.
type OperationError struct {
	Watched       string  // the name of a poller.Watch; otherwise ""
	URL           string  // the URL that was polled, without query and user-info; "" for a poller.Watch
	State         State   // Failed or Canceled
	Word          string  // the service's own word for the state
	Detail        *Detail // the service's reason; nil if it gave none
	Err           error   `json:"-"` // the reason that a poller.Watch's judge function returned; otherwise nil
	StatusCode    int     // HTTP status code of the response that reported the end; usually 200 for an operation resource
	ID, Name      string  // ID and name of the operation, if the service sent them
	RequestID     string  // x-ms-request-id of the response
	CorrelationID string  // x-ms-correlation-request-id of the response
}

// Error returns one line with the state, the reason and the request ID.
func (e *OperationError) Error() string {
	s := redact.Text(cmp.Or(e.Watched, "operation")) + " " + redact.Text(string(e.State))
	if e.Word != "" && !strings.EqualFold(e.Word, string(e.State)) {
		s += fmt.Sprintf(" (%q)", redact.Text(e.Word))
	}
	return prefixed(s + e.reasonText() + requestIDText(e.RequestID))
}

func (e *OperationError) reasonText() string {
	if e.Err != nil {
		return ": " + causeText(e.Err)
	}
	if !e.Detail.IsZero() {
		return ": " + e.Detail.Error()
	}
	if e.Watched != "" {
		return "" // a judge function need not give a reason
	}
	return ": the service gave no reason"
}

// Is reports whether target is [ErrCanceled] and the operation was canceled.
func (e *OperationError) Is(target error) bool {
	return target == ErrCanceled && e.State == "Canceled"
}

// Unwrap returns the Detail and Err, if present. It redacts Err as in [StatusError.Unwrap].
func (e *OperationError) Unwrap() []error { return join(e.Detail, e.Err) }
