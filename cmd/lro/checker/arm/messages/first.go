package messages

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// firstResponse holds the rules for the response to the request that starts an operation.
var firstResponse = rule.Table{Topic: "First response", Rules: []rule.Rule{
	putCode(),
	putCreated(),
	putUpdated(),
	putState(),
	putStateRunning(),
	putEcho(),
	patchCode(),
	deleteCode(),
	deleteDone(),
	postCode(),
	acceptedLocation(),
	acceptedBody(),
}}

func putCode() rule.Rule {
	return rule.Rule{
		ID: "arm-put-code", Severity: rule.Must,
		Title:   "The response to a PUT is 200 or 201 or, for older APIs, 202.",
		Source:  arm.Async("Creating/Updating using PUT", "Respond to the initial PUT request with a 201 Created or 200 OK (per normal guidance)."),
		Client:  "A client that follows the specification reports an error, although the operation has started.",
		Example: "PUT → 204 No Content",
		On:      rule.First(http.MethodPut), Broken: rule.CodeOtherThan(http.StatusOK, http.StatusCreated, http.StatusAccepted),
	}
}

func putCreated() rule.Rule {
	return rule.Rule{
		ID: "arm-put-created", Severity: rule.Should,
		Title:   "The response to a PUT that creates a resource is 201, not 200.",
		Source:  arm.Async("Creating/Updating using PUT", "Respond to the initial PUT request with a 201 Created or 200 OK (per normal guidance)."),
		Quirks:  []string{"W8", "W9/200"},
		Client:  "A client cannot tell that it has created the resource. Some clients also take a 200 to mean that the operation has ended.",
		Example: "PUT of a missing resource → 200 OK",
		On:      rule.First(http.MethodPut),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if op.Created() && x.StatusCode == http.StatusOK {
				return "the resource did not exist before, and the response is 200"
			}
			return ""
		},
	}
}

func putUpdated() rule.Rule {
	return rule.Rule{
		ID: "arm-put-updated", Severity: rule.Unusual,
		Title:   "The response to a PUT of an existing resource is 200, not 201.",
		Source:  arm.Async("Creating/Updating using PUT", "Respond to the initial PUT request with a 201 Created or 200 OK (per normal guidance)."),
		Client:  "A client believes that it has created the resource, and may delete it when it cleans up.",
		Example: "PUT of an existing resource → 201 Created",
		On:      rule.First(http.MethodPut),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if op.Updated() && x.StatusCode == http.StatusCreated {
				return "the resource existed before, and the response is 201"
			}
			return ""
		},
	}
}

func putState() rule.Rule {
	return rule.Rule{
		ID: "arm-put-state", Severity: rule.Must,
		Title:   "If a PUT starts an operation, the body of the 200 or 201 response contains properties.provisioningState.",
		Source:  arm.Async("Creating/Updating using PUT", "Since provisioning is not complete, the PUT response body MUST contain a provisioningState property set to a non-terminal value"),
		Quirks:  []string{"W4/capital", "W8"},
		Client:  "A client that polls the resource believes that the operation has completed, because a resource without a provisioningState is assumed to be Succeeded.",
		Example: `201 {"id":"…","properties":{}}`,
		On:      arm.ShowsResource,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if arm.Provisioning(x) == "" {
				return "the body has no properties.provisioningState"
			}
			return ""
		},
	}
}

func putStateRunning() rule.Rule {
	return rule.Rule{
		ID: "arm-put-state-running", Severity: rule.Must,
		Title:   "The provisioningState in the first response is terminal only if the operation has completed.",
		Source:  arm.Async("Creating/Updating using PUT", "Since provisioning is not complete, the PUT response body MUST contain a provisioningState property set to a non-terminal value"),
		Quirks:  []string{"W37/succeeded"},
		Client:  "A client believes that the operation has completed, and uses a resource that is not ready.",
		Example: `201 {"properties":{"provisioningState":"Succeeded"}}, and later {"status":"InProgress"}`,
		On:      rule.First(http.MethodPut, http.MethodPatch),
		Broken:  terminalTooEarly,
	}
}

func putEcho() rule.Rule {
	return rule.Rule{
		ID: "arm-put-echo", Severity: rule.Should,
		Title:   "The response to a PUT contains the values that the client sent.",
		Source:  arm.Provider("Put Resource", "The response body should contain at least the original request that was PUT (and any other properties that would be returned in a GET, such as provisioningState, name, Id and type)."),
		Client:  "A client that stores the response stores the old values, and later sees a change that nobody made.",
		Example: `PUT {"properties":{"size":2}} → 200 {"properties":{"size":1}}`,
		On:      rule.First(http.MethodPut),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			return rule.Differs(x.RequestBody, x)
		},
	}
}

func patchCode() rule.Rule {
	return rule.Rule{
		ID: "arm-patch-code", Severity: rule.Must,
		Title:   "If a PATCH does not complete at once, the response is 202.",
		Source:  arm.Async("Updating using PATCH", "Respond to the initial PATCH request with a 202 Accepted"),
		Client:  "A client that gets a 200 mistakes the body for the result, and does not wait.",
		Example: "PATCH → 200 OK with Azure-AsyncOperation",
		On:      rule.InProgress(http.MethodPatch), Broken: rule.CodeOtherThan(http.StatusAccepted),
	}
}

func deleteCode() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-code", Severity: rule.Must,
		Title:   "If a DELETE does not complete at once, the response is 202.",
		Source:  arm.Async("Delete Resource Asynchronously", "Respond to the initial DELETE request with a 202 Accepted"),
		Client:  "A client that gets a 200 or 204 believes that the resource is gone, and its next PUT fails.",
		Example: "DELETE → 204 No Content with Azure-AsyncOperation",
		On:      rule.InProgress(http.MethodDelete), Broken: rule.CodeOtherThan(http.StatusAccepted),
	}
}

func deleteDone() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-done", Severity: rule.Must,
		Title:   "If a DELETE completes at once, the response is 200 or 204.",
		Source:  arm.Provider("Delete Resource", "The resource provider can return 200 (OK) or 204 (NoContent) to indicate that the operation completed successfully."),
		Client:  "A client does not know whether the resource is gone.",
		Example: "DELETE → 201 Created",
		On:      atOnce(http.MethodDelete), Broken: rule.CodeOtherThan(http.StatusOK, http.StatusNoContent),
	}
}

func postCode() rule.Rule {
	return rule.Rule{
		ID: "arm-post-code", Severity: rule.Must,
		Title:   "If an action (a POST) does not complete at once, the response is 202.",
		Source:  arm.Async("Call Action POST Asynchronously", "Respond to the initial POST request with a 202 Accepted"),
		Client:  "A client that gets a 200 mistakes the body for the result, and does not wait.",
		Example: "POST → 200 OK with Location",
		On:      rule.InProgress(http.MethodPost), Broken: rule.CodeOtherThan(http.StatusAccepted),
	}
}

func acceptedLocation() rule.Rule {
	return rule.Rule{
		ID: "arm-accepted-location", Severity: rule.Must,
		Title:   "A 202 has a Location header.",
		Source:  arm.Async("202 Accepted and Location Headers", "Return HTTP code 202 (Accepted) with a Location header and, optionally, a Retry-After header."),
		Quirks:  []string{"W40/202", "W9/flag"},
		Client:  "A client that looks only for Location cannot follow the operation.",
		Example: "DELETE → 202 Accepted without a Location",
		On:      rule.Only(rule.First(), rule.Accepted),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.Header.Get(arm.Location) == "" {
				return "the 202 has no Location"
			}
			return ""
		},
	}
}

func acceptedBody() rule.Rule {
	return rule.Rule{
		ID: "arm-accepted-body", Severity: rule.Should,
		Title:   "A 202 has no body.",
		Source:  arm.Async("202 Accepted and Location Headers", "The 202 Accepted should return no response body."),
		Client:  "A client that regards every body as the result returns the wrong result.",
		Example: `202 Accepted {"id":"…"}`,
		On:      rule.Only(rule.First(), rule.Accepted),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if len(x.Body) > 0 {
				return "the 202 has a body"
			}
			return ""
		},
	}
}

// atOnce selects the response to a request with the given method, if the operation completed at
// once.
func atOnce(method string) rule.Selector {
	return rule.Only(rule.First(method), func(op *trace.Operation, _ *trace.Exchange) bool { return op.Polled == "" })
}

// terminalTooEarly reports a terminal provisioningState in a first response if a later read shows
// that the operation is still in progress.
func terminalTooEarly(op *trace.Operation, x *trace.Exchange) string {
	says := arm.Provisioning(x)
	if !arm.Meaning(says).Terminal() {
		return ""
	}
	for _, later := range op.Later(x) {
		if later.Role != trace.Probe && arm.StateOf(op, later) == trace.InProgress {
			return "the body says " + says + ", and a later read says that the operation is in progress"
		}
	}
	return ""
}
