package quirks

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks of an operation that succeeds five minutes before its resource is
// ready. A client cannot detect this from the operation. poller.Confirm reads
// the resource, and its State checks the property that shows whether it is
// ready.
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
	// client has no reason to read the resource.
	SucceededWhileCreating Quirk = "W36"
)

var quirksOfEarlySuccess = []entry{
	{
		SucceededUnprotected, "Succeeded, although currentProtectionState has not reached its goal",
		func() engine.Hooks {
			return early("currentProtectionState", func(*engine.Operation) string { return "ConfiguringProtection" }, "ProtectionConfigured")
		},
	},
	{SucceededNotRunning, "Succeeded, although resourceState is not yet Running", func() engine.Hooks { return early("resourceState", changingWord, "Running") }},
	{SucceededUnrouted, "Succeeded, although routingState is not yet Provisioned", func() engine.Hooks {
		return early("routingState", func(*engine.Operation) string { return "Provisioning" }, "Provisioned")
	}},
	{SucceededWhileCreating, "Succeeded, although provisioningState is still Creating", func() engine.Hooks { return early("provisioningState", changingWord, string(engine.Succeeded)) }},
}

func changingWord(op *engine.Operation) string {
	if op.Created {
		return "Creating"
	}
	return "Updating"
}

// early sets a property of the resource to a value that means "not ready", from
// the start of an operation until some time after its end.
func early(name string, notReady func(*engine.Operation) string, ready string) engine.Hooks {
	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		op := shown(s, q, a)
		switch {
		case op == nil:
		case op.Running() && name == "provisioningState": // unchanged
		case op.Running(), op.Succeeded() && time.Since(op.End) < lag:
			a.Edit(func(o engine.Object) { engine.SetProperty(o, name, notReady(op)) })
		case op.Succeeded():
			a.Edit(func(o engine.Object) { engine.SetProperty(o, name, ready) })
		}
	}}
}

// shown returns the operation that has created or changed the resource in a
// response, or is still in the process. It is nil if the response has no resource.
func shown(s *engine.Service, q *engine.Request, a *engine.Answer) *engine.Operation {
	op := q.Op
	if q.Kind == engine.Read {
		op = s.Latest[engine.Key(q.Path)]
	}
	if op == nil || op.Method != http.MethodPut && op.Method != http.MethodPatch {
		return nil
	}
	document := q.Polls("") && q.View != engine.ResultURL
	if document || a.StatusCode != http.StatusOK && a.StatusCode != http.StatusCreated {
		return nil
	}
	return op
}
