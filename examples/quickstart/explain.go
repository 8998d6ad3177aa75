package main

import (
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
)

// explain says what an error means for whoever runs the program. The order of
// the cases matters: each error may hold one of those below it.
func explain(err error) string {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case errors.As(err, &operation):
		return "it is over, and asking again will not help: " + operation.Error()
	case errors.As(err, &result):
		return "it is done, only the result is still to be read: " + result.Error()
	case errors.As(err, &wait):
		return "we stopped waiting, and can go on later: " + wait.Error()
	case errors.As(err, &status):
		return "the service was asked in vain: " + status.Error()
	}
	return err.Error()
}
