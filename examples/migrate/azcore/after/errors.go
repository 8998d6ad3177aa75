package after

import (
	"cmp"
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
)

// Explain says what an error means. Each may hold one of those below it, so the
// order matters.
func Explain(err error) string {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case err == nil:
		return "it is there"
	case errors.As(err, &operation):
		return "it failed: " + code(operation.Detail)
	case errors.As(err, &result):
		return "it is there, and could not be read: " + result.Error()
	case errors.As(err, &wait):
		return "we stopped: " + string(wait.Reason)
	case errors.As(err, &status):
		return "a request failed: " + code(status.Detail)
	}
	return err.Error()
}

// code is the service's, where it gave a reason.
func code(reason *lroerrors.Detail) string {
	if reason == nil {
		return "no reason given"
	}
	return cmp.Or(reason.Code, reason.Message)
}
