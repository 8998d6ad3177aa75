package ibmcloud

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// The kinds of change that a request can make. The statuses of an operation
// depend on its kind of change.
const (
	creating = "create"
	updating = "update"
	deleting = "delete"
	acting   = "action"
)

// removed is the state of a deleted Resource Controller instance.
const removed = "removed"

// doing returns the kind of change that q makes.
func doing(q *engine.Request) string {
	switch {
	case q.Method == http.MethodDelete:
		return deleting
	case q.Creates:
		return creating
	case q.Method == http.MethodPost:
		return acting
	}
	return updating
}

// A wording holds the words that a style uses as statuses.
type wording struct {
	member string              // the member of the resource that holds the status; "" if an operation resource holds it
	words  map[string][]string // the statuses while the operation is in progress, by kind of change
	ends   map[engine.Ending]string
}

// either returns a map that holds success for the ending Succeeded, and failure
// for all other endings.
func either(success, failure string) map[engine.Ending]string {
	return map[engine.Ending]string{engine.Succeeded: success, engine.Failed: failure, engine.Canceled: failure}
}

// same returns a map that holds the same words for every kind of change.
func same(words ...string) map[string][]string {
	return map[string][]string{creating: words, updating: words, deleting: words, acting: words}
}

// wordings holds, for each style, the statuses that the SDK of its service
// defines.
var wordings = map[engine.Style]wording{
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

// handbook holds the statuses that the API handbook defines for operation
// resources.
var handbook = wording{"", same("in_progress"), map[engine.Ending]string{engine.Succeeded: "succeeded", engine.Failed: "failed", engine.Canceled: "canceled"}}

// wordingOf returns the wording of s. At most one of the styles combined in s
// has a wording of its own.
func wordingOf(s engine.Style) wording {
	for style, words := range wordings {
		if s.Has(style) {
			return words
		}
	}
	return handbook
}

// operates reports whether a client reads the status from an operation resource
// instead of the resource itself.
func operates(s engine.Style) bool { return wordingOf(s).member == "" }

// EndWord returns the status of op, which has ended.
func (dialect) EndWord(op *engine.Operation) string {
	if op.Plan.EndWord != "" && op.Ending == op.Plan.Ending {
		return op.Plan.EndWord
	}
	if op.Plan.Style.Has(LastOperation) {
		switch what := doing(op.First); {
		case what == creating && op.Ending == engine.Failed:
			return "failed"
		case what == creating && op.Ending == engine.Canceled, what == deleting && op.Ending == engine.Succeeded:
			return removed
		}
	}
	return wordingOf(op.Plan.Style).ends[op.Ending]
}
