package output

import (
	"context"
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// The exit codes say how a command ended. After 4, 5 and 7, the wait can be resumed if lro has
// saved a token.
const (
	ExitOK       = 0   // the operation, every target of lro wait, or a command without an operation succeeded; the result has been printed
	ExitFailed   = 1   // the operation, lro serve, lro demo or a recording failed, or lro check found a violation with the severity "must"
	ExitUsage    = 2   // the command line is wrong; nothing was sent
	ExitCanceled = 3   // the operation was canceled
	ExitResult   = 4   // the operation succeeded, but its result could not be read
	ExitStopped  = 5   // the wait was stopped by Ctrl-C, SIGTERM or --timeout
	ExitRefused  = 6   // a request was refused or got no response, or an operation of lro check did not end in time
	ExitLost     = 7   // the service accepted the operation, but its status cannot be read
	ExitNow      = 130 // Ctrl-C was pressed a second time; the token may not have been written
)

// ExitCodes is the help text about the exit codes.
const ExitCodes = `Exit codes:
  0    the operation succeeded, or every target of lro wait is as requested
  1    the operation failed, or lro demo, lro serve or a recording failed
  2    the command line is wrong; nothing was sent
  3    the operation was canceled, for example by lro cancel
  4    the operation succeeded, but its result is unreadable; resume tries again
  5    the wait was stopped by Ctrl-C, SIGTERM or --timeout; resume continues it
  6    a request was refused or got no response
  7    the operation started, but its status cannot be read; resume tries again
  130  a second Ctrl-C`

// A UsageError reports a mistake in the command line.
type UsageError struct {
	Err    error
	Advice string // how to fix the mistake; may be empty
}

// Error returns the text of Err.
func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e UsageError) Unwrap() error { return e.Err }

// A FailedError reports the failure of a command that follows no operation, such as lro serve. The
// cause is not a mistake in the command line.
type FailedError struct{ Err error }

// Error returns the text of Err.
func (e FailedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e FailedError) Unwrap() error { return e.Err }

// A StopError reports why the wait was stopped.
type StopError struct {
	Text string
	Err  error // context.Canceled or context.DeadlineExceeded
}

// Error returns Text.
func (e StopError) Error() string { return e.Text }

// Unwrap returns Err.
func (e StopError) Unwrap() error { return e.Err }

// A CancelError reports that the request to cancel an operation failed. The operation may continue.
type CancelError struct{ Err error }

// Error returns the text of Err.
func (e CancelError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e CancelError) Unwrap() error { return e.Err }

// A ResourceError is an error from a wait in which lro read a resource rather than an operation's
// status.
type ResourceError struct{ Err error }

// Error returns the text of Err.
func (e ResourceError) Error() string { return e.Err.Error() }

// Unwrap returns the error that ended the wait.
func (e ResourceError) Unwrap() error { return e.Err }

// A ResumableError is the error that ended a wait, together with the command that resumes the wait.
type ResumableError struct {
	Err       error
	TokenFile string
	Command   string
	Unsaved   error // why the token could not be saved
}

// Error returns the text of Err.
func (e *ResumableError) Error() string { return e.Err.Error() }

// Unwrap returns the error that ended the wait.
func (e *ResumableError) Unwrap() error { return e.Err }

// exitCode returns the exit code for err. The order of the checks matters, because err may match
// more than one.
func exitCode(ctx context.Context, err error) int {
	if err == nil {
		return ExitOK
	}
	if wraps[UsageError](err) {
		return ExitUsage
	}
	if wraps[FailedError](err) {
		return ExitFailed
	}
	if several, ok := errors.AsType[SeveralError](err); ok {
		return several.Exit
	}

	if poller.Classify(err) == poller.Ended {
		return endedCode(err)
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return waitCode(wait)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return ExitStopped
	}
	return ExitRefused
}

// endedCode returns the exit code for an operation that has ended with err.
func endedCode(err error) int {
	if wraps[*lroerrors.ResultError](err) {
		return ExitResult
	}
	if errors.Is(err, lroerrors.ErrCanceled) {
		return ExitCanceled
	}
	return ExitFailed
}

// waitCode returns the exit code for a wait that failed or was stopped before an operation ended.
func waitCode(wait *lroerrors.WaitError) int {
	if !IsResumable(wait) {
		return ExitRefused
	}
	switch wait.Reason {
	case lroerrors.ReasonCanceled, lroerrors.ReasonDeadline:
		return ExitStopped
	}
	return ExitLost
}

// IsResumable reports whether a wait that ended with err can be resumed: whether the request may
// have started an operation. If Classify returns Stuck, there is an operation, even if the request
// was a GET.
func IsResumable(err *lroerrors.WaitError) bool {
	return poller.MayHaveStarted(err) || poller.Classify(err) == poller.Stuck
}

// wraps reports whether err is or wraps an E.
func wraps[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
