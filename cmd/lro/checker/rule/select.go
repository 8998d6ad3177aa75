package rule

import (
	"net/http"
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Selector selects exchanges from an operation.
type Selector = func(*trace.Operation) []*trace.Exchange

// A Condition reports whether a rule applies to an exchange.
type Condition = func(*trace.Operation, *trace.Exchange) bool

// All selects every exchange with a response, except a cancel request if the service does not
// support cancellation.
func All(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool { return x.StatusCode != 0 && !isUnsupported(x) })
}

// isUnsupported reports whether x is a cancel request whose response means that the service does
// not support cancellation.
func isUnsupported(x *trace.Exchange) bool {
	codes := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
	return x.Role == trace.Cancel && slices.Contains(codes, x.StatusCode)
}

// Only returns a Selector that narrows another one to the exchanges that meet a condition.
func Only(from Selector, keep Condition) Selector {
	return func(op *trace.Operation) (kept []*trace.Exchange) {
		for _, x := range from(op) {
			if keep(op, x) {
				kept = append(kept, x)
			}
		}
		return kept
	}
}

// With returns a Selector that narrows [All] to the exchanges that meet a condition.
func With(keep Condition) Selector { return Only(All, keep) }

// First selects the exchange that started the operation, if the response is a 2xx and the request
// has one of the given methods. With no arguments, First accepts every method.
func First(methods ...string) Selector {
	return func(op *trace.Operation) []*trace.Exchange {
		x := op.First()
		if x == nil || !x.OK() || op.Listing {
			return nil
		}
		if len(methods) > 0 && !slices.Contains(methods, op.Method) {
			return nil
		}
		return []*trace.Exchange{x}
	}
}

// InProgress is like First, but selects nothing if the check read no status, for example because
// the operation completed at once.
func InProgress(methods ...string) Selector {
	return Only(First(methods...), func(op *trace.Operation, _ *trace.Exchange) bool { return op.Polled != "" })
}

// Resources selects the reads of the resource in the given phase.
func Resources(phase trace.Phase) Selector {
	return With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Role == trace.Resource && x.Phase == phase })
}

// Probes selects the responses to the probe with the given name.
func Probes(name string) Selector {
	return With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Probe == name })
}

// Cancels selects the responses to the requests that cancel the operation.
func Cancels(op *trace.Operation) []*trace.Exchange {
	return With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Role == trace.Cancel })(op)
}

// During reports whether the request was sent while the operation was in progress.
func During(_ *trace.Operation, x *trace.Exchange) bool { return x.Phase == trace.During }

// After reports whether the request was sent after the operation had ended.
func After(_ *trace.Operation, x *trace.Exchange) bool { return x.Phase == trace.After }

// OK reports whether the response has a 2xx status code.
func OK(_ *trace.Operation, x *trace.Exchange) bool { return x.OK() }

// Accepted reports whether the response is a 202.
func Accepted(_ *trace.Operation, x *trace.Exchange) bool { return x.StatusCode == http.StatusAccepted }

// HasBody reports whether the response has a body.
func HasBody(_ *trace.Operation, x *trace.Exchange) bool { return len(x.Body) > 0 }

// Has returns a Condition that requires a non-null value at a JSON pointer in the body.
func Has(pointer string) Condition {
	return func(_ *trace.Operation, x *trace.Exchange) bool { return x.Has(pointer) }
}

// HasText returns a Condition that requires a non-empty string at a JSON pointer in the body.
func HasText(pointer string) Condition {
	return func(_ *trace.Operation, x *trace.Exchange) bool { return x.Text(pointer) != "" }
}

// IsObject returns a Condition that requires an object at a JSON pointer in the body.
func IsObject(pointer string) Condition {
	return func(_ *trace.Operation, x *trace.Exchange) bool {
		_, ok := Value(x, pointer).(map[string]any)
		return ok
	}
}

// Value returns the value at a JSON pointer in the body, or nil.
func Value(x *trace.Exchange, pointer string) any {
	v, _ := x.Lookup(pointer)
	return v
}
