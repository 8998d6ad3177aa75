package ibmcloud

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// ResourceController follows the last_operation of a resource instance. The state of the
// last_operation is "in progress", "succeeded" or "failed", and its poll_after is the pause before
// the next read. A deletion has ended once the instance is removed or pending reclamation. While
// reclamation is pending, a user can still undo the deletion.
//
// If the type of the last_operation does not fit the request, the last_operation describes an
// earlier operation, and the new one is in progress. There is one exception: if the response to a
// PATCH was not a 202, and the next read still shows the earlier operation, the PATCH started no
// operation. The earlier operation's state then determines the outcome.
//
// Cancel sends a DELETE to the last_operation of an instance that is being changed or deleted, if
// that operation is cancelable. Cancel cannot cancel a creation, because the service chooses the
// instance's URL in its response to the POST. To cancel a creation, set CancelRequest in
// poller.Options. The service reports a canceled operation as failed. The OperationError's Detail
// says what happened, and the error does not match ErrCanceled.
func ResourceController() resource.Strategy {
	return resource.Strategy{
		Status:     "/last_operation/state",
		Lifecycle:  "/state",
		Deleted:    []string{"removed", "pending_reclamation"},
		Removed:    []string{"removed"},
		Type:       "/last_operation/type",
		Types:      map[string]string{http.MethodPatch: "update", http.MethodDelete: "delete"},
		Href:       "/url",
		After:      "/last_operation/poll_after",
		Error:      lastOperationError,
		CancelPath: "last_operation",
		Cancelable: "/last_operation/cancelable",
	}
}

// lastOperationError returns the error in a last_operation. The service reports it as a code and a
// description, not as an errors array.
func lastOperationError(a strategy.Answer) *lroerrors.Detail {
	return &lroerrors.Detail{
		Code:    a.Text("/last_operation/reason_code"),
		Message: a.Text("/last_operation/description"),
	}
}

// Task follows a task of Cloud Databases. The response to the request contains the task. Later
// reads go to the task's URL, /v5/ibm/tasks/{id}. The result is the task document. To get only the
// task, whose deployment_id names the deployment, set ResultPointer to "/task". A deletion ends
// when its task ends.
func Task() resource.Strategy {
	return resource.Strategy{
		Status:    "/task/status",
		Succeeded: []string{"completed"},
		Failed:    []string{"failed", "expired"},
		URL:       taskURL,
		Percent:   "/task/progress_percent",
		Error: func(a strategy.Answer) *lroerrors.Detail {
			return &lroerrors.Detail{Message: a.Text("/task/description")}
		},
	}
}

// taskURL returns the URL of a task: /v5/ibm/tasks/ followed by the escaped ID, which is a CRN.
func taskURL(a strategy.Answer) (string, error) {
	if a.Method == http.MethodGet {
		return a.Target, nil
	}
	id := a.Text("/task/id")
	root, _, ok := strings.Cut(pathOf(a.Target), "/deployments")
	if id == "" || !ok {
		return "", fmt.Errorf("%w: the response has no task, or the request was not for a deployment", lroerrors.ErrNoOperation)
	}
	return root + "/tasks/" + url.QueryEscape(id), nil
}

func pathOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// VPC follows the status of a VPC resource, such as an instance, a volume, an image, a subnet or a
// floating IP. words lists the statuses that mean success; running, available and active by
// default. They depend on the request: to stop an instance, use VPC("stopped").
//
// The VPC API requires version and generation in every query. A resource's href lacks both, so VPC
// adds the query of the request, and poller.Poller.ResultURL contains it. The API defines no cancel
// request. To abandon a creation, delete the resource, for example with CancelRequest in
// poller.Options. The operation then ends as Canceled.
//
// If the status never becomes one of the words, for example because of a typo, the wait lasts until
// the resource fails or is deleted, or until the context ends.
func VPC(words ...string) resource.Strategy {
	if len(words) == 0 {
		words = []string{"running", "available", "active"}
	}
	return resource.Strategy{
		Succeeded: words,
		Failed:    []string{"failed", "unusable"},
		Removed:   []string{"deleting", "pending_deletion"},
		KeepQuery: true,
	}
}

// VPCAction is like [VPC], but follows an instance after an action, which is a POST to
// …/instances/{id}/actions. The operation ends when the instance's status is one of the words, even
// if it had that status before the action.
func VPCAction(words ...string) resource.Strategy {
	r := VPC(words...)
	r.URL = func(a strategy.Answer) (string, error) {
		if a.Method == http.MethodGet {
			return a.Target, nil
		}
		actions := strings.TrimRight(pathOf(a.Target), "/")
		instance := actions[:max(strings.LastIndexByte(actions, '/'), 0)]
		return instance, nil
	}
	return r
}

// VPCLifecycle follows the lifecycle_state of a VPC resource, such as a VPN server, a share or a
// bare metal server. The word for success is "stable".
func VPCLifecycle() resource.Strategy {
	return resource.Strategy{
		Status:    "/lifecycle_state",
		Succeeded: []string{"stable"},
		Failed:    []string{"failed", "suspended"},
		Removed:   []string{"deleting"},
		KeepQuery: true,
		Error:     lifecycleReasons,
	}
}

// lifecycleReasons returns the reasons for the lifecycle_state, or nil if the response contains
// none.
func lifecycleReasons(a strategy.Answer) *lroerrors.Detail {
	reasons, _ := a.Lookup("/lifecycle_reasons")
	var d lroerrors.Detail
	err := json.Unmarshal(reasons, &d)
	if err != nil {
		return nil
	}
	return &d
}

// VPCProvisioning follows the provisioning_status of a load balancer or one of its parts. The word
// for success is "active". The API gives no reason for a failure.
func VPCProvisioning() resource.Strategy {
	return resource.Strategy{
		Status:    "/provisioning_status",
		Succeeded: []string{"active"},
		Failed:    []string{"failed"},
		Removed:   []string{"delete_pending"},
		KeepQuery: true,
	}
}

// CodeEngine follows the status of Code Engine resources: applications, builds, build runs, job
// runs and projects. An application with the status "warning" has been deployed, so the operation
// succeeds with "warning" as Status.Word.
func CodeEngine() resource.Strategy {
	return resource.Strategy{
		Succeeded:      []string{"ready", "warning", "succeeded", "completed", "active"},
		Failed:         []string{"failed", "creation_failed", "deletion_failed", "hard_deletion_failed"},
		DeletionFailed: []string{"deletion_failed", "hard_deletion_failed"},
		Deleted:        []string{"soft_deleted", "hard_deleted"},
		Removed:        []string{"hard_deleted"},
		Error: func(a strategy.Answer) *lroerrors.Detail {
			return &lroerrors.Detail{Code: a.Text("/status_details/reason")}
		},
	}
}
