package poller

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// Retryable reports whether it makes sense to start the operation again after a pause. The poller
// never does so: call [Begin] in a loop (see the Example).
//
// Retryable returns true if the service refused the request with a 409 (quirks W57 and W58) or 429
// (quirk W49), and for an error code that invites a retry, such as ServerBusy (quirk W23;
// docs/errors.md lists the codes). InternalServerError (quirk W21) does not invite one, because it
// may be permanent. Retryable also returns true if the request was not sent for lack of a
// connection, unless the cause is permanent.
//
// Retryable returns false for any other request that got no response, and whenever Unanswered is
// set, because the operation may have started. It also returns false for a [*lroerrors.WaitError]
// and a [*lroerrors.ResultError], because the operation may still be running or has succeeded.
func Retryable(err error) bool {
	switch err := endingIn(err).(type) { //nolint:errorlint // endingIn has unwrapped it
	case *lroerrors.OperationError:
		return saysRetry(err.Detail)
	case *lroerrors.StatusError:
		return !err.Unanswered && (isRefusedForNow(err) || gotNoConnection(err))
	}
	return false
}

// isRefusedForNow reports whether the service refused a request but may accept it later.
func isRefusedForNow(refused *lroerrors.StatusError) bool {
	switch refused.StatusCode {
	case http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return saysRetry(refused.Detail)
}

// gotNoConnection reports whether package transport tried to send a request but got no connection.
// It returns false if the cause is permanent.
func gotNoConnection(status *lroerrors.StatusError) bool {
	return status.Attempts > 0 && errors.Is(status, lroerrors.ErrNotSent) && !isPermanent(status)
}

// conflict is the error code Conflict in lower case. App Service sends it in a 409 while another
// operation is in progress (Azure/azure-sdk-for-java#1827). If an operation fails with this code,
// that means the same as a 409 response to the first request (asynchronous API reference, "202
// Accepted and Location Headers"). In the details of a failed deployment, the code may mean any
// failure of a resource (OfficeDev/microsoft-teams-apps-greatideas#22).
const conflict = "conflict"

// retryableCodes lists error codes in lower case, with their sources. It omits OperationNotAllowed,
// which can also mean that a quota is exhausted ("Troubleshoot common Azure deployment errors").
var retryableCodes = []string{
	// Another operation is in progress, and the client should wait until it has ended.
	"anotheroperationinprogress",          // "Troubleshoot common Azure deployment errors"; a failed operation in Azure/bicep#5132
	"pessimisticconcurrencyconflict",      // Azure/apiops#141
	"retryableerrorduetoanotheroperation", // "Request limits and throttling" of Azure Resource Manager
	"serverbusy",                          // a failed operation in hashicorp/terraform-provider-azurerm#28298
	"serverisbusy",                        // Azure/azure-postgresql#134
	"storageaccountoperationinprogress",   // quirk W23

	// The service throttles the client.
	"toomanyrequests",                     // "Troubleshooting API throttling errors" of Azure Compute, where the code is in the details
	"resourcecollectionrequeststhrottled", // "Common Error Codes for Storage Resource Provider"
	"resourcerequeststhrottled",           // Azure/alzlib#168
	"subscriptionrequeststhrottled",       // "Troubleshoot the SubscriptionRequestsThrottled error code (429)" of Azure Kubernetes Service

	// The service says that a retry may succeed.
	"referencedresourcenotprovisioned", // quirk W23
	"retryableerror",                   // quirk W23
}

// saysRetry reports whether d means that a retry may succeed. The code Conflict counts only in d
// itself. Any other retryable code also counts in the details.
func saysRetry(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	return strings.EqualFold(d.Code, conflict) || isRetryable(d)
}

// isRetryable reports whether retryableCodes contains the code of d or of one of its details, at
// any depth.
func isRetryable(d *lroerrors.Detail) bool {
	return slices.Contains(retryableCodes, strings.ToLower(d.Code)) ||
		slices.ContainsFunc(d.Details, func(sub lroerrors.Detail) bool { return isRetryable(&sub) })
}
