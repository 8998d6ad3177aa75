package before

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

// Explain says what an error means. A ResponseError is a refused request, a read
// of the status that failed, or the failure of the operation: its status is 200
// where a status document told the failure, else they look the same.
func Explain(err error) string {
	var failure *azcore.ResponseError
	switch {
	case err == nil:
		return "it is there"
	case errors.As(err, &failure) && failure.StatusCode == http.StatusOK:
		return "it failed: " + failure.ErrorCode
	case errors.As(err, &failure):
		return "it failed, or a request did: " + failure.ErrorCode
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "we stopped"
	}
	return "it may have failed or not: " + err.Error()
}
