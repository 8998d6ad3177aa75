package fakes

import (
	"cmp"
	"net/http"
	"time"
)

// Quirks of how an operation ends.
const (
	// EndsEmpty is that of an operation whose URLs answer its success with 200 and
	// no body, as a runbook of Automation. At Location that is the end; at a status
	// URL nothing is told, and patience ends, unless poller.Options.Words has "" as
	// Succeeded.
	EndsEmpty Quirk = "W6"

	// StateCompleted is that of a PUT or PATCH without a header whose resource
	// ends with a provisioningState of Completed, as a sync job of Automation. A
	// client that knows the three terminal words waits for ever.
	StateCompleted Quirk = "W7"

	// FailsInternally is that of an operation which Failed with the code
	// InternalServerError, although it succeeds when it is asked for again, as in
	// Network. Each resource has it once. Only the caller knows whether this error
	// is worth a second attempt: poller.Retryable returns false for it.
	FailsInternally Quirk = "W21"

	// FailsRetryably is FailsInternally with the code RetryableError and a detail
	// ReferencedResourceNotProvisioned, as a private endpoint. poller.Retryable
	// returns true for the error.
	FailsRetryably Quirk = "W23/retryable"

	// FailsWhileBusy is FailsInternally with the code
	// StorageAccountOperationInProgress, as the private endpoint of a storage
	// account. poller.Retryable returns true for the error.
	FailsWhileBusy Quirk = "W23/busy"

	// Preempted is that of a PUT or PATCH on a resource that is still being
	// written: it is accepted, and the operation before it is Canceled with the
	// code OperationPreempted, as in Compute. A client that retries what was
	// canceled would undo the newer write.
	Preempted Quirk = "W47"

	// ReportCompleted is that of a POST with Location whose end is 200 with a
	// status document of Completed that has the result, as a cost details report.
	// A client that knows the three terminal words waits for ever. The Result of
	// the plan is its manifest.
	ReportCompleted Quirk = "W55"

	// NoCode is that of an operation that fails with an error without a code, as in
	// Palo Alto Networks' firewalls. A client that needs one loses the message.
	NoCode Quirk = "W60/no-code"
)

var quirksOfEndings = map[Quirk]func() behaviour{
	EndsEmpty:      func() behaviour { return behaviour{answer: endsEmpty} },
	StateCompleted: func() behaviour { return behaviour{plan: stateCompleted} },
	FailsInternally: func() behaviour {
		return failsOnce(Error{Code: "InternalServerError", Message: "An error occurred."})
	},
	FailsRetryably: func() behaviour {
		return failsOnce(Error{Code: "RetryableError", Message: "A retryable error occurred.", Details: []Error{
			{Code: "ReferencedResourceNotProvisioned", Message: "A resource that is referred to is not provisioned."},
		}})
	},
	FailsWhileBusy: func() behaviour {
		return failsOnce(Error{Code: "StorageAccountOperationInProgress", Message: "An operation on the storage account is in progress."})
	},
	Preempted:       func() behaviour { return behaviour{instead: preempt} },
	ReportCompleted: func() behaviour { return behaviour{plan: reportCompleted, answer: report} },
	NoCode:          func() behaviour { return behaviour{plan: noCode} },
}

func endsEmpty(_ *Service, q *question, a *Answer) {
	if q.asks("") && q.op.told && q.op.ending == Succeeded {
		*a = Answer{StatusCode: http.StatusOK}
	}
}

func stateCompleted(q *question, p *Plan) {
	if writes(q.method) {
		p.prefer(ProvisioningState)
		complete(p)
	}
}

// complete has success called Completed.
func complete(p *Plan) {
	if p.Ending == "" || p.Ending == Succeeded {
		p.EndWord = cmp.Or(p.EndWord, "Completed")
	}
}

// failsOnce fails the first operation on each resource.
func failsOnce(e Error) behaviour {
	failed := make(map[string]bool)
	return behaviour{plan: func(q *question, p *Plan) {
		if k := key(q.target); !failed[k] {
			failed[k], p.Ending, p.Error = true, Failed, e
		}
	}}
}

func preempt(s *Service, q *question) (Answer, bool) {
	if op := s.busy(q); q.kind == Begin && writes(q.method) && op != nil && writes(op.method) {
		e := Error{Code: "OperationPreempted", Message: "The operation was preempted by a more recent one."}
		s.end(op, Canceled, e, time.Now())
	}
	return Answer{}, false
}

func reportCompleted(q *question, p *Plan) {
	if q.method == http.MethodPost {
		p.prefer(Location)
		complete(p)
	}
}

func report(_ *Service, q *question, a *Answer) {
	op := q.op
	if !q.asks(http.MethodPost) || q.view != results || !op.told || op.ending != Succeeded {
		return
	}
	manifest := op.plan.Result
	if manifest == nil {
		manifest = object{"blobs": []any{}}
	}
	*a = jsonAnswer(http.StatusOK, encode(object{"id": op.paths[results], "name": op.id, "status": op.endWord, "manifest": manifest}))
}

func noCode(_ *question, p *Plan) {
	p.Error.Code, p.Error.Message = "", cmp.Or(p.Error.Message, "The operation failed.")
}
