package ibm

import (
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The words of the handbook for an operation ("Operation-based long-running operations").
const (
	notStarted = "not_started"
	succeeded  = "succeeded"
	failed     = "failed"
)

// operationWords are the words that end an operation. The handbook defines cancellation, but no word
// for it.
var operationWords = map[string]trace.State{
	succeeded: trace.HasSucceeded, failed: trace.HasFailed, "canceled": trace.WasCanceled, "cancelled": trace.WasCanceled,
}

// foreignWords mean an end in services that do not use the words of the handbook.
var foreignWords = map[string]bool{
	"available": true, "complete": true, "completed": true, "deleted": true, "done": true, "error": true, "finished": true, "ready": true, "success": true,
}

// resourceWords are words that end the change of a resource. The handbook leaves them to the service;
// these are the words of VPC, Code Engine, Cloud Databases and Resource Controller.
var resourceWords = map[string]trace.State{
	"active": trace.HasSucceeded, "available": trace.HasSucceeded, "completed": trace.HasSucceeded, "deployed": trace.HasSucceeded,
	"ready": trace.HasSucceeded, "running": trace.HasSucceeded, "stable": trace.HasSucceeded, "stopped": trace.HasSucceeded,
	succeeded: trace.HasSucceeded, "warning": trace.HasSucceeded,
	"error": trace.HasFailed, failed: trace.HasFailed, "canceled": trace.WasCanceled,
}

// statusMember is the name that the handbook recommends for the field with the status.
const statusMember = "/status"

// otherMembers are the names that services use instead. last_operation takes precedence over them,
// because the other status of a Resource Controller instance does not change.
var otherMembers = []string{"/lifecycle_state", "/provisioning_status", "/state"}

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

// operationMeaning returns what the word of an operation means.
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

// resourceMeaning returns what the word of a resource means.
func resourceMeaning(word string) trace.State {
	text := strings.ToLower(word)
	s, known := resourceWords[text]
	if known || text == "" {
		return s
	}
	return trace.InProgress
}

// handbook returns a sentence of the page "Long-running operations".
func handbook(section, quote string) rule.Source {
	return rule.Source{Document: "Long-running operations", Section: section, Quote: quote}
}
