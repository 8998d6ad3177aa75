package fakes

import (
	"net/http"
	"slices"
	"time"
)

// Quirks of a resource that not every reader sees alike, or not at once.
const (
	// SeenAfterDelete answers a GET of a resource with 200 for a minute after its
	// deletion has succeeded, as Service Bus does. A client that recreates it
	// at once may find the old one; poller.Confirm waits for the 404.
	SeenAfterDelete Quirk = "W26"

	// UnseenAfterCreate answers a GET of a resource 404 for a minute after its
	// creation has succeeded, as for the firewall rules of a flexible PostgreSQL
	// server. A client that reads the result once fails what has succeeded.
	UnseenAfterCreate Quirk = "W27"

	// CreatedFlaps shows a resource that was created to every other GET, the first
	// included, until the fifth, and then to all, as resource groups do, which have
	// replicas. A client that continues after the first 200 may get a 404;
	// poller.Confirm with Times waits for several in a row.
	CreatedFlaps Quirk = "W28"

	// RegistrationFlaps is that of a POST of …/register: it is answered 200 at once,
	// no header tells of an operation, and only the registrationState of what was
	// posted to (properties.state of a feature) tells the end, which is Registered
	// and Registering in turn three times before it stays, as of resource providers
	// and features. By the contract the 200 is the end; poller.Confirm keeps
	// waiting, with the URL of the registration, a State that reads it, and Times.
	RegistrationFlaps Quirk = "W29"

	// CreatedLate shows a resource that was created to the third GET, but not to the
	// first, the second and the fourth, as DNS records, identities and role
	// assignments do. poller.Confirm with Times waits for several in a row.
	CreatedLate Quirk = "W30"

	// ForbiddenAfterCreate answers the first three GETs of a resource that was
	// created 403, as those of a management group. A client for which a refusal is
	// final fails what has succeeded.
	ForbiddenAfterCreate Quirk = "W31"

	// ChangeFlaps shows a resource for ten minutes after a change as it was before
	// it, and as it is, in turn: its state, and after a DELETE or a create whether it
	// is there, as custom IP prefixes and dedicated hosts do. No client can know;
	// poller.Confirm with Times waits for several in a row.
	ChangeFlaps Quirk = "W32/flapping"

	// ChangeUnseen shows a resource for ten minutes after a change as it was before
	// it, as custom IP prefixes do. No client can know; poller.Confirm
	// with Delay waits that long.
	ChangeUnseen Quirk = "W32/stale"

	// DeleteToldEarly deletes by Location, which tells the end five minutes before
	// the resource, Deleting until then, is gone, as at the agent pools of a
	// container registry. A client that follows the contract continues too early;
	// poller.Confirm waits for the 404.
	DeleteToldEarly Quirk = "W51"
)

var quirksOfReplicas = map[Quirk]func() behaviour{
	SeenAfterDelete:   func() behaviour { return outdated(deletes, within(time.Minute)) },
	UnseenAfterCreate: func() behaviour { return outdated(creates, within(time.Minute)) },
	CreatedFlaps:      func() behaviour { return outdated(creates, reads(2, 4)) },
	RegistrationFlaps: func() behaviour {
		return behaviour{classifyRegistration, beRegistered, planRegistration, nil, registrationFlaps()}
	},
	CreatedLate:          func() behaviour { return outdated(creates, reads(1, 2, 4)) },
	ForbiddenAfterCreate: func() behaviour { return behaviour{answer: forbiddenAfterCreate()} },
	ChangeFlaps:          func() behaviour { return outdated(changes, everyOther(10*time.Minute)) },
	ChangeUnseen:         func() behaviour { return outdated(changes, within(10*time.Minute)) },
	DeleteToldEarly:      deleteToldEarly,
}

func deletes(op *operation) bool { return op.method == http.MethodDelete }
func creates(op *operation) bool { return op.created }
func changes(op *operation) bool { return op.method != http.MethodPost }

// A when says whether the n-th GET since the end of an operation is meant, and d
// after it.
type when func(n int, d time.Duration) bool

func within(span time.Duration) when {
	return func(_ int, d time.Duration) bool { return d < span }
}

func everyOther(span time.Duration) when {
	return func(n int, d time.Duration) bool { return n%2 == 1 && d < span }
}

func reads(which ...int) when {
	return func(n int, _ time.Duration) bool {
		return slices.Contains(which, n)
	}
}

// outdated answers a GET of a resource as before the operation that changed it
// last, if that has succeeded and old says so.
func outdated(changed func(*operation) bool, old when) behaviour {
	var now Answer // before a request that may begin one
	before, asked := map[*operation]Answer{}, tally[*operation]{}
	return behaviour{
		instead: func(s *Service, q *question) (Answer, bool) {
			now = s.read(q)
			return Answer{}, false
		},
		answer: func(s *Service, q *question, a *Answer) {
			if q.begins() {
				before[q.op] = now
			}
			op := s.succeeded(q.path)
			if q.asksResource() && op != nil && changed(op) && (q.kind == Read || op.told) && old(asked.next(op), time.Since(op.end)) {
				*a = before[op]
			}
		},
	}
}

func deleteToldEarly() behaviour {
	b := outdated(deletes, within(lag))
	stale := b.answer
	b.plan = byLocation(http.MethodDelete)
	b.answer = func(s *Service, q *question, a *Answer) {
		stale(s, q, a)
		if op := s.succeeded(q.path); op != nil && deletes(op) && a.StatusCode == http.StatusOK {
			a.edit(func(o object) { property(o, "provisioningState", "Deleting") })
		}
	}
	return b
}

func forbiddenAfterCreate() func(*Service, *question, *Answer) {
	asked := tally[*operation]{}
	return func(s *Service, q *question, a *Answer) {
		op := s.latest[key(q.path)]
		if !q.asksResource() || op == nil || !op.created || asked.next(op) > 3 {
			return
		}
		*a = s.speech().failure(q, http.StatusForbidden, Error{
			Code:    "AuthorizationFailed",
			Message: "The client does not have authorization to read the resource '" + q.path + "'.",
		})
	}
}
