package fakes

import (
	"net/http"
	"slices"
	"time"
)

// Quirks of a resource that reads show late or inconsistently.
const (
	// SeenAfterDelete answers a GET of a resource with 200 for a minute after
	// its deletion has succeeded, as in Service Bus. A client that recreates
	// the resource at once may find the old one. poller.Confirm waits for the
	// 404.
	SeenAfterDelete Quirk = "W26"

	// UnseenAfterCreate answers a GET of a resource with 404 for a minute after
	// its creation has succeeded, as for the firewall rules of a flexible
	// PostgreSQL server. A client that reads the result only once reports a
	// failure.
	UnseenAfterCreate Quirk = "W27"

	// CreatedFlaps shows a new resource to every other GET, starting with the
	// first, until the fifth, and from then on to all, as resource groups do,
	// which have replicas. A client that continues after the first 200 may get
	// a 404 later. poller.Confirm with Times waits for several reads in a row.
	CreatedFlaps Quirk = "W28"

	// RegistrationFlaps answers a POST of …/register with 200 and no header, as
	// for resource providers and features. Only the registrationState of the
	// provider (properties.state of a feature) shows the end: it alternates
	// between Registered and Registering three times before it stays. By the
	// contract the 200 is the end. poller.Confirm keeps waiting, with the URL
	// of the provider, a State that reads the registrationState, and Times.
	RegistrationFlaps Quirk = "W29"

	// CreatedLate shows a new resource to the third GET and from the fifth, and
	// is 404 before and in between, as for DNS records, identities and role
	// assignments. poller.Confirm with Times waits for several reads in a row.
	CreatedLate Quirk = "W30"

	// ForbiddenAfterCreate answers the first three GETs of a new resource with
	// 403, as for a management group. A client that treats 403 as final reports
	// a failure.
	ForbiddenAfterCreate Quirk = "W31"

	// ChangeFlaps alternates between the old and the new state of a resource
	// for ten minutes after a change, as custom IP prefixes and dedicated hosts
	// do. After a create or a DELETE, it alternates between 404 and 200. A
	// client cannot detect this. poller.Confirm with Times waits for several
	// reads in a row.
	ChangeFlaps Quirk = "W32/flapping"

	// ChangeUnseen shows the old state of a resource for ten minutes after a
	// change, as custom IP prefixes do. A client cannot detect this.
	// poller.Confirm with Delay waits that long.
	ChangeUnseen Quirk = "W32/stale"

	// DeleteToldEarly reports the end of a DELETE at Location five minutes
	// before the resource is gone, as for the agent pools of a container
	// registry. Until then the resource is Deleting. A client that follows the
	// contract continues too early. poller.Confirm waits for the 404.
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

// A when reports whether a quirk applies to the nth GET after the end of an
// operation. d is the time since that end.
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

// outdated answers a GET with the state before the last operation on the
// resource, if that operation has succeeded and old returns true.
func outdated(changed func(*operation) bool, old when) behaviour {
	var now Answer // the state before the current request
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
