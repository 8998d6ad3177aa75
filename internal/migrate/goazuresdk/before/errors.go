package before

import (
	"context"
	"errors"

	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
)

// Explain describes an error. The reason for a failure and the status code of a rejected request
// are available only in the text of err.
func Explain(err error) string {
	var (
		failed    pollers.PollingFailedError
		cancelled pollers.PollingCancelledError
		dropped   pollers.PollingDroppedConnectionError
	)
	switch {
	case err == nil:
		return "created"
	case errors.As(err, &failed):
		return "the operation failed: " + failed.Message
	case errors.As(err, &cancelled):
		return "the operation was canceled: " + cancelled.Message
	case errors.As(err, &dropped):
		return "the connection failed, the operation continues"
	case errors.Is(err, context.DeadlineExceeded):
		return "the wait ended"
	}
	return "a request or a read of the status failed: " + err.Error()
}
