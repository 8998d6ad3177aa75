package fakes

import "net/http"

// What a request of IBM Cloud does, for which there are different words.
const (
	creating = "create"
	updating = "update"
	deleting = "delete"
	acting   = "action"
)

// removed is what Resource Controller says of an instance that is no more.
const removed = "removed"

// doing is which of them q does.
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

// A wording is the words of a style.
type wording struct {
	member string              // of the resource; "" where an operation has the word
	words  map[string][]string // in progress
	ends   map[Ending]string
}

// either has the words for a success and for everything else.
func either(success, failure string) map[Ending]string {
	return map[Ending]string{Succeeded: success, Failed: failure, Canceled: failure}
}

// same are words that do not depend on what is done.
func same(words ...string) map[string][]string {
	return map[string][]string{creating: words, updating: words, deleting: words, acting: words}
}

// wordings are the words that the SDKs of the services have.
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

// handbook is for operation resources.
var handbook = wording{"", same("in_progress"), map[Ending]string{Succeeded: "succeeded", Failed: "failed", Canceled: "canceled"}}

// wording is that of s. The styles that have their own do not add up.
func (s Style) wording() wording {
	for style, words := range wordings {
		if s.has(style) {
			return words
		}
	}
	return handbook
}

// has says whether s has one of some styles.
func (s Style) has(some Style) bool { return s&some != 0 }

// operates says whether the client is told of an operation rather than of a
// resource.
func (s Style) operates() bool { return s.wording().member == "" }

// endWord is the word for the ending of op.
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
