package before

import (
	"context"
	"errors"

	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
)

// Explain says what an error means. The reason of a failure is in its text, and
// so is the code of a refused request.
func Explain(err error) string {
	var (
		failed    pollers.PollingFailedError
		cancelled pollers.PollingCancelledError
		dropped   pollers.PollingDroppedConnectionError
	)
	switch {
	case err == nil:
		return "it is there"
	case errors.As(err, &failed):
		return "it failed: " + failed.Message
	case errors.As(err, &cancelled):
		return "it was canceled: " + cancelled.Message
	case errors.As(err, &dropped):
		return "it goes on, and the connection does not"
	case errors.Is(err, context.DeadlineExceeded):
		return "we stopped"
	}
	return "a request failed, or a read of the status: " + err.Error()
}
