package errors_test

import (
	"encoding/json"
	"errors"
	"fmt"

	lroerrors "github.com/lro-go/lro/errors"
)

// The error body of any service can be decoded into a Detail.
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

// ErrCanceled distinguishes a canceled operation from a failed one.
func ExampleOperationError_Is() {
	canceled := &lroerrors.OperationError{State: "Canceled"}
	failed := &lroerrors.OperationError{State: "Failed"}
	fmt.Println(errors.Is(canceled, lroerrors.ErrCanceled))
	fmt.Println(errors.Is(failed, lroerrors.ErrCanceled))
	// Output:
	// true
	// false
}
