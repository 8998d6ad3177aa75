package poller

import (
	"net/http"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// Retryable reports whether it makes sense to start the operation again after a pause. The poller
// itself never restarts an operation. To restart one, call [Begin] in a loop, as shown in the
// Example.
//
// Retryable returns true for a request that was refused with 409 (quirks W57 and
// W58) or 429 (quirk W49), and for any error whose code, or the code of one of its
// details, is AnotherOperationInProgress, ReferencedResourceNotProvisioned,
// RetryableError or StorageAccountOperationInProgress (quirk W23).
// InternalServerError (quirk W21) is not on the list, because only the caller knows
// whether it is transient for this service.
//
// Retryable returns false for a request that got no response, or whose StatusError is
// Unanswered, because the service may have started the operation. It also returns false for
// a [*lroerrors.WaitError], because the operation may still be running, and for a
// [*lroerrors.ResultError], because the operation has succeeded.
func Retryable(err error) bool {
	switch err := endingIn(err).(type) { //nolint:errorlint // endingIn has unwrapped it
	case *lroerrors.OperationError:
		return isRetryable(err.Detail)
	case *lroerrors.StatusError:
		return !err.Unanswered && isRefusedForNow(err)
	}
	return false
}

// isRefusedForNow reports whether the service says that the same request may succeed later.
func isRefusedForNow(refused *lroerrors.StatusError) bool {
	switch refused.StatusCode {
	case http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return isRetryable(refused.Detail)
}

// retryableCodes lists the error codes seen in practice (quirk W23), in lower case.
var retryableCodes = []string{
	"anotheroperationinprogress", "referencedresourcenotprovisioned", "retryableerror", "storageaccountoperationinprogress",
}

// isRetryable reports whether d or one of its details has one of the codes in retryableCodes.
func isRetryable(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	return slices.Contains(retryableCodes, strings.ToLower(d.Code)) ||
		slices.ContainsFunc(d.Details, func(sub lroerrors.Detail) bool { return isRetryable(&sub) })
}
