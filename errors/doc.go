// Package errors declares the errors of long-running operations.
//
// A wait ends with either a result or an error. In that error, errors.As finds exactly one of these
// types, so callers can check for them in any order:
//
//   - [*OperationError]: the operation failed or was canceled. This is final.
//   - [*ResultError]: the operation succeeded, but its result could not be read. Read it again.
//   - [*WaitError]: the wait stopped. The operation may still be running, and
//     [WaitError.ResumeToken] lets another process resume the wait.
//   - [*StatusError]: a request was rejected, its response was unusable, or no response came.
//
// The *StatusError of the last failed request is in WaitError.LastErr or ResultError.Err. errors.As
// does not find that StatusError, but errors.Is finds the sentinel values in it.
//
// An OperationError or a StatusError contains the service's own error as a [*Detail]: code,
// message, target and nested errors. The page docs/errors.md of https://github.com/lro-go/lro
// explains how to handle each error.
//
// This package and the standard package errors have no exported names in common. Import this
// package as lroerrors, so that a file can use both:
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
// The errors never contain a request or a response. The text of each error is one line and contains
// no query strings, user-info or bearer tokens. Text from the service is cut to 1 kB, and text that
// looks like a credential is masked on a best-effort basis. The methods are safe for concurrent use
// unless the caller modifies a field.
package errors
