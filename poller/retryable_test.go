package poller_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestRetryable(t *testing.T) {
	nested := func(code string) *lroerrors.Detail {
		return &lroerrors.Detail{Code: "Outer", Details: []lroerrors.Detail{{Code: "a"}, {Details: []lroerrors.Detail{{Code: code}}}}}
	}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"W23":                 {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "RetryableError"}}, true},
		"W23, in the details": {&lroerrors.OperationError{Detail: nested("ReferencedResourceNotProvisioned")}, true},
		"W23, storage":        {&lroerrors.OperationError{Detail: nested("StorageAccountOperationInProgress")}, true},
		"another one":         {&lroerrors.OperationError{Detail: nested("anotheroperationinprogress")}, true},
		"W21":                 {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "InternalServerError"}}, false},
		"a conflict":          {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "Conflict"}}, true},
		"a nested conflict":   {&lroerrors.OperationError{Detail: nested("Conflict")}, false},
		"a failure of 409":    {&lroerrors.OperationError{StatusCode: 409, Detail: &lroerrors.Detail{Code: "OverQuota"}}, false},
		"W47":                 {&lroerrors.OperationError{State: poller.Canceled, Detail: &lroerrors.Detail{Code: "OperationPreempted"}}, false},
		"a quota":             {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "OperationNotAllowed"}}, false},
		"without a reason":    {&lroerrors.OperationError{}, false},
		"W57":                 {&lroerrors.StatusError{StatusCode: 409}, true},
		"W49":                 {&lroerrors.StatusError{StatusCode: 429}, true},
		"400":                 {&lroerrors.StatusError{StatusCode: 400}, false},
		"400 and a conflict":  {&lroerrors.StatusError{StatusCode: 400, Detail: &lroerrors.Detail{Code: "conflict"}}, true},
		"400 with a code":     {&lroerrors.StatusError{StatusCode: 400, Detail: nested("RetryableError")}, true},
		"wrapped":             {errors.Join(errors.New("x"), &lroerrors.StatusError{StatusCode: 409}), true},
		"no answer":           {&lroerrors.StatusError{Err: errors.New("connection reset")}, false},
		"a wait that stopped": {&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, LastErr: &lroerrors.StatusError{StatusCode: 429}}, false},
		"an unread result":    {&lroerrors.ResultError{Err: &lroerrors.StatusError{StatusCode: 409}}, false},
		"nothing":             {nil, false},
		"something else":      {errors.New("RetryableError"), false},
	} {
		require.Equal(t, tt.want, poller.Retryable(tt.err), name)
	}
}

// Retryable recognizes each of these codes, even in an error's details, as in a 429 from
// Microsoft.Compute. docs/errors.md lists all of them.
func TestRetryableCodes(t *testing.T) {
	page, err := os.ReadFile("../docs/errors.md")
	require.NoError(t, err)
	for _, code := range []string{
		"AnotherOperationInProgress", "PessimisticConcurrencyConflict", "RetryableErrorDueToAnotherOperation", "ServerBusy", "ServerIsBusy", "StorageAccountOperationInProgress",
		"TooManyRequests", "ResourceCollectionRequestsThrottled", "ResourceRequestsThrottled", "SubscriptionRequestsThrottled",
		"ReferencedResourceNotProvisioned", "RetryableError",
	} {
		own := lroerrors.Detail{Code: code}
		require.True(t, poller.Retryable(&lroerrors.OperationError{Detail: &own}), code)
		outer := lroerrors.Detail{Code: "OperationNotAllowed", Details: []lroerrors.Detail{own}}
		require.True(t, poller.Retryable(&lroerrors.OperationError{Detail: &outer}), code)
		require.Contains(t, string(page), "`"+code+"`")
	}
}
