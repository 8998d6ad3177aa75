package resource

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The names of probes, as in package checker.
const (
	probeConflict = "conflict"           // a PUT of a resource that another PUT is still changing
	probeState    = "provisioning-state" // a PUT whose provisioningState differs from the resource's
	probeBody     = "malformed-body"     // a PUT whose body is not JSON
)

// refused holds the rules for invalid requests, which a service must refuse, and for cancellation.
var refused = rule.Table{Topic: "Invalid requests and cancellation", Rules: []rule.Rule{
	conflictCode(),
	conflictSurvives(),
	stateReadonly(),
	malformedBody(),
	cancelCode(),
	cancelEnds(),
}}

func conflictCode() rule.Rule {
	return rule.Rule{
		ID: "arm-conflict-code", Severity: rule.Should, Probe: probeConflict,
		Title: "While an operation is changing a resource, another PUT of the resource gets a 409.",
		Source: rule.Source{
			Document: "Asynchronous Operations in ARO-HCP", Section: "Delete an HCP OpenShift Cluster and Node Pool",
			Quote: "Normally when an asynchronous operation is already in progress, further requests to update the resource are rejected until the in-progress operation reaches a terminal state.",
		},
		Quirks:  []string{"W47", "W59"},
		Client:  "The change of one client overwrites the change of another, and both clients report success.",
		Example: "PUT → 201 Created, and then PUT → 200 OK before the operation has ended",
		On:      conflicts, Broken: rule.CodeOtherThan(http.StatusConflict),
	}
}

func conflictSurvives() rule.Rule {
	return rule.Rule{
		ID: "arm-conflict-survives", Severity: rule.Should, Probe: probeConflict,
		Title:  "Another PUT of the resource does not cancel the operation in progress.",
		Source: arm.Async("ProvisioningState property", "Any state other than above three terminal states is a non-terminal state"),
		Quirks: []string{"W47"},
		Client: "A client that starts the canceled operation again undoes the newer change.",
		On:     conflicts,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if x.OK() && op.End == trace.Canceled && len(rule.Cancels(op)) == 0 {
				return "the service accepts the second PUT and cancels the first operation"
			}
			return ""
		},
		Example: `{"status":"Canceled","error":{"code":"OperationPreempted"}}`,
	}
}

func stateReadonly() rule.Rule {
	return rule.Rule{
		ID: "arm-state-readonly", Severity: rule.Should, Probe: probeState,
		Title:   "A PUT gets a 400 if its provisioningState differs from that of the resource.",
		Source:  arm.Async("ProvisioningState property", "If the user provides a provisioningState that does not match the value on the server, the resource provider should reject the call as a 400 BadRequest."),
		Client:  "A client believes that it has changed the state.",
		Example: `PUT {"properties":{"provisioningState":"Failed"}} → 200 OK`,
		On:      rule.Probes(probeState), Broken: rule.CodeOtherThan(http.StatusBadRequest),
	}
}

func malformedBody() rule.Rule {
	return rule.Rule{
		ID: "arm-malformed-body", Severity: rule.Must, Probe: probeBody,
		Title:   "A PUT whose body is not JSON gets a 4xx.",
		Source:  arm.Provider("Error Response Content", "If the resource provider needs to return an error to any operation, it should return the appropriate HTTP error code and a message body as can be seen below."),
		Client:  "A client that sends a broken body creates a resource without its properties.",
		Example: "PUT { → 500 Internal Server Error",
		On:      rule.Probes(probeBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.StatusCode/100 != 4 {
				return "the response is " + rule.Code(x)
			}
			return ""
		},
	}
}

func cancelCode() rule.Rule {
	return rule.Rule{
		ID: "arm-cancel-code", Severity: rule.Should,
		Title:   "A request to cancel gets a 2xx or, if the service refuses it, a 409.",
		Source:  arm.Async("ProvisioningState property", "The provisioningState property has only three terminal states: Succeeded , Failed and Canceled."),
		Client:  "A client does not know whether the operation will be canceled.",
		Example: "POST /operationsStatuses/1/cancel → 500 Internal Server Error",
		On:      rule.Cancels,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if !x.OK() && x.StatusCode != http.StatusConflict {
				return "the response is " + rule.Code(x)
			}
			return ""
		},
	}
}

func cancelEnds() rule.Rule {
	return rule.Rule{
		ID: "arm-cancel-ends", Severity: rule.Should,
		Title:   "If the service accepted a request to cancel, the operation ends as Canceled or, if the request came too late, as Succeeded or Failed.",
		Source:  arm.Async("ProvisioningState property", "The provisioningState property has only three terminal states: Succeeded , Failed and Canceled."),
		Client:  "A client never learns that the operation has ended, and waits until its timeout.",
		Example: `POST /operationsStatuses/1/cancel → 202, and then always {"status":"Canceling"}`,
		On:      rule.Cancels,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if x.OK() && (op.End == trace.Silent || op.End == trace.Unfinished) {
				return "the operation does not end after it was canceled"
			}
			return ""
		},
	}
}

// conflicts selects the responses to a PUT that was sent while another PUT was in progress.
func conflicts(op *trace.Operation) []*trace.Exchange {
	return rule.Only(rule.Probes(probeConflict), conflicted)(op)
}

// conflicted reports whether x, a second PUT, certainly reached the service while op was in
// progress.
func conflicted(op *trace.Operation, x *trace.Exchange) bool {
	return x.StatusCode == http.StatusConflict || arm.RunsAfter(op, x) || op.End == trace.Canceled
}
