package quirks

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks in which the responses hide that an operation is in progress, or how it ended.
const (
	// UpdateReverted reports Succeeded for a PUT of an existing resource although the service has
	// reverted the change, as happens with an API Management named value if Key Vault validation
	// fails. A client cannot detect this. Only the caller knows the intended change, and can check
	// it with poller.Confirm.
	UpdateReverted Quirk = "W4/reverted"

	// FlagOnly answers a request with 202, no polling header and no body, as in HDInsight
	// monitoring. The resource has no provisioningState, and the contract considers such a resource
	// Succeeded. The only sign of the end is that the property clusterMonitoringEnabled changes.
	// After a DELETE, the resource still exists, and the property is false. Use poller.Confirm to
	// read the property. For a DELETE, pass arm.ProvisioningState to poller.Confirm, because the
	// default strategy cannot follow a DELETE that gets a 202 without a polling header.
	FlagOnly Quirk = "W9/flag"

	// SucceededAtFirst is like StateKeepsChanging, but the first response says Succeeded, as in
	// Synapse. Only later reads of the resource show that the operation is in progress. A client
	// can detect this only by reading the resource again, as poller.Confirm does. If the first of
	// these reads may also say Succeeded, use poller.Confirm with Times.
	SucceededAtFirst Quirk = "W37/succeeded"

	// DeletedWith200 answers a DELETE with 200 and no URL to poll while the resource is still being
	// deleted, as Azure SQL sometimes does. A client can detect this only by reading the resource
	// again, as poller.Confirm does.
	DeletedWith200 Quirk = "W40/200"

	// DeletedWith202 answers a DELETE with 202 and no URL to poll, as Azure SQL sometimes does.
	// Under the contract, a client cannot follow this operation. To follow the resource, set
	// poller.Options.Strategy to arm.ProvisioningState.
	DeletedWith202 Quirk = "W40/202"
)

var hiddenProgressQuirks = []entry{
	{UpdateReverted, "an update ends in Succeeded, but the service has reverted it", always(engine.Hooks{Plan: revert, Answer: hideFailure})},
	{FlagOnly, "PUT returns 202 without a polling header; only a flag in the resource changes at the end", always(engine.Hooks{Plan: acceptWithoutURL, Answer: flagOnly})},
	{SucceededAtFirst, "PUT returns Succeeded, and later the resource says Updating", always(engine.Hooks{Plan: putWithoutURL, Answer: succeededAtFirst})},
	{DeletedWith200, "DELETE returns 200 and nothing to poll; the resource disappears later", always(engine.Hooks{Plan: withoutURL(http.MethodDelete, http.StatusOK)})},
	{DeletedWith202, "DELETE returns 202 and nothing to poll", always(engine.Hooks{Plan: withoutURL(http.MethodDelete, http.StatusAccepted)})},
}

// revert makes an update of a resource fail but report Succeeded.
func revert(q *engine.Request, p *engine.Plan) {
	if q.Method != http.MethodPut || q.Creates {
		return
	}
	if p.Ending == "" || p.Ending == engine.Succeeded {
		p.Ending = engine.Failed
		p.EndWord = string(engine.Succeeded)
	}
}

// hideFailure removes the failure from the final response of an update that UpdateReverted has
// reverted, so that the response looks like a success.
func hideFailure(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	op := q.Op
	if !reportsEnd(q, engine.Failed) || op.Method != http.MethodPut || op.EndWord != string(engine.Succeeded) {
		return
	}
	if q.View == engine.ResultURL {
		*a = engine.JSON(op.WriteCode(), op.Result)
		return
	}
	a.Edit(func(o engine.Object) { delete(o, "error") })
}

// acceptWithoutURL makes the first response a 202 without a URL or a body.
func acceptWithoutURL(_ *engine.Request, p *engine.Plan) {
	p.Style = engine.ProvisioningState
	p.StatusCode = http.StatusAccepted
	p.Echo = false
}

// flagOnly reduces a resource's body to clusterMonitoringEnabled and workspaceId. The flag becomes
// true after a successful write, and false after a successful DELETE.
func flagOnly(s *engine.Service, q *engine.Request, a *engine.Answer) {
	op := s.Latest[engine.Key(q.Path)]
	if op == nil || !readsResource(q) {
		return
	}

	done := op.Reported && op.Ending == engine.Succeeded
	body := engine.Object{"clusterMonitoringEnabled": done}
	if deletes(op) {
		body["clusterMonitoringEnabled"] = !done
	}

	res := s.Resources[engine.Key(q.Path)]
	if res != nil && res.Object()["workspaceId"] != nil {
		body["workspaceId"] = res.Object()["workspaceId"]
	}
	*a = engine.JSON(http.StatusOK, engine.Encode(body))
}

func succeededAtFirst(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Is(engine.Begin, http.MethodPut) {
		a.Edit(func(o engine.Object) { replaceState(o, string(engine.Succeeded)) })
	}
}
