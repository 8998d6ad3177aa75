package main

import (
	"context"
	"errors"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	lroerrors "github.com/lro-go/lro/errors"
)

// The exit codes say what became of the operation. After exit code 4, 5 or 7, it can be resumed.
const (
	exitOK       = 0   // the operation succeeded, and its result is printed
	exitFailed   = 1   // the operation, lro serve or lro demo failed
	exitUsage    = 2   // the command line is wrong; nothing was sent
	exitCanceled = 3   // the operation was canceled
	exitResult   = 4   // the operation succeeded, but its result could not be read
	exitStopped  = 5   // the wait was stopped by Ctrl-C, SIGTERM or --timeout
	exitRefused  = 6   // a request was refused or got no response
	exitLost     = 7   // the service accepted the operation, but its status cannot be read
	exitNow      = 130 // Ctrl-C was pressed a second time; the token may not have been written
)

// exitCodes explains the exit codes in the help.
const exitCodes = `Exit codes:
  0    the operation succeeded
  1    the operation failed; or lro demo, lro serve or its recording failed
  2    the command line is wrong; nothing was sent
  3    the operation was canceled, for example by lro cancel
  4    it succeeded, but its result could not be read; resume tries again
  5    the wait was stopped by Ctrl-C, SIGTERM or --timeout; resume continues
  6    a request was refused or got no response
  7    it was accepted, but its status cannot be read; resume tries again
  130  a second Ctrl-C`

// A usageError reports a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A demoError reports that the demo could not start. The cause is not a mistake in the command line.
type demoError struct{ error }

func (e demoError) Unwrap() error { return e.error }

// A stopCause is an error that says why the wait was stopped.
type stopCause struct {
	text string
	err  error // context.Canceled or context.DeadlineExceeded
}

func (e stopCause) Error() string { return e.text }
func (e stopCause) Unwrap() error { return e.err }

// exitCode returns the exit code for err. The order of the cases matters, because an error may wrap
// one that a later case matches.
func exitCode(ctx context.Context, err error) int {
	var (
		usage     usageError
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		service   serve.Error
		demo      demoError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &service), errors.As(err, &demo):
		return exitFailed
	case errors.Is(err, lroerrors.ErrCanceled):
		return exitCanceled
	case errors.As(err, &operation):
		return exitFailed
	case errors.As(err, &result):
		return exitResult
	case errors.As(err, &wait) && !stoppedByContext(wait):
		return exitLost
	case errors.As(err, &wait), ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return exitStopped
	}
	return exitRefused
}

func stoppedByContext(wait *lroerrors.WaitError) bool {
	return wait.Reason == lroerrors.ReasonCanceled || wait.Reason == lroerrors.ReasonDeadline
}
