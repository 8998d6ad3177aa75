package ibm

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// subject holds the rules for services whose resources contain the status of their operations.
var subject = rule.Table{Topic: "A resource with a status", Rules: []rule.Rule{
	accepted("ibm-resource-accepted", rule.Should),
	bodyIsResource(),
	resourceURL(),
	resourceReadable(),
	resourceStatus(),
	resourceStatusName(),
	statusFixed(),
	sameViews(),
	pauseInFirst("ibm-resource-retry-after"),
	pauseInSeconds("ibm-resource-retry-after-seconds"),
	outcome("ibm-resource-outcome"),
	targetGone("ibm-resource-deleted", func(op *trace.Operation) bool { return op.Polled == Status }),
}}

const representation = "When the resource-based approach is used, the response to the original request MUST contain a representation of the subject resource including the resource status field."

func bodyIsResource() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-body", Severity: rule.Must,
		Title:   "The first response contains the resource with its status.",
		Source:  handbook(overview, representation),
		Client:  "A client does not know whether the call has completed.",
		Example: `POST → 202 {"id":"w-1"}`,
		On:      changes(withBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if resourceWord(x) == "" {
				return "the body is not a resource with a status"
			}
			return ""
		},
	}
}

func resourceURL() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-url", Severity: rule.Must,
		Title:   "The response to a POST that creates a resource contains the URL of the resource, in href or in Location.",
		Source:  handbook(overview, "The normal GET operation for the resource can then be used to poll for the completion of the operation."),
		Client:  "A client cannot read the status of the resource that it has created.",
		Example: `POST → 202 {"status":"pending"}`,
		On: rule.Only(rule.First(http.MethodPost), func(_ *trace.Operation, x *trace.Exchange) bool {
			return resourceMeaning(resourceWord(x)) == trace.InProgress
		}),
		Broken: func(op *trace.Operation, _ *trace.Exchange) string {
			if op.Resource == "" {
				return "there is neither an href nor a Location"
			}
			return ""
		},
	}
}

func resourceReadable() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-get", Severity: rule.Must,
		Title:   "A GET of the resource returns 200 during and after the operation.",
		Source:  handbook(overview, "The normal GET operation for the resource can then be used to poll for the completion of the operation."),
		Client:  "A client can no longer follow the operation.",
		Example: "POST → 202, and then GET …/widgets/w-1 → 404 Not Found",
		On: changes(rule.With(func(_ *trace.Operation, x *trace.Exchange) bool {
			return x.Role == trace.Resource && x.Phase != trace.Before
		})),
		Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func resourceStatus() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-status", Severity: rule.Must,
		Title:   "The resource has a status, which is a string.",
		Source:  handbook(resourceBased, "Any resource that could be the subject of a long-running operation MUST have a status field and this field SHOULD be named status."),
		Client:  "A client cannot tell whether the resource is ready.",
		Example: `{"id":"w-1"}`,
		On:      changes(objects),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if resourceWord(x) == "" {
				return "there is no status"
			}
			return ""
		},
	}
}

func resourceStatusName() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-status-name", Severity: rule.Should,
		Title:   "The field with the status is named status.",
		Source:  handbook(resourceBased, "Any resource that could be the subject of a long-running operation MUST have a status field and this field SHOULD be named status."),
		Client:  "A client that works with every service of IBM Cloud needs an exception for this one.",
		Example: `{"lifecycle_state":"pending"}`,
		On: changes(rule.Only(objects, func(_ *trace.Operation, x *trace.Exchange) bool {
			return resourceWord(x) != ""
		})),
		Broken: rule.LacksText(statusMember),
	}
}

func statusFixed() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-final", Severity: rule.Must,
		Title:   "The status does not change after the operation has ended.",
		Source:  handbook(overview, "The resource-based approach may be used in situations where the resource contains a status field whose value is updated as a result of the operation and is thereafter fixed."),
		Client:  "One client reports success, and the next one reports that the resource is not ready.",
		Example: `{"status":"available"}, and then {"status":"pending"}`,
		On:      changes(rule.Only(objects, rule.After)),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			final := op.Previous(x, func(other *trace.Exchange) bool {
				return other.Role == trace.Resource && other.Phase != trace.Before && resourceMeaning(resourceWord(other)).Terminal()
			})
			if final == nil || resourceWord(final) == resourceWord(x) {
				return ""
			}
			return "the status is " + resourceWord(x) + " after " + resourceWord(final)
		},
	}
}

func sameViews() rule.Rule {
	return rule.Rule{
		ID: "ibm-resource-readers", Severity: rule.Must,
		Title:   "After the operation has ended, two clients that read the resource see the same status.",
		Source:  handbook(resourceBased, "The status field SHOULD be defined as an enumeration and all potentially long-running operations MUST clearly describe how the completion of the operation is signaled with the value stored in the status field."),
		Client:  "One client reports success, and the other one waits.",
		Example: `{"status":"available"} over one connection, and {"status":"pending"} over another`,
		On: changes(rule.Only(objects, func(_ *trace.Operation, x *trace.Exchange) bool {
			return x.Phase == trace.After && x.Reader == 2
		})),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			other := op.Previous(x, func(y *trace.Exchange) bool { return y.Role == trace.Resource && y.Reader == 1 })
			if other == nil || resourceWord(other) == resourceWord(x) {
				return ""
			}
			return "the status is " + resourceWord(x) + " and, for the first reader, " + resourceWord(other)
		},
	}
}
