package ibm

import (
	"net/http"
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The titles of the handbook's sections.
const (
	overview       = "Overview"
	operationBased = "Operation-based long-running operations"
	resourceBased  = "Resource-based long-running operations"
	resources      = "Operation resources"
	cancellation   = "Cancellation"
	retryAfter     = "Retry-After"
)

// firsts selects the first response, unless the operation completed at once.
func firsts(op *trace.Operation) []*trace.Exchange { return rule.InProgress()(op) }

// withBody selects the first response, unless it is the response to a DELETE and has no body.
func withBody(op *trace.Operation) []*trace.Exchange {
	return rule.Only(firsts, func(op *trace.Operation, x *trace.Exchange) bool {
		return op.Method != http.MethodDelete || len(x.Body) > 0
	})(op)
}

// reads selects the reads of the operation resource, in all phases.
func reads(op *trace.Operation) []*trace.Exchange {
	return rule.With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Role == trace.Status })(op)
}

// documents selects the responses that contain an operation resource: the first response and later
// reads.
func documents(op *trace.Operation) (all []*trace.Exchange) {
	for _, x := range append(firsts(op), reads(op)...) {
		_, isObject := x.Object()
		if x.OK() && isObject {
			all = append(all, x)
		}
	}
	return all
}

// withStatus selects the responses that contain an operation resource with a status.
func withStatus(op *trace.Operation) []*trace.Exchange {
	return rule.Only(documents, func(_ *trace.Operation, x *trace.Exchange) bool { return operationWord(x) != "" })(op)
}

// reporting selects the responses with an operation resource that reports one of the states.
func reporting(states ...trace.State) rule.Selector {
	return rule.Only(withStatus, func(_ *trace.Operation, x *trace.Exchange) bool {
		return slices.Contains(states, operationMeaning(operationWord(x)))
	})
}

// views selects the 2xx responses that may show the resource: the first response, and reads of the
// resource during and after the operation.
func views(op *trace.Operation) []*trace.Exchange {
	isView := func(op *trace.Operation, x *trace.Exchange) bool {
		return x.OK() && (x == op.First() || x.Role == trace.Resource && x.Phase != trace.Before)
	}
	return rule.With(isView)(op)
}

func objects(op *trace.Operation) []*trace.Exchange { return rule.Only(views, rule.IsObject(""))(op) }

// changes limits a selector to operations that report their status in the resource, except
// deletions.
func changes(from rule.Selector) rule.Selector {
	return rule.Only(from, func(op *trace.Operation, _ *trace.Exchange) bool {
		return op.Polled == Status && op.Method != http.MethodDelete
	})
}
