package fakes

import (
	"net/http"
	"time"
)

// Quirks of a status that does not exist yet, or no longer exists.
const (
	// StatusLate publishes the URLs of an operation late: the first response
	// asks for a pause of 60 seconds, and the first two polls get 404, as for
	// Recovery Services vaults. A client that takes the 404 for the end gives
	// up while the operation is in progress.
	StatusLate Quirk = "W1"

	// StatusGoneMidway answers only the second poll of an operation with 404,
	// as Recovery Services also does. A client that tolerates 404 only before
	// the first status gives up while the operation is in progress.
	StatusGoneMidway Quirk = "W1/again"

	// AsyncIDInLocation answers PUT and PATCH as an API of API Management does.
	// Location is the path of the resource with asyncId and asyncCode in its
	// query. Only the status code reports the state: 202, then 200 or 201, or
	// an error. The resource itself never has a provisioningState. After a
	// failed create it is 404, and after a failed update it is 200 with the old
	// content. A client that drops the query, or reads the resource, takes a
	// failed update for a success.
	//
	// With a StatusCode of 201 in the plan, Location looks like the URL of a
	// new resource, and a client that follows the contract does not poll it.
	// Set poller.Options.Strategy to poller.Location for that.
	AsyncIDInLocation Quirk = "W2"

	// DeleteEndsIn404 reports the success of a DELETE with a 404
	// ResourceNotFound at Location, as for the namespaces of Event Hubs and
	// Service Bus. A client that follows the contract reports a failure.
	DeleteEndsIn404 Quirk = "W16"

	// DeleteEndsIn404AtTimes reports the success of every second DELETE,
	// including the first one, with 404 at any of its URLs, as in Managed HSM.
	// A client that expects only one of the two endings fails on the other.
	DeleteEndsIn404AtTimes Quirk = "W17/delete"

	// PurgeNeverEnds keeps the Location of a POST of …/purge at 202 after the
	// resource has been purged, as in Managed HSM. Only a 404 of the purged
	// resource shows the end. A client that follows the contract waits forever.
	// poller.CrossCheck ends the wait: give it the URL of the purged resource
	// and a State that maps 404 to success.
	PurgeNeverEnds Quirk = "W17/purge"

	// StatusNeverFound returns an Azure-AsyncOperation that is always 404, as
	// for the update of a local network gateway. A client that follows the
	// contract never learns the end. poller.CrossCheck reads the resource.
	StatusNeverFound Quirk = "W19/404"

	// StatusURLInvalid returns an Azure-AsyncOperation without a host, which
	// cannot be requested. Only the resource has the status. A client that
	// follows the contract cannot follow the operation. Set
	// poller.Options.Strategy to poller.ProvisioningState.
	StatusURLInvalid Quirk = "W19/invalid"

	// FailedResultIs500 uses Location, which returns 500 InternalServerError
	// forever once the operation has failed, as the operationResults of AKS do.
	// A client that follows the contract polls until it gives up.
	// poller.CrossCheck reads the resource, which shows the failure.
	FailedResultIs500 Quirk = "W22"

	// DeleteFailsLater accepts a DELETE with 202 and fails it in the end. The
	// resource stays, as for the AD administrator of a flexible PostgreSQL
	// server. A client that takes the 202 for a success misses the failure.
	DeleteFailsLater Quirk = "W24"

	// ChildGoneBeforeEnd makes a resource 404 before its deletion has ended,
	// and refuses to delete its parent until then with 409
	// CannotDeleteResource, as for the frontends of ServiceNetworking. A client
	// that only waits for the 404 continues too early and fails.
	ChildGoneBeforeEnd Quirk = "W25"

	// StatusExpires returns 200 without a status once the operation is 20
	// minutes old, as the operations of private endpoints do. A client that
	// follows the contract never learns how a longer operation ends.
	// poller.CrossCheck reads the resource.
	StatusExpires Quirk = "W52"

	// StatusTimesOut answers the first poll of each operation with 408. A
	// client that treats every 4xx as final gives up while the operation is in
	// progress.
	StatusTimesOut Quirk = "W54/408"

	// StatusDependencyFails is like StatusTimesOut, but with 424.
	StatusDependencyFails Quirk = "W54/424"
)

var quirksOfLostStatuses = map[Quirk]func() behaviour{
	StatusLate:       statusLate,
	StatusGoneMidway: statusGoneMidway,
	AsyncIDInLocation: func() behaviour {
		return behaviour{classify: askedByAsyncID, plan: byLocation("PUT", "PATCH"), answer: asyncIDs}
	},
	DeleteEndsIn404:        deleteEndsIn404,
	DeleteEndsIn404AtTimes: deleteEndsIn404AtTimes,
	PurgeNeverEnds:         purgeNeverEnds,
	StatusNeverFound:       statusNeverFound,
	StatusURLInvalid:       statusURLInvalid,
	FailedResultIs500:      func() behaviour { return behaviour{plan: byLocation(), answer: failedResultIs500} },
	DeleteFailsLater:       func() behaviour { return behaviour{plan: deleteFails} },
	ChildGoneBeforeEnd:     func() behaviour { return behaviour{instead: childGone} },
	StatusExpires:          func() behaviour { return behaviour{answer: statusExpires} },
	StatusTimesOut:         func() behaviour { return firstRefused(http.StatusRequestTimeout) },
	StatusDependencyFails:  func() behaviour { return firstRefused(http.StatusFailedDependency) },
}

// missing answers the polls of each operation for which is returns true with
// 404. The polls are counted from 1.
func missing(is func(n int) bool) func(*Service, *question) (Answer, bool) {
	asked := tally[*operation]{}
	return func(s *Service, q *question) (Answer, bool) {
		if q.kind != Poll || q.view == "" || !is(asked.next(q.op)) {
			return Answer{}, false
		}
		return s.speech().notFound(q, q.path), true
	}
}

func statusLate() behaviour {
	return behaviour{
		instead: missing(func(n int) bool { return n <= 2 }),
		answer: func(_ *Service, q *question, a *Answer) {
			if q.begins() && q.op.running() && a.Header.Get("Retry-After") == "" {
				a.set("Retry-After", "60")
			}
		},
	}
}

func statusGoneMidway() behaviour {
	return behaviour{instead: missing(func(n int) bool { return n == 2 })}
}

// firstRefused answers the first poll of each operation with an error.
func firstRefused(code int) behaviour {
	asked := tally[*operation]{}
	return behaviour{instead: func(s *Service, q *question) (Answer, bool) {
		if q.kind != Poll || asked.next(q.op) != 1 {
			return Answer{}, false
		}
		text := http.StatusText(code)
		return s.speech().failure(q, code, Error{Code: identifier(text), Message: text + "."}), true
	}}
}

// byLocation gives the operations of these methods, or of all, the style
// Location. Synchronous ones are unchanged.
func byLocation(verbs ...string) func(*question, *Plan) {
	return func(q *question, p *Plan) {
		if p.Style != Synchronous && anyOf(verbs, q.method) {
			p.Style = Location
		}
	}
}

// statusNeverFound answers the polls after the service has counted them.
// Otherwise the operation would make no progress.
func statusNeverFound() behaviour {
	return behaviour{
		plan: func(_ *question, p *Plan) {
			if p.Style != Synchronous {
				p.Style = AzureAsyncOperation
			}
		},
		answer: func(s *Service, q *question, a *Answer) {
			if q.asks("") {
				*a = s.speech().notFound(q, q.path)
			}
		},
	}
}

func statusURLInvalid() behaviour {
	return behaviour{
		plan: func(_ *question, p *Plan) {
			if p.Style != Synchronous {
				p.Style = ProvisioningState
			}
		},
		answer: func(_ *Service, q *question, a *Answer) {
			if q.begins() && q.op.running() {
				a.set(headers[AzureAsyncOperation], "https://"+q.op.paths[statuses])
			}
		},
	}
}

func failedResultIs500(s *Service, q *question, a *Answer) {
	if q.asks("") && q.op.told && q.op.ending == Failed {
		*a = s.speech().failure(q, http.StatusInternalServerError, Error{Code: "InternalServerError", Message: "Internal server error."})
	}
}

func statusExpires(_ *Service, q *question, a *Answer) {
	if q.asks("") && time.Since(q.op.start) >= 20*time.Minute {
		*a = jsonAnswer(http.StatusOK, encode(object{"id": q.path}))
	}
}
