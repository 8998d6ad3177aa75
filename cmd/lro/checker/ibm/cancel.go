package ibm

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// cancels holds the rules for a DELETE of an operation resource, which requests cancellation of the
// operation.
var cancels = rule.Table{Topic: "Cancellation", Rules: []rule.Rule{
	cancelCode(),
	cancelReported(),
}}

func cancelCode() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-cancel", Severity: rule.Must,
		Title:   "The service accepts a DELETE of the operation resource or, if it cannot cancel the operation, returns a 404, 405, 409 or 501.",
		Source:  handbook(cancellation, "Services MAY support operation cancellation by exposing DELETE on the operation. If supported, DELETE operations MUST be idempotent."),
		Client:  "A client does not know whether the operation is still in progress.",
		Example: "DELETE …/operations/op-1 → 500 Internal Server Error",
		On:      rule.Cancels,
		Broken: rule.CodeOtherThan(
			http.StatusOK, http.StatusAccepted, http.StatusNoContent,
			http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict, http.StatusNotImplemented,
		),
	}
}

func cancelReported() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-cancel-status", Severity: rule.Must,
		Title:   "After a cancellation, a GET of the operation resource returns 200.",
		Source:  handbook(cancellation, "Operations that support cancellation MUST sufficiently describe their cancellation such that the state of the system can be accurately determined, and any compensating actions may be run."),
		Client:  "A client cannot tell whether the operation was canceled or has succeeded.",
		Example: "DELETE …/operations/op-1 → 204, and then GET → 404",
		On:      rule.Only(reads, wasCanceled), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

// wasCanceled reports whether, before x, the service accepted a request to cancel op.
func wasCanceled(op *trace.Operation, x *trace.Exchange) bool {
	accepted := op.Previous(x, func(other *trace.Exchange) bool { return other.Role == trace.Cancel && other.OK() })
	return accepted != nil
}
