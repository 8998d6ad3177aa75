package arm

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// statePointers are JSON pointers to the members that may contain a resource's provisioningState
// (quirks W4 and W8).
var statePointers = []string{"/properties/provisioningState", "/properties/ProvisioningState", "/provisioningState"}

// Word returns the state as written in a status document or a resource, or "" if there is none. A
// status URL may return the resource (quirk W44), so Word looks for provisioningState in status
// documents too.
func Word(x *trace.Exchange) string {
	pointers := statePointers
	if x.Role == trace.Status {
		pointers = append([]string{"/status"}, statePointers...)
	}
	for _, pointer := range pointers {
		text := x.Text(pointer)
		if text != "" {
			return text
		}
	}
	return ""
}

// terminalWords maps each word for a terminal state to that state (section "ProvisioningState
// property").
var terminalWords = map[string]trace.State{
	"succeeded": trace.HasSucceeded, "failed": trace.HasFailed, "canceled": trace.WasCanceled,
}

// foreignWords matches the nonstandard words that some services use for a terminal state (quirks
// W7, W55 and A.6).
var foreignWords = regexp.MustCompile(`^(available|cancelled|completed|created|deleted|deprovisioned|partiallysucceeded|provisioned|ready|success|successful|updated|.*(failed|failure))$`)

// Meaning returns the state that a word represents. It ignores case and surrounding spaces.
func Meaning(word string) trace.State {
	text := strings.ToLower(strings.TrimSpace(word))
	s, known := terminalWords[text]
	if known || text == "" {
		return s
	}
	if foreignWords.MatchString(text) {
		return trace.Foreign
	}
	return trace.InProgress
}

// Provisioning returns the provisioningState of the resource in x, or "".
func Provisioning(x *trace.Exchange) string { return x.Text("/properties/provisioningState") }

// RunsAfter reports whether a read of the status after x shows that op is still in progress. If so,
// op was also in progress during x.
func RunsAfter(op *trace.Operation, x *trace.Exchange) bool {
	return slices.ContainsFunc(op.Later(x), func(other *trace.Exchange) bool {
		return other.Role == trace.Status && StateOf(op, other) == trace.InProgress
	})
}

// Written reports whether op is a PUT or PATCH that has succeeded.
func Written(op *trace.Operation) bool {
	if op.End != trace.Succeeded {
		return false
	}
	return slices.Contains([]string{http.MethodPut, http.MethodPatch}, op.Method)
}

// ShowsResource selects the first response to a PUT if it is a 200 or 201 and so shows the
// resource. It selects nothing if the PUT completed at once.
func ShowsResource(op *trace.Operation) []*trace.Exchange {
	return rule.Only(rule.InProgress(http.MethodPut), func(_ *trace.Operation, x *trace.Exchange) bool {
		return slices.Contains([]int{http.StatusOK, http.StatusCreated}, x.StatusCode)
	})(op)
}

// Async returns a Source that quotes the Asynchronous API Reference.
func Async(section, quote string) rule.Source {
	return rule.Source{Document: "Asynchronous API Reference", Section: section, Quote: quote}
}

// Provider returns a Source that quotes the Resource Provider API.
func Provider(section, quote string) rule.Source {
	return rule.Source{Document: "Resource Provider API v2.0", Section: section, Quote: quote}
}
