package before

import (
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// Retry returns options for a service that responds with 409 while it is busy.
func Retry() policy.RetryOptions {
	return policy.RetryOptions{
		MaxRetries:    5,
		RetryDelay:    2 * time.Second,
		MaxRetryDelay: time.Minute,
		TryTimeout:    time.Minute,
		StatusCodes: []int{
			http.StatusConflict,
			http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		},
	}
}
