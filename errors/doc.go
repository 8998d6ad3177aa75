// Package errors declares what can go wrong with a long-running operation.
//
// A wait ends with either a result or exactly one outermost error. Check for them in
// this order, because each may wrap one of the later ones:
//
//   - [*OperationError]: the operation failed or was canceled. This is final.
//   - [*ResultError]: the operation succeeded, but its result could not be
//     read. Try again.
//   - [*WaitError]: we stopped waiting. The operation may still be running, and
//     [WaitError.ResumeToken] lets another process resume the wait.
//   - [*StatusError]: a request was rejected, its response was unusable, or no
//     response came.
//
// The service's own words are in a [*Detail], within an OperationError or a
// StatusError: code, message, target and nested errors.
//
// The package has the same name as the standard one, but shares no other name with
// it, so a file can use both:
//
//	import (
//		"errors"
//
//		lroerrors "github.com/lro-go/lro/errors"
//	)
//
//	if opErr, ok := errors.AsType[*lroerrors.OperationError](err); ok {
//		log.Print(opErr) // its Detail is nil if the service gave no reason
//	}
//
// Errors hold facts, never a request, a response or a credential. Their texts are one
// line long and contain no query string, user-info or bearer token. What the service
// wrote itself is cut to 1 kB, and credentials in it are masked as far as their form
// shows them, which is a best effort. Their methods are safe for concurrent use unless
// the caller changes a field.
package errors
