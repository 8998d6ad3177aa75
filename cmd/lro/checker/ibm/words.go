package ibm

import (
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The handbook's words for the status of an operation (section "Operation-based long-running
// operations").
const (
	notStarted = "not_started"
	succeeded  = "succeeded"
	failed     = "failed"
)

// operationWords maps each word for a terminal state to that state. The handbook has no word for a
// cancellation, so both spellings are accepted.
var operationWords = map[string]trace.State{
	succeeded: trace.HasSucceeded, failed: trace.HasFailed, "canceled": trace.WasCanceled, "cancelled": trace.WasCanceled,
}

// foreignWords are words that some services use for the end of an operation instead of the
// handbook's.
var foreignWords = map[string]bool{
	"available": true, "complete": true, "completed": true, "deleted": true, "done": true, "error": true, "finished": true, "ready": true, "success": true,
}

// resourceWords maps each word for a terminal state to that state. VPC, Code Engine, Cloud
// Databases and Resource Controller use these words in their resources.
var resourceWords = map[string]trace.State{
	"active": trace.HasSucceeded, "available": trace.HasSucceeded, "completed": trace.HasSucceeded, "deployed": trace.HasSucceeded,
	"ready": trace.HasSucceeded, "running": trace.HasSucceeded, "stable": trace.HasSucceeded, "stopped": trace.HasSucceeded,
	succeeded: trace.HasSucceeded, "warning": trace.HasSucceeded,
	"error": trace.HasFailed, failed: trace.HasFailed, "canceled": trace.WasCanceled,
}

// statusMember points to the field that the handbook recommends for the status.
const statusMember = "/status"

// otherMembers point to the fields that some services use for the status instead.
var otherMembers = []string{"/lifecycle_state", "/provisioning_status", "/state"}

// lastOperation points to the state of a Resource Controller instance's last operation. It takes
// precedence, because the instance's own state stays the same during an operation.
const lastOperation = "/last_operation/state"

// operationWord returns the status in an operation resource, or "".
func operationWord(x *trace.Exchange) string {
	word := x.Text(statusMember)
	if word != "" {
		return word
	}
	return x.Text("/state")
}

// resourceWord returns the status in a resource, or "".
func resourceWord(x *trace.Exchange) string {
	members := append([]string{lastOperation, statusMember}, otherMembers...)
	for _, member := range members {
		word := x.Text(member)
		if word != "" {
			return word
		}
	}
	return ""
}

// operationMeaning returns the state that a word in an operation resource represents.
func operationMeaning(word string) trace.State {
	text := strings.ToLower(word)
	s, known := operationWords[text]
	if known || text == "" {
		return s
	}
	if foreignWords[text] {
		return trace.Foreign
	}
	return trace.InProgress
}

// resourceMeaning returns the state that a word in a resource represents.
func resourceMeaning(word string) trace.State {
	text := strings.ToLower(word)
	s, known := resourceWords[text]
	if known || text == "" {
		return s
	}
	return trace.InProgress
}

// handbook returns a Source that quotes the page "Long-running operations".
func handbook(section, quote string) rule.Source {
	return rule.Source{Document: "Long-running operations", Section: section, Quote: quote}
}
