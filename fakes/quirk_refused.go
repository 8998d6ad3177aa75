package fakes

import (
	"net/http"
	"time"
)

// Quirks of a request that is refused now and would be accepted later.
const (
	// DeleteRefusedBusy refuses the first two DELETEs of a resource with 409,
	// because of another operation that the client does not know, as for the
	// profiles of Front Door. By the contract nothing was started, so the
	// client may send the request again: poller.Retryable returns true for the
	// error.
	DeleteRefusedBusy Quirk = "W57"

	// NameStillTaken refuses a PUT with 409 ShareBeingDeleted for a minute
	// after the resource at that path was deleted, as for the shares of a
	// storage account. poller.Retryable returns true for the error.
	NameStillTaken Quirk = "W58"

	// ThrottledMeaningRetry refuses the first two requests that would start an
	// operation on a resource with 429 and the code RetryableError, as the
	// agent pools of AKS do. It means that the resource is busy, not that the
	// client sends too many requests. There is no Retry-After. poller.Retryable
	// returns true for the error.
	ThrottledMeaningRetry Quirk = "W49/retryable"
)

var quirksOfRefusals = map[Quirk]func() behaviour{
	DeleteRefusedBusy: func() behaviour {
		return refusedTwice([]string{http.MethodDelete}, http.StatusConflict,
			Error{Code: "Conflict", Message: "That operation is not possible: another operation is in progress."})
	},
	NameStillTaken: func() behaviour { return behaviour{instead: nameStillTaken} },
	ThrottledMeaningRetry: func() behaviour {
		return refusedTwice(nil, http.StatusTooManyRequests,
			Error{Code: "RetryableError", Message: "A retryable error occurred."})
	},
}

// refusedTwice refuses the first two requests that would start an operation on
// a resource. A DELETE of a missing resource is not counted.
func refusedTwice(verbs []string, code int, e Error) behaviour {
	asked := tally[string]{}
	return behaviour{instead: func(s *Service, q *question) (Answer, bool) {
		if q.kind != Begin || !anyOf(verbs, q.method) {
			return Answer{}, false
		}
		if res, _ := s.find(q.path); res == nil && q.method == http.MethodDelete {
			return Answer{}, false
		}
		return s.speech().failure(q, code, e), asked.next(q.method+key(q.path)) <= 2
	}}
}

func nameStillTaken(s *Service, q *question) (Answer, bool) {
	op := s.succeeded(q.path)
	if q.kind != Begin || q.method != http.MethodPut || op == nil || !deletes(op) || time.Since(op.end) >= time.Minute {
		return Answer{}, false
	}
	return s.speech().failure(q, http.StatusConflict, Error{
		Code:    "ShareBeingDeleted",
		Message: "The specified share is being deleted. Try operation later.",
	}), true
}
