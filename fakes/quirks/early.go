package quirks

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks in which an operation succeeds five minutes before its resource is
// ready. A client cannot detect this from the operation. Use poller.Confirm to
// read the resource; its State checks the property that shows whether the
// resource is ready.
const (
	// SucceededUnprotected shows a provisioningState of Succeeded while
	// properties.currentProtectionState is still ConfiguringProtection, as
	// happens with the backup instances of Microsoft.DataProtection. The
	// property becomes ProtectionConfigured later.
	SucceededUnprotected Quirk = "W33"

	// SucceededNotRunning shows a provisioningState of Succeeded while
	// properties.resourceState is still Creating or Updating, as in Azure
	// Managed Redis. The property becomes Running later.
	SucceededNotRunning Quirk = "W34"

	// SucceededUnrouted shows a provisioningState of Succeeded while
	// properties.routingState is still Provisioning, as happens with virtual
	// hubs. The property becomes Provisioned later.
	SucceededUnrouted Quirk = "W35"

	// SucceededWhileCreating ends the operation while the resource still has a
	// provisioningState of Creating or Updating, as happens with Purview
	// accounts. The provisioningState becomes Succeeded later. With Location,
	// the last response shows the provisioningState, so a client can see that
	// the resource is not ready. With a status document, a client has no reason
	// to read the resource.
	SucceededWhileCreating Quirk = "W36"
)

var earlySuccessQuirks = []entry{
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

// early returns hooks that set a property of the resource. From the start of an
// operation until lag after its end, they set it to the value that notReady
// returns. After that, they set it to ready.
func early(name string, notReady func(*engine.Operation) string, ready string) engine.Hooks {
	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		op := shown(s, q, a)
		switch {
		case op == nil:
		case op.Running() && name == "provisioningState": // the response already shows that the resource is not ready
		case op.Running(), op.Succeeded() && time.Since(op.End) < lag:
			a.Edit(func(o engine.Object) { engine.SetProperty(o, name, notReady(op)) })
		case op.Succeeded():
			a.Edit(func(o engine.Object) { engine.SetProperty(o, name, ready) })
		}
	}}
}

// shown returns the operation that created or changed the resource in a
// response. The operation may still be in progress. shown returns nil if the
// response has no resource.
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
