package quirks

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks in which an operation succeeds five minutes before its resource is ready. A client can wait
// for the resource with poller.Confirm and a Check.State function.
const (
	// SucceededBeforeProtected shows a provisioningState of Succeeded while
	// properties.currentProtectionState is still ConfiguringProtection, as happens with
	// Microsoft.DataProtection backup instances. The property later becomes ProtectionConfigured.
	SucceededBeforeProtected Quirk = "W33"

	// SucceededBeforeRunning shows a provisioningState of Succeeded while properties.resourceState
	// is still Creating or Updating, as in Azure Managed Redis. The property later becomes Running.
	SucceededBeforeRunning Quirk = "W34"

	// SucceededBeforeRouted shows a provisioningState of Succeeded while properties.routingState is
	// still Provisioning, as happens with virtual hubs. The property later becomes Provisioned.
	SucceededBeforeRouted Quirk = "W35"

	// SucceededWhileCreating ends the operation while the resource's provisioningState is still
	// Creating or Updating, as happens with Purview accounts. The provisioningState later becomes
	// Succeeded. A client that polls a Location can see this, because the last response contains
	// the resource. A client that polls a status document cannot.
	SucceededWhileCreating Quirk = "W36"
)

var earlySuccessQuirks = []entry{
	{SucceededBeforeProtected, "the operation has Succeeded, although currentProtectionState is not yet ProtectionConfigured", func() engine.Hooks {
		return readyLater("currentProtectionState", fixedWord("ConfiguringProtection"), "ProtectionConfigured")
	}},
	{SucceededBeforeRunning, "the operation has Succeeded, although resourceState is not yet Running", func() engine.Hooks {
		return readyLater("resourceState", creatingOrUpdating, "Running")
	}},
	{SucceededBeforeRouted, "the operation has Succeeded, although routingState is not yet Provisioned", func() engine.Hooks {
		return readyLater("routingState", fixedWord("Provisioning"), "Provisioned")
	}},
	{SucceededWhileCreating, "the operation has Succeeded, although provisioningState is still Creating", func() engine.Hooks {
		return readyLater("provisioningState", creatingOrUpdating, string(engine.Succeeded))
	}},
}

// fixedWord returns a function that returns w for every operation.
func fixedWord(w string) func(*engine.Operation) string {
	return func(*engine.Operation) string { return w }
}

func creatingOrUpdating(op *engine.Operation) string {
	if op.Created {
		return "Creating"
	}
	return "Updating"
}

// readyLater returns hooks that show an operation's success before its resource is ready. For five
// minutes after the success, the property has the value that notReady returns. After that, it has
// the value of the last parameter. While the operation is in progress, the property also has the
// value from notReady, unless the property is provisioningState.
func readyLater(property string, notReady func(*engine.Operation) string, ready string) engine.Hooks {
	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		op := shown(s, q, a)
		if op == nil {
			return
		}

		if op.Running() {
			if property == "provisioningState" {
				return // a provisioningState already shows that the operation is in progress
			}
			a.Edit(func(o engine.Object) { engine.SetProperty(o, property, notReady(op)) })
			return
		}

		if !op.Succeeded() {
			return
		}
		value := ready
		if time.Since(op.End) < lag {
			value = notReady(op)
		}
		a.Edit(func(o engine.Object) { engine.SetProperty(o, property, value) })
	}}
}

// shown returns the PUT or PATCH operation that creates or changes the resource in a response,
// whether or not the operation has ended. It returns nil if there is no such operation.
func shown(s *engine.Service, q *engine.Request, a *engine.Answer) *engine.Operation {
	if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusCreated {
		return nil
	}
	if polls(q, "") && q.View != engine.ResultURL {
		return nil // a status document
	}

	op := q.Op
	if q.Kind == engine.Read {
		op = s.Latest[engine.Key(q.Path)]
	}
	if op == nil || !writes(op.Method) {
		return nil
	}
	return op
}
