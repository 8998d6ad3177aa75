package quirks

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect the first response.
const (
	// CapitalizedState answers a PUT of an existing resource with 200 and Azure-AsyncOperation, as
	// happens with a named value of API Management. The Location is the request's URL. The first
	// response and the status URL return the resource, and only its ProvisioningState (capital P)
	// shows the status. A client that polls only after a 201 or 202 misses a failure.
	CapitalizedState Quirk = "W4/capital"

	// TopLevelState answers every PUT with 200 and Azure-AsyncOperation, even if the PUT creates
	// the resource. The provisioningState is at the top level of the resource, as in Chaos Studio.
	// A client that treats a 200 without properties.provisioningState as success returns too early.
	TopLevelState Quirk = "W8"

	// CreatesWith200 returns 200 instead of 201 for a PUT that creates a resource, as in HDInsight.
	// A client that treats the 200 as success returns too early.
	CreatesWith200 Quirk = "W9/200"

	// StateKeepsChanging starts an operation for a PUT that is documented as synchronous, as
	// happens with a Maps account. The response is a 200 or 201 without a polling header, and its
	// provisioningState is not terminal. A client that trusts the documentation does not poll.
	StateKeepsChanging Quirk = "W37/moving"

	// OverlappingPutWithoutHeader accepts a PUT of a resource that another operation is still
	// writing, as happens with a container group. The response has no polling header. Its status
	// code is the plan's StatusCode, or 201 if the plan sets none. The resource shows the status. A
	// client that requires a polling header fails.
	OverlappingPutWithoutHeader Quirk = "W59"
)

var firstResponseQuirks = []entry{
	{CapitalizedState, "PUT returns 200; the status URL returns ProvisioningState instead of status", always(engine.Hooks{Answer: capitalizedState})},
	{TopLevelState, "PUT returns 200 with provisioningState at the top level", always(engine.Hooks{Plan: putReturns200, Answer: topLevelState})},
	{CreatesWith200, "a PUT that creates the resource returns 200", always(engine.Hooks{Plan: putReturns200})},
	{StateKeepsChanging, "a PUT that is documented as synchronous returns a provisioningState that is not terminal", always(engine.Hooks{Plan: putWithoutURL})},
	{OverlappingPutWithoutHeader, "a PUT during another PUT returns 201 without a polling header", overlappingPutWithoutHeader},
}

func putReturns200(q *engine.Request, p *engine.Plan) {
	if q.Method == http.MethodPut {
		preferStatusCode(p, http.StatusOK)
	}
}

func capitalizedState(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Op == nil || !updates(q.Op) {
		return
	}

	state := "InProgress"
	if q.Kind == engine.Begin {
		a.Set("Location", q.Link(q.Path))
		a.Edit(func(o engine.Object) { capitalize(o, state) })
		return
	}

	if polls(q, "") && q.View == engine.StatusURL {
		if q.Op.Reported {
			state = q.Op.EndWord
		}
		showResource(s, q, a)
		a.Edit(func(o engine.Object) { capitalize(o, state) })
	}
}

// updates reports whether op is a PUT that changes an existing resource.
func updates(op *engine.Operation) bool {
	return op.Method == http.MethodPut && !op.Created && !op.Refused()
}

// capitalize renames a resource's provisioningState, if it has one, to ProvisioningState, and sets
// the value to state.
func capitalize(o engine.Object, state string) {
	_, found := takeState(o)
	if found {
		o["properties"].(engine.Object)["ProvisioningState"] = state
	}
}

func topLevelState(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !mayShowResource(q) {
		return
	}
	a.Edit(func(o engine.Object) {
		state, found := takeState(o)
		if found {
			o["provisioningState"] = state
		}
	})
}

// overlappingPutWithoutHeader lets a PUT replace an earlier operation. The earlier operation's URLs
// still work, but the resource does not change when that operation ends.
func overlappingPutWithoutHeader() engine.Hooks {
	var replaces bool // whether the current request is a PUT during another operation on the resource

	return engine.Hooks{
		Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
			replaces = q.Is(engine.Begin, http.MethodPut) && busy(s, q) != nil
			if replaces {
				delete(s.Latest, engine.Key(q.Target))
			}
			return engine.Answer{}, false
		},
		Plan: func(_ *engine.Request, p *engine.Plan) {
			if replaces {
				p.Style = engine.ProvisioningState
				preferStatusCode(p, http.StatusCreated)
			}
		},
	}
}
