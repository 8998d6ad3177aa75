package after

import (
	"cmp"
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
)

// Explain describes an error.
func Explain(err error) string {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case err == nil:
		return "created"
	case errors.As(err, &operation):
		return "the operation failed: " + code(operation.Detail)
	case errors.As(err, &result):
		return "created, but the result cannot be read: " + result.Error()
	case errors.As(err, &wait):
		return "the wait ended: " + string(wait.Reason)
	case errors.As(err, &status):
		return "a request failed: " + code(status.Detail)
	}
	return err.Error()
}

// code returns the service's error code, or its message if there is no code.
func code(reason *lroerrors.Detail) string {
	if reason == nil {
		return "no reason"
	}
	return cmp.Or(reason.Code, reason.Message)
}
