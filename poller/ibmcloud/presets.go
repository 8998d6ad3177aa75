package ibmcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// ResourceController follows the last_operation of a resource instance. Its state is
// "in progress", succeeded or failed, and its poll_after says when to read it again. A
// deletion has ended when the instance is removed, or pending reclamation, which can
// still be undone. A last_operation of another type than the request starts is an
// earlier one, and means in progress whatever its state. But if the request was not
// answered with 202, and the next read shows no other type either, the request started
// no operation, and the state of the earlier one is used.
//
// Cancel sends a DELETE to the last_operation of the instance that was changed or is being
// deleted, if it is cancelable. A creation is a POST, in whose response the service names
// the instance; to cancel it, set the CancelRequest of [poller.Options]. The service has no word for canceled but
// failed: the Detail of the OperationError says what happened, and ErrCanceled does not
// match.
func ResourceController() Resource {
	return Resource{
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

// lastOperationError returns the error of a last_operation, which has members of its
// own and no errors array.
func lastOperationError(a poller.Answer) *lroerrors.Detail {
	return &lroerrors.Detail{
		Code:    a.Text("/last_operation/reason_code"),
		Message: a.Text("/last_operation/description"),
	}
}

// Task follows a task of Cloud Databases. The response to the request contains the
// task, and the task is read at the tasks URL next to the deployments. The result is
// the document of the task; the ResultPointer "/task" unwraps it, and its deployment_id
// names what to read next. A DELETE ends when its task does.
func Task() Resource {
	return Resource{
		Status:    "/task/status",
		Succeeded: []string{"completed"},
		Failed:    []string{"failed", "expired"},
		URL:       taskURL,
		Percent:   "/task/progress_percent",
		Error: func(a poller.Answer) *lroerrors.Detail {
			return &lroerrors.Detail{Message: a.Text("/task/description")}
		},
	}
}

// taskURL returns the URL of a task: /v5/ibm/tasks/ and its ID, which is a CRN and is
// escaped as a whole.
func taskURL(a poller.Answer) (string, error) {
	if a.Method == http.MethodGet {
		return a.Target, nil
	}
	id := a.Text("/task/id")
	root, _, ok := strings.Cut(pathOf(a.Target), "/deployments")
	if id == "" || !ok {
		return "", fmt.Errorf("%w: no task, or not of a deployment", lroerrors.ErrNoOperation)
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

// VPC follows the status of a VPC resource: an instance, a volume, an image, a subnet,
// a floating IP and others. The words are the words of success, because they depend on
// the request: stopping an instance ends with VPC("stopped"). Without words, they are
// running, available and active.
//
// The VPC API requires version and generation in every query, so VPC keeps them; the
// href of a resource lacks them, and [poller.Poller.ResultURL] has them. The API has no
// request that cancels. To abandon a creation, delete the resource that is being
// created; the CancelRequest of [poller.Options] can do that. The operation then ends
// as Canceled.
//
// A wait for a word that the resource never reaches, such as a misspelled one, lasts
// until the context ends.
func VPC(words ...string) Resource {
	if len(words) == 0 {
		words = []string{"running", "available", "active"}
	}
	return Resource{
		Succeeded: words,
		Failed:    []string{"failed", "unusable"},
		Removed:   []string{"deleting", "pending_deletion"},
		KeepQuery: true,
	}
}

// VPCAction follows an instance after an action, as [VPC] does. The action is a POST
// below the resource that it applies to: …/instances/{id}/actions. The operation ends
// when the status of the instance is one of the words. If the status is already one of
// them when the service accepts the action, VPCAction takes it for the end.
func VPCAction(words ...string) Resource {
	r := VPC(words...)
	r.URL = func(a poller.Answer) (string, error) {
		if a.Method == http.MethodGet {
			return a.Target, nil
		}
		p := strings.TrimRight(pathOf(a.Target), "/")
		return p[:max(strings.LastIndexByte(p, '/'), 0)], nil
	}
	return r
}

// VPCLifecycle follows the lifecycle_state of a VPC resource: a VPN server, a share, a
// bare metal server and others. Success is stable.
func VPCLifecycle() Resource {
	return Resource{
		Status:    "/lifecycle_state",
		Succeeded: []string{"stable"},
		Failed:    []string{"failed", "suspended"},
		Removed:   []string{"deleting"},
		KeepQuery: true,
		Error:     func(a poller.Answer) *lroerrors.Detail { return detailAt(a, "/lifecycle_reasons") },
	}
}

// VPCProvisioning follows the provisioning_status of a load balancer and its parts.
// Success is active. The API gives no reason for a failure.
func VPCProvisioning() Resource {
	return Resource{
		Status:    "/provisioning_status",
		Succeeded: []string{"active"},
		Failed:    []string{"failed"},
		Removed:   []string{"delete_pending"},
		KeepQuery: true,
	}
}

// CodeEngine follows the status of Code Engine's resources: applications, builds, build
// runs, job runs and projects. An application with a warning is deployed; Status.Word
// shows the warning.
func CodeEngine() Resource {
	return Resource{
		Succeeded:      []string{"ready", "warning", "succeeded", "completed", "active"},
		Failed:         []string{"failed", "creation_failed", "deletion_failed", "hard_deletion_failed"},
		DeletionFailed: []string{"deletion_failed", "hard_deletion_failed"},
		Deleted:        []string{"soft_deleted", "hard_deleted"},
		Removed:        []string{"hard_deleted"},
		// The reason is a code.
		Error: func(a poller.Answer) *lroerrors.Detail {
			return &lroerrors.Detail{Code: a.Text("/status_details/reason")}
		},
	}
}
