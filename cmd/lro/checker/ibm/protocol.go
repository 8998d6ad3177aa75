package ibm

import (
	"net/http"
	"net/url"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The values of trace.Watch.Source, which say where the status URL comes from.
const (
	Location        = "Location"
	ContentLocation = "Content-Location"
	Href            = "href"
	Status          = "status" // the resource itself contains the status
)

// Operation interprets the responses of a service with operation resources.
type Operation struct{}

// Resource returns the URL of the resource that a request acts on, or "" for a POST.
func (Operation) Resource(method, target string) string { return resourceOf(method, target) }

func resourceOf(method, target string) string {
	if method == http.MethodPost {
		return ""
	}
	return target
}

// Watches returns the status URL in the first response of op. It returns nil if the operation
// completed at once or the response contains no status URL.
func (Operation) Watches(op *trace.Operation) []trace.Watch {
	first := op.First()
	isOperation := first.StatusCode == http.StatusAccepted || operationWord(first) != ""
	if !isOperation {
		return nil
	}
	for _, header := range []string{Location, ContentLocation} {
		u := first.Link(header)
		if u != nil {
			return []trace.Watch{{Role: trace.Status, Source: header, URL: u.String()}}
		}
	}
	u := hrefOf(first, "/href")
	if u == nil {
		return nil
	}
	return []trace.Watch{{Role: trace.Status, Source: Href, URL: u.String()}}
}

// hrefOf returns the absolute form of the URL at a JSON pointer in the body, or nil if there is
// none.
func hrefOf(x *trace.Exchange, pointer string) *url.URL {
	text := x.Text(pointer)
	if text == "" {
		return nil
	}
	return x.Resolve(text)
}

// Next returns w.URL, because the URL of an operation resource does not change.
func (Operation) Next(_ *trace.Exchange, w trace.Watch) string { return w.URL }

// State returns the state of op that x reports. If x contains the URL of the resource that a POST
// creates, State stores it in op.Resource.
func (Operation) State(op *trace.Operation, x *trace.Exchange) trace.State {
	if x.Role == trace.Resource {
		return trace.Unknown
	}
	if !x.OK() {
		return trace.Unknown
	}
	s := operationMeaning(operationWord(x))
	target := targetOf(x)
	if op.Resource == "" && target != nil {
		op.Resource = target.String()
	}
	return s
}

// targetOf returns the URL of the target in an operation resource, or nil. The target is the
// resource that the operation acts on.
func targetOf(x *trace.Exchange) *url.URL {
	for _, pointer := range []string{"/resource/href", "/resource_href", "/target/href", "/target", "/resource"} {
		u := hrefOf(x, pointer)
		if u != nil {
			return u
		}
	}
	return nil
}

// Resource interprets the responses of a service whose resources contain the status of their operations.
type Resource struct{}

// Resource returns the URL of the resource that a request acts on, or "" for a POST.
func (Resource) Resource(method, target string) string { return resourceOf(method, target) }

// Watches returns the URL of the resource, which contains the status of op. It returns nil if the
// operation completed at once or the URL is unknown. After a POST, Watches also stores the URL of
// the new resource in op.Resource.
func (Resource) Watches(op *trace.Operation) []trace.Watch {
	first := op.First()
	if op.Resource == "" {
		op.Resource = created(op, first)
	}
	if op.Resource == "" {
		return nil
	}
	isOver := op.Method != http.MethodDelete && resourceMeaning(resourceWord(first)) != trace.InProgress
	if isOver && first.StatusCode != http.StatusAccepted {
		return nil
	}
	return []trace.Watch{{Role: trace.Resource, Source: Status, URL: op.Resource}}
}

// created returns the URL of the resource that a POST created, or "". A URL without a query gets
// the POST's query, because VPC requires one.
func created(op *trace.Operation, first *trace.Exchange) string {
	u := hrefOf(first, "/href")
	if u == nil {
		u = first.Link(Location)
	}
	if u == nil {
		return ""
	}
	asked, err := url.Parse(op.URL)
	if err == nil && u.RawQuery == "" {
		u.RawQuery = asked.RawQuery
	}
	return u.String()
}

// Next returns w.URL, because the URL of a resource does not change.
func (Resource) Next(_ *trace.Exchange, w trace.Watch) string { return w.URL }

// State returns the state of op that x reports.
func (Resource) State(op *trace.Operation, x *trace.Exchange) trace.State {
	if x.Role != trace.Resource {
		return trace.Unknown
	}
	if op.Method == http.MethodDelete {
		return stateOfDeletion(x)
	}
	if !x.OK() {
		return trace.Unknown
	}
	return resourceMeaning(resourceWord(x))
}

// stateOfDeletion returns the state that a read of the resource reports during a deletion. If the
// resource has a last_operation, the state of the last_operation decides, because Resource
// Controller keeps deleted instances.
func stateOfDeletion(x *trace.Exchange) trace.State {
	if isGone(x) {
		return trace.HasSucceeded
	}
	if !x.OK() {
		return trace.Unknown
	}
	word := x.Text(lastOperation)
	if word != "" {
		return resourceMeaning(word)
	}
	s := resourceMeaning(resourceWord(x))
	if s == trace.HasFailed {
		return s
	}
	return trace.InProgress
}

func isGone(x *trace.Exchange) bool {
	return x.StatusCode == http.StatusNotFound || x.StatusCode == http.StatusGone
}
