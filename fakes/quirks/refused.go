package quirks

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks in which the service refuses a request at first, but accepts it later.
const (
	// DeleteRefusedWhileBusy refuses the first two DELETEs of a resource with 409, as happens with
	// Front Door profiles. The reason is an operation that the client does not know about. Under
	// the contract, the 409 means that the request has not started an operation, so the client may
	// retry it. poller.Retryable returns true for the error.
	DeleteRefusedWhileBusy Quirk = "W57"

	// NameStillTaken refuses a PUT with 409 ShareBeingDeleted for a minute after the resource at
	// that path has been deleted, as happens with a storage account's shares. poller.Retryable
	// returns true for the error.
	NameStillTaken Quirk = "W58"

	// BusyReportedAs429 answers the first two PUTs of a resource with 429, the code RetryableError
	// and no Retry-After, as AKS agent pools do. It does the same for PATCH, for POST and, if the
	// resource exists, for DELETE. The code means that the resource is busy, not that the client
	// has sent too many requests. poller.Retryable returns true for the error.
	BusyReportedAs429 Quirk = "W49/retryable"
)

var refusalQuirks = []entry{
	{DeleteRefusedWhileBusy, "the service refuses a DELETE with 409 because it is busy", deleteRefusedWhileBusy},
	{NameStillTaken, "the service refuses a PUT with 409 for a minute after a resource of the same name was deleted", always(engine.Hooks{Instead: nameStillTaken})},
	{BusyReportedAs429, "the service refuses the request with 429 and RetryableError", busyReportedAs429},
}

func deleteRefusedWhileBusy() engine.Hooks {
	e := engine.Error{Code: "Conflict", Message: "That operation is not possible: another operation is in progress."}
	return refusedTwice(http.StatusConflict, e, http.MethodDelete)
}

func busyReportedAs429() engine.Hooks {
	e := engine.Error{Code: "RetryableError", Message: "A retryable error occurred."}
	return refusedTwice(http.StatusTooManyRequests, e)
}

// refusedTwice returns hooks that refuse the first two attempts to start an operation, for each
// method and path. If methods are given, only those are refused. A DELETE of a missing resource is
// never refused.
func refusedTwice(code int, e engine.Error, methods ...string) engine.Hooks {
	attempts := tally[string]{}

	return engine.Hooks{Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
		if q.Kind != engine.Begin || !matches(methods, q.Method) {
			return engine.Answer{}, false
		}
		res, _ := s.Find(q.Path)
		if res == nil && q.Method == http.MethodDelete {
			return engine.Answer{}, false
		}
		if attempts.next(q.Method+engine.Key(q.Path)) > 2 {
			return engine.Answer{}, false
		}
		return s.Dialect.Failure(q, code, e), true
	}}
}

func nameStillTaken(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	op := lastSuccess(s, q.Path)
	if op == nil || !deletes(op) || time.Since(op.End) >= time.Minute {
		return engine.Answer{}, false
	}
	if !q.Is(engine.Begin, http.MethodPut) {
		return engine.Answer{}, false
	}
	return s.Dialect.Failure(q, http.StatusConflict, engine.Error{
		Code:    "ShareBeingDeleted",
		Message: "The specified share is being deleted. Try operation later.",
	}), true
}
