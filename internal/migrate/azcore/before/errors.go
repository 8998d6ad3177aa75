package before

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

// Explain describes an error. A ResponseError reports a rejected request, a failed read of the
// status, or an operation that failed. If its status code is 200, a status document reported the
// failure of the operation; otherwise, these three cases look the same.
func Explain(err error) string {
	var failure *azcore.ResponseError
	switch {
	case err == nil:
		return "created"
	case errors.As(err, &failure) && failure.StatusCode == http.StatusOK:
		return "the operation failed: " + failure.ErrorCode
	case errors.As(err, &failure):
		return "the operation or a request failed: " + failure.ErrorCode
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "the wait ended"
	}
	return "the operation may or may not have failed: " + err.Error()
}
