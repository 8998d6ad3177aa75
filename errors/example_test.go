package errors_test

import (
	"encoding/json"
	"errors"
	"fmt"

	lroerrors "github.com/lro-go/lro/errors"
)

// One arm for each ending, asked for in this order.
func Example() {
	answer := func(err error) string {
		if opErr, ok := errors.AsType[*lroerrors.OperationError](err); ok {
			return "it failed for good: " + opErr.Error()
		}
		if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
			return "it succeeded: ask for the result again"
		}
		if waitErr, ok := errors.AsType[*lroerrors.WaitError](err); ok {
			token, _ := waitErr.ResumeToken()
			return "we stopped waiting: go on later with " + token
		}
		if statusErr, ok := errors.AsType[*lroerrors.StatusError](err); ok {
			return fmt.Sprintf("we were told %d: it may still run", statusErr.StatusCode)
		}
		return "it succeeded"
	}

	busy := &lroerrors.StatusError{StatusCode: 503}
	token := func() (string, error) { return "token-7", nil }
	fmt.Println(answer(nil))
	fmt.Println(answer(&lroerrors.OperationError{State: "Failed", Detail: &lroerrors.Detail{Code: "QuotaExceeded"}}))
	fmt.Println(answer(&lroerrors.ResultError{Err: busy}))
	fmt.Println(answer((&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, LastErr: busy}).WithToken(token)))
	fmt.Println(answer(busy))
	// Output:
	// it succeeded
	// it failed for good: lro: operation Failed: QuotaExceeded
	// it succeeded: ask for the result again
	// we stopped waiting: go on later with token-7
	// we were told 503: it may still run
}

// A Detail reads the errors of every service in the same way.
func ExampleDetail() {
	const body = `{"error": {
		"code": "DeploymentFailed",
		"message": "At least one resource failed.",
		"details": [{"code": "QuotaExceeded", "message": "No cores left.", "target": "vm-1"}],
		"additionalInfo": [{"type": "ActivityId", "info": {"activityId": "a1"}}]
	}}`
	var d lroerrors.Detail
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		fmt.Println("not JSON:", err)
	}
	fmt.Println(d.Code)
	for _, sub := range d.Details {
		fmt.Println("-", sub.Code, sub.Target)
	}
	for _, info := range d.AdditionalInfo {
		fmt.Println("-", info)
	}
	fmt.Println(d)
	// Output:
	// DeploymentFailed
	// - QuotaExceeded vm-1
	// - ActivityId {"activityId":"a1"}
	// DeploymentFailed: At least one resource failed. (QuotaExceeded: No cores left. (target vm-1))
}

// A canceled operation is told from a failed one with errors.Is.
func Example_canceled() {
	canceled := &lroerrors.OperationError{State: "Canceled"}
	failed := &lroerrors.OperationError{State: "Failed"}
	fmt.Println(errors.Is(canceled, lroerrors.ErrCanceled))
	fmt.Println(errors.Is(failed, lroerrors.ErrCanceled))
	// Output:
	// true
	// false
}
