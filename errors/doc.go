// Package errors declares what can go wrong with a long-running operation.
//
// A wait ends in a result or in exactly one outermost error. Ask for it in
// this order, because each may hold one of the later ones:
//
//   - [*OperationError]: the operation ended Failed or Canceled. Final.
//   - [*ResultError]: the operation succeeded, but its result could not be
//     read. Ask again.
//   - [*WaitError]: we stopped waiting. The operation may still run, and
//     [WaitError.ResumeToken] takes it up again.
//   - [*StatusError]: a request was refused, its answer told nothing, or none
//     came.
//
// What the service itself said is a [*Detail], within an OperationError or a
// StatusError: code, message, target, and further errors below it.
//
// The package has the name of the standard one, and no name in common with it,
// so that a file can use both:
//
//	import (
//		"errors"
//
//		lroerrors "github.com/lro-go/lro/errors"
//	)
//
//	if opErr, ok := errors.AsType[*lroerrors.OperationError](err); ok {
//		log.Print(opErr) // its Detail is nil where the service gave no reason
//	}
//
// Errors hold facts, never a request, a response or a credential. Their texts
// are one line and show no query string, user-info or bearer token, also where
// a service repeats one in its message. They are safe for use by several
// goroutines as long as nobody changes their fields.
package errors
