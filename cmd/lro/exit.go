package main

import (
	"context"
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
)

// The exit codes. They tell how the operation stands, for scripts: after 4, 5
// and 7 there is something to go on with, after 6 there is nothing.
const (
	exitOK       = 0   // it succeeded, and the result is printed
	exitFailed   = 1   // the operation failed, for good
	exitUsage    = 2   // nothing was sent: a mistake in the arguments
	exitCanceled = 3   // the operation was canceled, which is what the verb cancel is for
	exitResult   = 4   // it succeeded, and its result could not be read: ask again
	exitStopped  = 5   // we stopped waiting: Ctrl-C, SIGTERM or --timeout
	exitRefused  = 6   // a request was refused or got no answer: nothing to follow
	exitLost     = 7   // accepted, and the status cannot be read, or not be followed with these flags
	exitNow      = 130 // a second Ctrl-C: the token may not have been written
)

// A usageError is a mistake in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode says what err means. The order of the cases matters: each error may
// hold one of those below it.
func exitCode(ctx context.Context, err error) int {
	var (
		usage     usageError
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, lroerrors.ErrCanceled):
		return exitCanceled
	case errors.As(err, &operation):
		return exitFailed
	case errors.As(err, &result):
		return exitResult
	case errors.As(err, &wait) && !stoppedByUs(wait):
		return exitLost
	case errors.As(err, &wait), ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return exitStopped
	}
	return exitRefused
}

// stoppedByUs reports whether it was the context that ended the wait.
func stoppedByUs(wait *lroerrors.WaitError) bool {
	return wait.Reason == lroerrors.ReasonCanceled || wait.Reason == lroerrors.ReasonDeadline
}
