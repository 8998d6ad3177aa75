package quirks

import (
	"cmp"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect how an operation ends.
const (
	// SuccessWithoutBody reports success with 200 and no body, as Azure Automation does for a
	// runbook. At the Location, this response ends the operation. At a status URL, the response
	// lacks the required status, so the poller keeps polling until its Patience runs out. It then
	// reads the resource if the operation is a creation, and otherwise gives up. If
	// poller.Options.Words maps "" to Succeeded, the response ends the operation at a status URL as
	// well.
	SuccessWithoutBody Quirk = "W6"

	// StateCompleted sends no polling header in response to a PUT or PATCH, and ends the operation
	// with a provisioningState of Completed, as Azure Automation does for a sync job. A client that
	// knows only the three terminal states waits forever.
	StateCompleted Quirk = "W7"

	// FailsWithInternalError makes the first operation on each resource fail with the code
	// InternalServerError, as in Microsoft.Network. A second attempt succeeds. Only the caller
	// knows whether to try again, so poller.Retryable returns false for the error.
	FailsWithInternalError Quirk = "W21"

	// FailsWithRetryableError is like FailsWithInternalError, but the error has the code
	// RetryableError and a detail with the code ReferencedResourceNotProvisioned, as happens with a
	// private endpoint. poller.Retryable returns true for the error.
	FailsWithRetryableError Quirk = "W23/retryable"

	// FailsWithBusyError is like FailsWithInternalError, but with the code
	// StorageAccountOperationInProgress, as happens with a storage account's private endpoint.
	// poller.Retryable returns true for the error.
	FailsWithBusyError Quirk = "W23/busy"

	// Preempted accepts a PUT or PATCH of a resource that another operation is still writing. The
	// earlier operation ends as Canceled with the code OperationPreempted, as in Microsoft.Compute.
	// A client that retries the canceled operation undoes the newer write.
	Preempted Quirk = "W47"

	// ReportCompleted ends a POST with 200 and a status document at Location, as happens with a
	// cost details report. The document has the status Completed and, in its manifest member, the
	// plan's Result. A client that knows only the three terminal states waits forever.
	ReportCompleted Quirk = "W55"

	// ErrorWithoutCode omits the code from a failed operation's error, as Palo Alto Networks
	// firewalls do. A client that requires a code loses the message.
	ErrorWithoutCode Quirk = "W60/no-code"
)

var endingQuirks = []entry{
	{SuccessWithoutBody, "success at Location is an empty 200", always(engine.Hooks{Answer: successWithoutBody})},
	{StateCompleted, "the final provisioningState is Completed", always(engine.Hooks{Plan: stateCompleted})},
	{FailsWithInternalError, "the operation fails with InternalServerError, although a second attempt succeeds", failsWithInternalError},
	{FailsWithRetryableError, "the operation fails with RetryableError", failsWithRetryableError},
	{FailsWithBusyError, "the operation fails with StorageAccountOperationInProgress", failsWithBusyError},
	{Preempted, "a newer PUT preempts the operation", always(engine.Hooks{Instead: preempt})},
	{ReportCompleted, "POST: the final status in the document at Location is Completed", always(engine.Hooks{Plan: reportCompleted, Answer: showReport})},
	{ErrorWithoutCode, "the error has no code", always(engine.Hooks{Plan: errorWithoutCode})},
}

func successWithoutBody(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if reportsEnd(q, engine.Succeeded) {
		*a = engine.Answer{StatusCode: http.StatusOK}
	}
}

func stateCompleted(q *engine.Request, p *engine.Plan) {
	if writes(q.Method) {
		preferStyle(engine.ProvisioningState)(q, p)
		succeedWithCompleted(p)
	}
}

// succeedWithCompleted makes an operation that succeeds end with the status Completed, unless the
// plan sets EndWord.
func succeedWithCompleted(p *engine.Plan) {
	if p.Ending == "" || p.Ending == engine.Succeeded {
		p.EndWord = cmp.Or(p.EndWord, "Completed")
	}
}

func failsWithInternalError() engine.Hooks {
	return failsOnce(engine.Error{Code: "InternalServerError", Message: "An error occurred."})
}

func failsWithRetryableError() engine.Hooks {
	return failsOnce(engine.Error{
		Code:    "RetryableError",
		Message: "A retryable error occurred.",
		Details: []engine.Error{
			{Code: "ReferencedResourceNotProvisioned", Message: "A resource that is referred to is not provisioned."},
		},
	})
}

func failsWithBusyError() engine.Hooks {
	return failsOnce(engine.Error{
		Code:    "StorageAccountOperationInProgress",
		Message: "An operation on the storage account is in progress.",
	})
}

// failsOnce returns hooks that make the first operation on each resource fail with e.
func failsOnce(e engine.Error) engine.Hooks {
	failed := make(map[string]bool)

	return engine.Hooks{Plan: func(q *engine.Request, p *engine.Plan) {
		k := engine.Key(q.Target)
		if failed[k] {
			return
		}
		failed[k] = true
		p.Ending = engine.Failed
		p.Error = e
	}}
}

// preempt cancels the operation that is writing a resource if q is a PUT or PATCH of that resource.
func preempt(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	op := busy(s, q)
	if op != nil && writes(op.Method) && q.Kind == engine.Begin && writes(q.Method) {
		e := engine.Error{Code: "OperationPreempted", Message: "The operation was preempted by a more recent one."}
		s.End(op, engine.Canceled, e, time.Now())
	}
	return engine.Answer{}, false
}

func reportCompleted(q *engine.Request, p *engine.Plan) {
	if q.Method == http.MethodPost {
		preferStyle(engine.Location)(q, p)
		succeedWithCompleted(p)
	}
}

// showReport makes the Location of a successful POST return a report.
func showReport(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !reportsEnd(q, engine.Succeeded) || q.Op.Method != http.MethodPost || q.View != engine.ResultURL {
		return
	}

	op := q.Op
	manifest := op.Plan.Result
	if manifest == nil {
		manifest = engine.Object{"blobs": []any{}}
	}
	*a = engine.JSON(http.StatusOK, engine.Encode(engine.Object{
		"id":       op.Paths()[engine.ResultURL],
		"name":     op.ID,
		"status":   op.EndWord,
		"manifest": manifest,
	}))
}

func errorWithoutCode(_ *engine.Request, p *engine.Plan) {
	p.Error.Code = ""
	p.Error.Message = cmp.Or(p.Error.Message, "The operation failed.")
}
