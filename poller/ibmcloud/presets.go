package ibmcloud

import (
	"fmt"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// ResourceController follows the last_operation of a resource instance. Its state
// is "in progress", succeeded or failed, and it says itself when to ask again. A
// deletion has ended when the instance is removed, or pending reclamation, which
// can still be taken back. Cancel sends a DELETE to the last_operation, where that
// is cancelable; the instance of a creation that was canceled is removed.
func ResourceController() Resource {
	return Resource{
		Status:     "/last_operation/state",
		Lifecycle:  "/state",
		Deleted:    []string{"removed", "pending_reclamation"},
		Href:       "/url",
		After:      "/last_operation/poll_after",
		Error:      lastOperationError,
		CancelPath: "last_operation",
		Cancelable: "/last_operation/cancelable",
	}
}

// lastOperationError is the error of a last_operation: members of its own, and no
// errors array.
func lastOperationError(a poller.Answer) *lroerrors.Detail {
	d := lroerrors.Detail{
		Code:    text(a, "/last_operation/reason_code"),
		Message: text(a, "/last_operation/description"),
	}
	if d.IsZero() {
		return a.Detail()
	}
	return &d
}

// Task follows a task of Cloud Databases. It begins with an answer that has the
// task, and is asked at the tasks beside the deployments. Its result is the
// document of the task; the ResultPointer "/task" unwraps it. A DELETE ends when
// its task has.
func Task() Resource {
	return Resource{
		Status:    "/task/status",
		Succeeded: []string{"completed"},
		Failed:    []string{"failed", "expired"},
		URL:       taskURL,
		Percent:   "/task/progress_percent",
	}
}

// taskURL is where a task is asked for: /v5/ibm/tasks/ and its ID, which is a CRN
// and is escaped whole.
func taskURL(a poller.Answer) (string, error) {
	id := text(a, "/task/id")
	parts := strings.SplitN(strings.TrimPrefix(pathOf(a.Target), "/"), "/", 3)
	if id == "" || len(parts) < 3 {
		return "", fmt.Errorf("%w: no task, or not below an API version and a platform", lroerrors.ErrNoOperation)
	}
	return "/" + parts[0] + "/" + parts[1] + "/tasks/" + url.QueryEscape(id), nil
}

func pathOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// VPC follows the status of a VPC resource: of an instance, a volume, an image, a
// subnet, a floating IP and others. The words are those of success, because they
// depend on what was asked for: an instance that is to be stopped ends with
// VPC("stopped"). Without any they are running, available and active.
//
// After an action, which is a POST of its own, set URL to name the instance. VPC
// wants version and generation in every query, so they are kept.
func VPC(words ...string) Resource {
	if len(words) == 0 {
		words = []string{"running", "available", "active"}
	}
	return Resource{
		Succeeded: words,
		Failed:    []string{"failed", "unusable"},
		KeepQuery: true,
		Error:     errorAt("/status_reasons"),
	}
}

// VPCLifecycle follows the lifecycle_state of a VPC resource: of a VPN server, a
// share, a bare metal server and others. It succeeds as stable.
func VPCLifecycle() Resource {
	return Resource{
		Status:    "/lifecycle_state",
		Succeeded: []string{"stable"},
		Failed:    []string{"failed", "suspended"},
		KeepQuery: true,
		Error:     errorAt("/lifecycle_reasons"),
	}
}

// VPCProvisioning follows the provisioning_status of a load balancer and its
// parts. It succeeds as active.
func VPCProvisioning() Resource {
	return Resource{
		Status:    "/provisioning_status",
		Succeeded: []string{"active"},
		Failed:    []string{"failed"},
		KeepQuery: true,
	}
}

// CodeEngine follows the status of what Code Engine has: applications, builds,
// build runs, job runs and projects. An application with a warning is deployed; the
// word tells.
func CodeEngine() Resource {
	return Resource{
		Succeeded: []string{"ready", "warning", "succeeded", "completed", "active"},
		Failed:    []string{"failed", "creation_failed", "deletion_failed", "hard_deletion_failed"},
		Deleted:   []string{"soft_deleted", "hard_deleted"},
		Error:     statusDetailsError,
	}
}

// statusDetailsError is the reason that stands in status_details, a code.
func statusDetailsError(a poller.Answer) *lroerrors.Detail {
	if reason := text(a, "/status_details/reason"); reason != "" {
		return &lroerrors.Detail{Code: reason}
	}
	return a.Detail()
}
