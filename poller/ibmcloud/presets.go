package ibmcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// ResourceController follows the last_operation of a resource instance. Its state
// is "in progress", succeeded or failed, and it says itself when to ask again. A
// deletion has ended when the instance is removed, or pending reclamation, which
// can still be taken back. A last_operation of another type than the one that was
// begun is an earlier one, and is in progress whatever it says; but where the request
// was not answered 202, and the next read tells of no other, there is none of ours
// and the earlier one counts.
//
// Cancel sends a DELETE to the last_operation, where that is cancelable; the instance
// of a creation that was canceled is removed. The service has no word for that but
// failed: then the Detail of the OperationError tells it, and ErrCanceled does not
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

// lastOperationError is the error of a last_operation: members of its own, and no
// errors array.
func lastOperationError(a poller.Answer) *lroerrors.Detail {
	return &lroerrors.Detail{
		Code:    a.Text("/last_operation/reason_code"),
		Message: a.Text("/last_operation/description"),
	}
}

// Task follows a task of Cloud Databases. It begins with an answer that has the
// task, and is asked at the tasks beside the deployments. Its result is the
// document of the task; the ResultPointer "/task" unwraps it, and its deployment_id
// names what to read next. A DELETE ends when its task has.
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

// taskURL is where a task is asked for: /v5/ibm/tasks/ and its ID, which is a CRN
// and is escaped whole.
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

// VPC follows the status of a VPC resource: of an instance, a volume, an image, a
// subnet, a floating IP and others. The words are those of success, because they
// depend on what was asked for: an instance that is to be stopped ends with
// VPC("stopped"). Without any they are running, available and active.
//
// VPC wants version and generation in every query, so they are kept; the href of a
// resource has none, and [poller.Poller.ResultURL] does. It has no request that
// cancels. A creation is given up by the DELETE of what it creates, which may be
// named in the CancelRequest of [poller.Options]; it ends Canceled then.
//
// A word that is never reached, such as one that is misspelled, is waited for until
// the context ends.
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

// VPCAction is [VPC] after an action, which is a POST below the resource that it
// is about: …/instances/{id}/actions. It is the instance that is followed, until its
// status is one of the words. A status that is one of them already when the action
// is accepted is taken for the end.
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

// VPCLifecycle follows the lifecycle_state of a VPC resource: of a VPN server, a
// share, a bare metal server and others. It succeeds as stable.
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

// VPCProvisioning follows the provisioning_status of a load balancer and its
// parts. It succeeds as active. VPC tells no reason for its failure.
func VPCProvisioning() Resource {
	return Resource{
		Status:    "/provisioning_status",
		Succeeded: []string{"active"},
		Failed:    []string{"failed"},
		Removed:   []string{"delete_pending"},
		KeepQuery: true,
	}
}

// CodeEngine follows the status of what Code Engine has: applications, builds,
// build runs, job runs and projects. An application with a warning is deployed; the
// word tells.
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
