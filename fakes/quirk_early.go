package fakes

import (
	"net/http"
	"time"
)

// Quirks of an operation that has succeeded before the resource is ready. All
// take five minutes more. No client can know; poller.Confirm reads the resource,
// and its State reads what the service adds.
const (
	// SucceededUnprotected shows a provisioningState of Succeeded while
	// properties.currentProtectionState is still ConfiguringProtection, and
	// ProtectionConfigured only later, as the backup instances of DataProtection.
	SucceededUnprotected Quirk = "W33"

	// SucceededNotRunning shows a provisioningState of Succeeded while
	// properties.resourceState is still Creating, or Updating, and Running only
	// later, as Managed Redis.
	SucceededNotRunning Quirk = "W34"

	// SucceededUnrouted shows a provisioningState of Succeeded while
	// properties.routingState is still Provisioning, and Provisioned only later, as
	// virtual hubs.
	SucceededUnrouted Quirk = "W35"

	// SucceededWhileCreating ends the operation while the resource shows a
	// provisioningState of Creating, or Updating, and Succeeded only later, as
	// Purview accounts. Where the operation tells by Location, that state is in its
	// last answer, and a client sees that there is more to come; after a status
	// document it has no reason to look.
	SucceededWhileCreating Quirk = "W36"
)

var quirksOfEarlySuccess = map[Quirk]func() behaviour{
	SucceededUnprotected: func() behaviour {
		return early("currentProtectionState", func(*operation) string { return "ConfiguringProtection" }, "ProtectionConfigured")
	},
	SucceededNotRunning: func() behaviour { return early("resourceState", changingWord, "Running") },
	SucceededUnrouted: func() behaviour {
		return early("routingState", func(*operation) string { return "Provisioning" }, "Provisioned")
	},
	SucceededWhileCreating: func() behaviour { return early("provisioningState", changingWord, string(Succeeded)) },
}

func changingWord(op *operation) string {
	if op.created {
		return "Creating"
	}
	return "Updating"
}

// early has a property of a resource say that it is not ready, from the beginning
// of an operation on it until some time after its end.
func early(name string, notReady func(*operation) string, ready string) behaviour {
	return behaviour{answer: func(s *Service, q *question, a *Answer) {
		op := s.shown(q, a)
		switch {
		case op == nil:
		case op.running() && name == "provisioningState": // told as it is
		case op.running(), op.done() && time.Since(op.end) < lag:
			a.edit(func(o object) { property(o, name, notReady(op)) })
		case op.done():
			a.edit(func(o object) { property(o, name, ready) })
		}
	}}
}

// shown is the operation that has created or changed the resource that an answer
// shows, or is doing so. It is nil where the answer shows none.
func (s *Service) shown(q *question, a *Answer) *operation {
	op := q.op
	if q.kind == Read {
		op = s.latest[key(q.path)]
	}
	if op == nil || op.method != http.MethodPut && op.method != http.MethodPatch {
		return nil
	}
	document := q.asks("") && q.view != results
	if document || a.StatusCode != http.StatusOK && a.StatusCode != http.StatusCreated {
		return nil
	}
	return op
}
