package arm

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The values of trace.Watch.Source: the headers that contain the status URL, and the member of the
// resource that shows the status.
const (
	AsyncOperation    = "Azure-AsyncOperation"
	OperationLocation = "Operation-Location"
	Location          = "Location"
	ProvisioningState = "provisioningState"
)

// Protocol interprets the responses of Azure Resource Manager.
type Protocol struct{}

// Resource returns the URL of the resource that a request acts on, or "" for a POST.
func (Protocol) Resource(method, target string) string {
	if method == http.MethodPost {
		return ""
	}
	return target
}

// Watches returns where the status of op can be read after its first response. The status at the
// first Watch determines when op has ended. Watches returns nil if op completed at once or if its
// status cannot be read anywhere.
func (Protocol) Watches(op *trace.Operation) (all []trace.Watch) {
	first := op.First()
	for _, header := range []string{AsyncOperation, OperationLocation, Location} {
		u := first.Link(header)
		if u == nil {
			continue
		}
		if header != Location || pollsLocation(first, u) {
			all = append(all, trace.Watch{Role: trace.Status, Source: header, URL: u.String()})
		}
	}
	if len(all) == 0 && watchesResource(op) {
		all = append(all, trace.Watch{Role: trace.Resource, Source: ProvisioningState, URL: op.Resource})
	}
	return all
}

// pollsLocation reports whether u, the Location of a first response, is the URL of an operation.
// After a 200 or 201, u may be the resource's own URL.
func pollsLocation(first *trace.Exchange, u *url.URL) bool {
	return first.StatusCode == http.StatusAccepted || !strings.EqualFold(u.Path, first.Path())
}

// watchesResource reports whether the status of op has to be read from the resource. It assumes
// that the first response contains no status URL.
func watchesResource(op *trace.Operation) bool {
	if op.Resource == "" {
		return false
	}
	first := op.First()
	if first.StatusCode == http.StatusAccepted {
		return true
	}
	return slices.Contains([]trace.State{trace.InProgress, trace.Foreign}, Meaning(Word(first)))
}

// Next returns the URL for the next read of w: the new URL in x, the response to the previous read,
// or else w.URL.
func (Protocol) Next(x *trace.Exchange, w trace.Watch) string {
	u := x.Link(w.Source)
	if u == nil {
		return w.URL
	}
	return u.String()
}

// State returns the state of op that x reports.
func (Protocol) State(op *trace.Operation, x *trace.Exchange) trace.State { return StateOf(op, x) }

// StateOf returns the state of op that x reports.
func StateOf(op *trace.Operation, x *trace.Exchange) trace.State {
	if x.Role == trace.Resource {
		return stateOfResource(op, x)
	}
	if x.Role != trace.Status {
		return trace.Unknown
	}
	if x.Source == Location {
		return stateOfLocation(op, x)
	}
	return stateOfMonitor(op, x)
}

// stateOfMonitor returns the state that a read of the status document reports.
func stateOfMonitor(op *trace.Operation, x *trace.Exchange) trace.State {
	if op.Method == http.MethodDelete && x.StatusCode == http.StatusNoContent {
		return trace.HasSucceeded // quirk W46
	}
	if !x.OK() {
		return trace.Unknown
	}
	return Meaning(Word(x))
}

// stateOfLocation returns the state that a read of the Location reports.
func stateOfLocation(op *trace.Operation, x *trace.Exchange) trace.State {
	if x.StatusCode == http.StatusAccepted {
		return trace.InProgress
	}
	if IsStatusDocument(x) {
		return Meaning(Word(x)) // quirk W53
	}
	if x.OK() {
		return stateOfResult(x)
	}
	if !refuses(op, x) {
		return trace.Unknown
	}
	if strings.EqualFold(x.Text("/error/code"), "Canceled") {
		return trace.WasCanceled
	}
	return trace.HasFailed
}

// stateOfResult returns the state that an operation's result reports: success, unless the result is
// a resource whose provisioningState reports a failure or a cancellation.
func stateOfResult(x *trace.Exchange) trace.State {
	s := Meaning(Provisioning(x))
	if slices.Contains([]trace.State{trace.HasFailed, trace.WasCanceled}, s) {
		return s
	}
	return trace.HasSucceeded
}

// readFailures are the 4xx codes that say only that the read of the Location failed, and nothing
// about the operation.
var readFailures = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout,
	http.StatusFailedDependency, http.StatusTooManyRequests,
}

// refuses reports whether x, a read of the Location, shows that the operation failed or was
// canceled. A 400 says nothing about the operation if the URL of x lacks an api-version (quirk
// W15).
func refuses(op *trace.Operation, x *trace.Exchange) bool {
	if slices.Contains(readFailures, x.StatusCode) {
		return false
	}
	unversioned := x.StatusCode == http.StatusBadRequest && LacksVersion(op, x.URL)
	return x.StatusCode/100 == 4 && !unversioned
}

// IsStatusDocument reports whether the body of x, a read of the Location, is a status document, and
// not a result. Both may have a status member, but only the id of a status document is the path of
// the Location.
func IsStatusDocument(x *trace.Exchange) bool {
	if x.StatusCode != http.StatusOK || x.Text("/status") == "" {
		return false
	}
	return strings.EqualFold(x.Text("/id"), x.Path())
}

// stateOfResource returns the state that a read of the resource reports.
func stateOfResource(op *trace.Operation, x *trace.Exchange) trace.State {
	if op.Method == http.MethodDelete {
		return stateOfDeletion(x)
	}
	if !x.OK() || len(x.Body) == 0 {
		return trace.Unknown
	}
	says := Word(x)
	if says == "" {
		return trace.HasSucceeded // "If the resource returns no provisioningState, it is assumed to be Succeeded"
	}
	return Meaning(says)
}

// stateOfDeletion returns the state that a read of the resource reports during a deletion.
func stateOfDeletion(x *trace.Exchange) trace.State {
	if x.StatusCode == http.StatusNotFound {
		return trace.HasSucceeded
	}
	if !x.OK() {
		return trace.Unknown
	}
	s := Meaning(Word(x))
	if slices.Contains([]trace.State{trace.HasFailed, trace.WasCanceled}, s) {
		return s
	}
	return trace.InProgress
}

// LacksVersion reports whether a URL has no api-version although the first request of op has one.
func LacksVersion(op *trace.Operation, link string) bool {
	asked, err := url.Parse(op.URL)
	if err != nil {
		return false
	}
	u, err := asked.Parse(link)
	if err != nil {
		return false
	}
	return trace.Query(asked, apiVersion) != "" && trace.Query(u, apiVersion) == ""
}

// apiVersion is the query parameter that Azure Resource Manager requires in every URL.
const apiVersion = "api-version"
