package resource

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// deletion holds the rules for the resource during and after a DELETE.
var deletion = rule.Table{Topic: "DELETE", Rules: []rule.Rule{
	deleteGone(),
	deleteAgain(),
	deleteEarly(),
}}

func deleteGone() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-gone", Severity: rule.Must,
		Title:   "After a DELETE has succeeded, a GET of the resource returns 404.",
		Source:  arm.Async("Delete Resource Asynchronously", "If the DELETE completes successfully, the URL that was returned in the Location header MUST now return a 200 OK or 204 NoContent to indicate success and the resource MUST disappear."),
		Quirks:  []string{"W26", "W32/flapping", "W32/stale", "W40/200", "W51"},
		Client:  "A client that creates the resource again finds the old one, or its PUT is refused.",
		Example: "DELETE → 204 No Content, GET → 200 OK",
		On:      rule.Only(rule.Resources(trace.After), deleted),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.OK() {
				return "the resource still exists: " + rule.Code(x)
			}
			return ""
		},
	}
}

func deleteAgain() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-again", Severity: rule.Should,
		Title:   "A DELETE of a resource that does not exist returns 204.",
		Source:  arm.Provider("Delete Resource", "a 204 (NoContent) should be used if the resource does not exist and the request is well formed."),
		Quirks:  []string{"W56/empty"},
		Client:  "A client that repeats a DELETE whose response was lost reports an error.",
		Example: "DELETE of a missing resource → 404 Not Found",
		On:      deletesNothing, Broken: rule.CodeOtherThan(http.StatusNoContent),
	}
}

func deleteEarly() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-early", Severity: rule.Unusual,
		Title:   "While a DELETE is in progress, a GET of the resource does not return 404.",
		Source:  arm.Async("Delete Resource Asynchronously", "If a provisioningState property is used for the resource, it MUST transition to a non-terminal state like \"Deleting\""),
		Quirks:  []string{"W25", "W3"},
		Client:  "A client that waits for the 404 continues too early, and its next PUT is refused.",
		Example: "DELETE → 202 Accepted, GET → 404 Not Found, GET Location → 202 Accepted",
		On: rule.Only(rule.Resources(trace.During), func(op *trace.Operation, x *trace.Exchange) bool {
			return op.Method == http.MethodDelete && op.End != trace.Silent && arm.RunsAfter(op, x)
		}),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.StatusCode == http.StatusNotFound {
				return "the resource is gone, and a later status says that the operation is in progress"
			}
			return ""
		},
	}
}

func deleted(op *trace.Operation, _ *trace.Exchange) bool {
	return op.Method == http.MethodDelete && op.End == trace.Succeeded
}

// isGone reports whether the last read of the resource after the end of op returned 404.
func isGone(op *trace.Operation) bool {
	reads := op.Reads(trace.Resource, trace.After)
	return len(reads) > 0 && reads[len(reads)-1].StatusCode == http.StatusNotFound
}

// deletesNothing selects the responses to a DELETE of a resource that does not exist.
func deletesNothing(op *trace.Operation) []*trace.Exchange {
	return rule.With(func(op *trace.Operation, x *trace.Exchange) bool {
		again := x.Role == trace.Repeat && isGone(op)
		missing := x.Role == trace.Start && op.Method == http.MethodDelete && op.Created()
		return again || missing
	})(op)
}
