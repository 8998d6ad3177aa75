package fakes

import "net/http"

// What a request of IBM Cloud does. The statuses depend on it.
const (
	creating = "create"
	updating = "update"
	deleting = "delete"
	acting   = "action"
)

// removed is the state of a deleted instance of Resource Controller.
const removed = "removed"

// doing returns what q does.
func (q *question) doing() string {
	switch {
	case q.method == http.MethodDelete:
		return deleting
	case q.creates:
		return creating
	case q.method == http.MethodPost:
		return acting
	}
	return updating
}

// A wording has the statuses of a style.
type wording struct {
	member string              // the member of the resource; "" if the status is in an operation
	words  map[string][]string // in progress
	ends   map[Ending]string
}

// either returns the statuses of a success and of any other ending.
func either(success, failure string) map[Ending]string {
	return map[Ending]string{Succeeded: success, Failed: failure, Canceled: failure}
}

// same returns statuses that are the same for every kind of request.
func same(words ...string) map[string][]string {
	return map[string][]string{creating: words, updating: words, deleting: words, acting: words}
}

// wordings has the statuses that the SDKs of the services define.
var wordings = map[Style]wording{
	ResourceStatus: {"status", map[string][]string{
		creating: {"pending", "starting"}, updating: {"pending"}, acting: {"restarting"}, deleting: {"deleting"},
	}, either("running", "failed")},
	LifecycleState: {"lifecycle_state", map[string][]string{
		creating: {"pending"}, updating: {"updating"}, acting: {"updating"}, deleting: {"deleting"},
	}, either("stable", "failed")},
	ProvisioningStatus: {"provisioning_status", map[string][]string{
		creating: {"create_pending"}, updating: {"update_pending"}, acting: {"maintenance_pending"}, deleting: {"delete_pending"},
	}, either("active", "failed")},
	AppStatus: {"status", map[string][]string{
		creating: {"deploying"}, updating: {"deploying"}, acting: {"deploying"}, deleting: {"deleting"},
	}, either("ready", "failed")},
	LastOperation: {"state", map[string][]string{
		creating: {"provisioning"}, updating: {"active"}, acting: {"active"}, deleting: {"pending_removal"},
	}, either("active", "active")},
	Task: {"", same("queued", "running"), either("completed", "failed")},
}

// handbook has the statuses of operation resources.
var handbook = wording{"", same("in_progress"), map[Ending]string{Succeeded: "succeeded", Failed: "failed", Canceled: "canceled"}}

// wording returns the wording of s. Styles with a wording cannot be combined.
func (s Style) wording() wording {
	for style, words := range wordings {
		if s.has(style) {
			return words
		}
	}
	return handbook
}

// has reports whether s includes one of the given styles.
func (s Style) has(some Style) bool { return s&some != 0 }

// operates reports whether the client reads an operation instead of a resource.
func (s Style) operates() bool { return s.wording().member == "" }

// endWord returns the status of op after it has ended.
func (ibm) endWord(op *operation) string {
	if op.plan.EndWord != "" && op.ending == op.plan.Ending {
		return op.plan.EndWord
	}
	if op.plan.Style.has(LastOperation) {
		switch doing := op.begun.doing(); {
		case doing == creating && op.ending == Failed:
			return "failed"
		case doing == creating && op.ending == Canceled, doing == deleting && op.ending == Succeeded:
			return removed
		}
	}
	return op.plan.Style.wording().ends[op.ending]
}
