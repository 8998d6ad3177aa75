package fakes

import (
	"net/http"
	"time"
)

// Quirks of a status that is not there, or is there no longer.
const (
	// StatusLate publishes the URL of an operation late: the first answer asks for
	// a pause of 60 seconds, and the first two questions after it are 404, as at
	// Recovery Services vaults. A client that takes the 404 for the end of the
	// operation gives up one that runs.
	StatusLate Quirk = "W1"

	// StatusGoneMidway answers the second question about an operation 404, and the
	// others as usual, as Recovery Services does, too. A client that bears 404 only
	// before the first status gives up one that runs.
	StatusGoneMidway Quirk = "W1/again"

	// AsyncIDInLocation is API Management's way with PUT and PATCH of an API:
	// Location is the resource's own path with asyncId and asyncCode, and the state
	// is in the status code alone: 202, then 200 or 201, or an error. Without the
	// asyncId it is 404 after a failed create and 200 with the old resource after a
	// failed update, and never has a provisioningState. A client that drops the
	// query, or asks the resource, takes a failed update for a success. With a
	// StatusCode of 201 in the plan, Location looks like that of the resource, and
	// a client by the contract does not poll: poller.Options.Strategy covers it,
	// with poller.Location.
	AsyncIDInLocation Quirk = "W2"

	// DeleteEndsIn404 deletes by Location, and when all is done Location is 404
	// ResourceNotFound, as at the namespaces of Event Hubs and Service Bus. A client
	// by the contract fails a deletion that has succeeded.
	DeleteEndsIn404 Quirk = "W16"

	// DeleteEndsIn404AtTimes is that of every second operation that deletes,
	// whatever its URL, the first included, as at Managed HSM. A client that has
	// learned of one of the two endings fails on the other.
	DeleteEndsIn404AtTimes Quirk = "W17/delete"

	// PurgeNeverEnds keeps Location at 202 after a POST of …/purge has done its
	// work, as Managed HSM does: only that what was purged is 404 tells. A client
	// that follows the contract waits forever; poller.CrossCheck ends the wait, with
	// the URL of the purged resource and a State that knows its 404.
	PurgeNeverEnds Quirk = "W17/purge"

	// StatusNeverFound names an Azure-AsyncOperation that is 404 from the first
	// question to the last, as for the update of a local network gateway. A client
	// that follows the contract never learns the end; poller.CrossCheck reads the
	// resource.
	StatusNeverFound Quirk = "W19/404"

	// StatusURLInvalid names an Azure-AsyncOperation that has no host, and so is no
	// URL that can be asked. Only the resource tells. No client by the contract can
	// follow it; poller.Options.Strategy covers it, with poller.ProvisioningState.
	StatusURLInvalid Quirk = "W19/invalid"

	// FailedResultIs500 tells by Location, which is 500 InternalServerError for
	// ever once the operation has failed, as the operationResults of AKS. A client
	// that follows only the specification asks again and again;
	// poller.CrossCheck reads the resource, which has failed.
	FailedResultIs500 Quirk = "W22"

	// DeleteFailsLater accepts a DELETE with 202 and fails it in the end, and the
	// resource stays, as for the AD administrator of a flexible PostgreSQL server. A
	// client that takes the 202 for the deletion loses the failure.
	DeleteFailsLater Quirk = "W24"

	// ChildGoneBeforeEnd shows a resource as 404 before its deletion has ended, and
	// refuses meanwhile to delete what it is part of, with 409 CannotDeleteResource,
	// as at the frontends of ServiceNetworking. A client that waits for the 404
	// alone goes on too early, and fails.
	ChildGoneBeforeEnd Quirk = "W25"

	// StatusExpires answers 200 without a status from 20 minutes after the
	// beginning on, as the operations of private endpoints. A client that
	// follows the contract never learns how a longer one ends; poller.CrossCheck
	// reads the resource.
	StatusExpires Quirk = "W52"

	// StatusTimesOut answers the first question about each operation 408. A client
	// for which every 4xx is final gives up one that runs.
	StatusTimesOut Quirk = "W54/408"

	// StatusDependencyFails is the same with 424.
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

// missing is the n-th question about each operation, where is says so, and 404.
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

// firstRefused answers the first question about each operation with an error.
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

// byLocation lets the operations of these verbs, or of all, tell by Location
// alone. What is synchronous stays so.
func byLocation(verbs ...string) func(*question, *Plan) {
	return func(q *question, p *Plan) {
		if p.Style != Synchronous && anyOf(verbs, q.method) {
			p.Style = Location
		}
	}
}

// statusNeverFound counts the questions as polls: there is nothing else that
// would let the operation go on.
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
