package fakes

import (
	"net/http"
	"time"
)

// Quirks of an operation that succeeds five minutes before its resource is ready.
// A client cannot detect this from the operation. poller.Confirm reads the
// resource, and its State reads the property that shows when it is ready.
const (
	// SucceededUnprotected shows a provisioningState of Succeeded while
	// properties.currentProtectionState is still ConfiguringProtection. It
	// becomes ProtectionConfigured later, as for the backup instances of
	// DataProtection.
	SucceededUnprotected Quirk = "W33"

	// SucceededNotRunning shows a provisioningState of Succeeded while
	// properties.resourceState is still Creating or Updating. It becomes
	// Running later, as in Managed Redis.
	SucceededNotRunning Quirk = "W34"

	// SucceededUnrouted shows a provisioningState of Succeeded while
	// properties.routingState is still Provisioning. It becomes Provisioned
	// later, as for virtual hubs.
	SucceededUnrouted Quirk = "W35"

	// SucceededWhileCreating ends the operation while the resource still has a
	// provisioningState of Creating or Updating. It becomes Succeeded later, as
	// for Purview accounts. With Location, the last response has that
	// provisioningState, so a client can detect it. With a status document, a
	// client has no reason to read it.
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

// early sets a property of the resource to a value that means "not ready", from
// the start of an operation until some time after its end.
func early(name string, notReady func(*operation) string, ready string) behaviour {
	return behaviour{answer: func(s *Service, q *question, a *Answer) {
		op := s.shown(q, a)
		switch {
		case op == nil:
		case op.running() && name == "provisioningState": // unchanged
		case op.running(), op.done() && time.Since(op.end) < lag:
			a.edit(func(o object) { property(o, name, notReady(op)) })
		case op.done():
			a.edit(func(o object) { property(o, name, ready) })
		}
	}}
}

// shown returns the operation that has created or changed the resource in a
// response, or is doing so. It is nil if the response has no resource.
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
