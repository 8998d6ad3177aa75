package ibmcloud

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// The kinds of change that a request can make to a resource. An operation's statuses depend on its
// kind of change.
const (
	creating = "create"
	updating = "update"
	deleting = "delete"
	acting   = "action"
)

// removed is the state of a deleted Resource Controller instance.
const removed = "removed"

// changeKind returns the kind of change that q makes.
func changeKind(q *engine.Request) string {
	if q.Creates {
		return creating
	}
	switch q.Method {
	case http.MethodDelete:
		return deleting
	case http.MethodPost:
		return acting
	}
	return updating
}

// A wording holds the statuses that a style uses.
type wording struct {
	member string              // the resource's status member; "" if an operation resource contains the status
	words  map[string][]string // the statuses while the operation is in progress, by kind of change
	ends   map[engine.Ending]string
}

// endWords maps Succeeded to success, and the other endings to failure.
func endWords(success, failure string) map[engine.Ending]string {
	return map[engine.Ending]string{engine.Succeeded: success, engine.Failed: failure, engine.Canceled: failure}
}

// anyChange returns a map with the same statuses for every kind of change.
func anyChange(words ...string) map[string][]string {
	return map[string][]string{creating: words, updating: words, deleting: words, acting: words}
}

// wordings holds the wording of each style that has its own. The statuses come from the SDK of the
// IBM service that uses the style.
var wordings = map[engine.Style]wording{
	ResourceStatus: {"status", map[string][]string{
		creating: {"pending", "starting"}, updating: {"pending"}, acting: {"restarting"}, deleting: {"deleting"},
	}, endWords("running", "failed")},
	LifecycleState: {"lifecycle_state", map[string][]string{
		creating: {"pending"}, updating: {"updating"}, acting: {"updating"}, deleting: {"deleting"},
	}, endWords("stable", "failed")},
	ProvisioningStatus: {"provisioning_status", map[string][]string{
		creating: {"create_pending"}, updating: {"update_pending"}, acting: {"maintenance_pending"}, deleting: {"delete_pending"},
	}, endWords("active", "failed")},
	AppStatus: {"status", map[string][]string{
		creating: {"deploying"}, updating: {"deploying"}, acting: {"deploying"}, deleting: {"deleting"},
	}, endWords("ready", "failed")},
	LastOperation: {"state", map[string][]string{
		creating: {"provisioning"}, updating: {"active"}, acting: {"active"}, deleting: {"pending_removal"},
	}, endWords("active", "active")},
	Task: {"", anyChange("queued", "running"), endWords("completed", "failed")},
}

// handbook is the wording that the API handbook defines for operation resources.
var handbook = wording{"", anyChange("in_progress"), map[engine.Ending]string{engine.Succeeded: "succeeded", engine.Failed: "failed", engine.Canceled: "canceled"}}

// wordingOf returns the wording of s. At most one of the styles combined in s has its own wording.
func wordingOf(s engine.Style) wording {
	for style, words := range wordings {
		if s.Has(style) {
			return words
		}
	}
	return handbook
}

// usesOperation reports whether a client reads the status from an operation resource, not from the
// resource itself.
func usesOperation(s engine.Style) bool { return wordingOf(s).member == "" }

// An outcome is a kind of change together with an ending.
type outcome struct {
	change string
	ending engine.Ending
}

// instanceEnds maps an outcome to the resulting state of a Resource Controller instance. An outcome
// that is not listed leaves the instance active.
var instanceEnds = map[outcome]string{
	{creating, engine.Failed}:    "failed",
	{creating, engine.Canceled}:  removed,
	{deleting, engine.Succeeded}: removed,
}

// EndWord returns the status of op after it has ended.
func (dialect) EndWord(op *engine.Operation) string {
	if op.Plan.EndWord != "" && op.Ending == op.Plan.Ending {
		return op.Plan.EndWord
	}
	if op.Plan.Style.Has(LastOperation) {
		if state, ok := instanceEnds[outcome{changeKind(op.First), op.Ending}]; ok {
			return state
		}
	}
	return wordingOf(op.Plan.Style).ends[op.Ending]
}
