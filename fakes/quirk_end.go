package fakes

import (
	"cmp"
	"net/http"
	"time"
)

// Quirks of the end of an operation.
const (
	// EndsEmpty reports success with 200 and no body, as a runbook of
	// Automation does. At Location that is the end. At a status URL it reports
	// no status, so patience runs out, unless poller.Options.Words maps "" to
	// Succeeded.
	EndsEmpty Quirk = "W6"

	// StateCompleted ends a PUT or PATCH without a header with a
	// provisioningState of Completed, as a sync job of Automation does. A
	// client that knows only the three terminal states waits forever.
	StateCompleted Quirk = "W7"

	// FailsInternally fails the first operation on each resource with the code
	// InternalServerError, although a second attempt succeeds, as in Network.
	// Only the caller knows whether a second attempt is worthwhile:
	// poller.Retryable returns false for the error.
	FailsInternally Quirk = "W21"

	// FailsRetryably is like FailsInternally, but with the code RetryableError
	// and a detail ReferencedResourceNotProvisioned, as for a private endpoint.
	// poller.Retryable returns true for the error.
	FailsRetryably Quirk = "W23/retryable"

	// FailsWhileBusy is like FailsInternally, but with the code
	// StorageAccountOperationInProgress, as for the private endpoint of a
	// storage account. poller.Retryable returns true for the error.
	FailsWhileBusy Quirk = "W23/busy"

	// Preempted accepts a PUT or PATCH of a resource that another operation is
	// still writing. The earlier operation ends as Canceled with the code
	// OperationPreempted, as in Compute. A client that retries the canceled
	// operation would undo the newer write.
	Preempted Quirk = "W47"

	// ReportCompleted ends a POST at its Location with 200 and a status
	// document with the status Completed and the result, as for a cost details
	// report. A client that knows only the three terminal states waits forever.
	// The Result of the plan becomes the manifest.
	ReportCompleted Quirk = "W55"

	// NoCode reports the error of a failed operation without a code, as in the
	// firewalls of Palo Alto Networks. A client that needs a code loses the
	// message.
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

// complete makes Completed the word for success.
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
