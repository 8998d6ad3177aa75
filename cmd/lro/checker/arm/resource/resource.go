package resource

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const putting = "Creating/Updating using PUT"

// resource holds the rules for reads of the resource.
var resource = rule.Table{Topic: "The resource", Rules: []rule.Rule{
	resourceVisible(),
	resourceState(),
	resourceMoves(),
	resourceHidden(),
	resourceFound(),
	resourceTerminal(),
	resourceAgrees(),
	resourceStateKept(),
	resourceID(),
	resourceName(),
	resourceType(),
	resourceValues(),
	resourceStable(),
	resourceEtag(),
	missingCode(),
}}

func resourceVisible() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-visible", Severity: rule.Must,
		Title:   "If a PUT returned 200 or 201, a GET of the resource returns 200 while the operation is in progress.",
		Source:  arm.Async(putting, "Future GETs on the resource that was created should continue to return a 200 Status Code and provisioningState property that is non-terminal as long as the provisioning is in progress."),
		Quirks:  []string{"W31"},
		Client:  "A client that polls the resource reports that the resource is missing.",
		Example: "PUT → 201 Created, GET → 404 Not Found",
		On:      whileWritten, Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func resourceState() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-state", Severity: rule.Must,
		Title:   "While a PUT is in progress, the resource has a provisioningState that is not terminal.",
		Source:  arm.Async(putting, "Future GETs on the resource that was created should continue to return a 200 Status Code and provisioningState property that is non-terminal as long as the provisioning is in progress."),
		Quirks:  []string{"W20", "W8"},
		Client:  "A client that polls the resource, such as a template deployment, uses the resource before it is ready.",
		Example: `GET → {"properties":{"provisioningState":"Succeeded"}} while the status is InProgress`,
		On:      rule.Only(whileWritten, func(op *trace.Operation, x *trace.Exchange) bool { return x.OK() && arm.RunsAfter(op, x) }),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			says := arm.Provisioning(x)
			if says == "" {
				return "the resource has no properties.provisioningState"
			}
			if arm.Meaning(says).Terminal() {
				return "provisioningState is " + says + ", and a later status says that the operation is in progress"
			}
			return ""
		},
	}
}

func resourceMoves() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-moves", Severity: rule.Must,
		Title:   "While a PATCH or DELETE is in progress, the provisioningState of the resource is not terminal.",
		Source:  arm.Async("Delete Resource Asynchronously", "If a provisioningState property is used for the resource, it MUST transition to a non-terminal state like \"Deleting\""),
		Client:  "A client that reads only the resource does not notice the operation, and starts another one.",
		Example: `DELETE → 202 Accepted, GET → {"properties":{"provisioningState":"Succeeded"}}`,
		On:      whileChanged,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if says := arm.Provisioning(x); arm.Meaning(says).Terminal() {
				return "provisioningState is " + says + ", and a later status says that the operation is in progress"
			}
			return ""
		},
	}
}

func resourceHidden() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-hidden", Severity: rule.Should,
		Title:   "If a PUT that creates a resource returned 202, the resource is hidden or has a provisioningState until the operation has ended.",
		Source:  arm.Async("202 Accepted and Location Headers", "If the 202 was returned in response to resource creation, the resource should not be visible until the async operation completes"),
		Quirks:  []string{"W39/endless"},
		Client:  "A client uses a resource that is not ready.",
		Example: "PUT → 202 Accepted, GET → 200 OK while Location returns 202",
		On:      whileHidden,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.OK() && arm.Provisioning(x) == "" {
				return "a GET of the resource returns " + rule.Code(x) + " without a provisioningState"
			}
			return ""
		},
	}
}

func resourceFound() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-found", Severity: rule.Must,
		Title:   "After a PUT or PATCH has succeeded, a GET of the resource returns 200.",
		Source:  arm.Provider("Get Resource", "The resource provider should return 200 (OK) to indicate that the operation completed successfully."),
		Quirks:  []string{"W13", "W27", "W28", "W30", "W32/flapping", "W32/stale"},
		Client:  "A client reports that the resource is missing.",
		Example: "PUT → Succeeded, GET → 404 Not Found",
		On:      rule.Only(rule.Resources(trace.After), func(op *trace.Operation, _ *trace.Exchange) bool { return arm.Written(op) }), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func resourceTerminal() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-terminal", Severity: rule.Must,
		Title:   "After the operation has ended, provisioningState is Succeeded, Failed or Canceled.",
		Source:  arm.Async(putting, "After the provisioning completes, the provisioningState property should transition to one of the terminal states."),
		Quirks:  []string{"W36", "W37/succeeded"},
		Client:  "A client that trusts the status uses a resource that is not ready.",
		Example: `{"status":"Succeeded"}, and then GET → {"properties":{"provisioningState":"Creating"}}`,
		On:      afterWrite,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if says := arm.Provisioning(x); arm.Meaning(says) == trace.InProgress {
				return "provisioningState is " + says + " after the operation has ended"
			}
			return ""
		},
	}
}

func resourceAgrees() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-agrees", Severity: rule.Must,
		Title:   "After the operation has ended, the status and provisioningState report the same outcome.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "The status values are similar to provisioningState"),
		Client:  "Clients that poll the resource see a different outcome from clients that poll the status.",
		Example: `{"status":"Succeeded"} and {"properties":{"provisioningState":"Failed"}}`,
		On:      afterWrite, Broken: disagrees,
	}
}

func resourceStateKept() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-state-kept", Severity: rule.Must,
		Title:   "A resource that had a provisioningState still has one after the operation has ended.",
		Source:  arm.Async(putting, "The provisioningState property should be returned on all future GETs, even after it is complete, until some other operation (e.g. a DELETE or UPDATE) causes it to transition to a non-terminal state."),
		Client:  "A client cannot tell whether the last change failed.",
		Example: `GET → {"properties":{}} after {"properties":{"provisioningState":"Creating"}}`,
		On:      rule.Only(afterWrite, func(op *trace.Operation, x *trace.Exchange) bool { return earlierState(op, x) != nil }),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if arm.Provisioning(x) == "" {
				return "the resource no longer has a provisioningState"
			}
			return ""
		},
	}
}

func resourceID() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-id", Severity: rule.Must,
		Title:   "The id of a resource is the path of its URL.",
		Source:  arm.Provider("Get Resource", "The id field should be the URL (excluding the hostname/scheme and api version) for the entity."),
		Quirks:  []string{"W9/flag"},
		Client:  "References to the resource from other resources fail, and so do access checks.",
		Example: `GET /widgets/w1 → {"id":"w1"}`,
		On:      shownResources,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if !strings.EqualFold(x.Text("/id"), x.Path()) {
				return "the id is " + strconv.Quote(x.Text("/id"))
			}
			return ""
		},
	}
}

func resourceName() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-name", Severity: rule.Must,
		Title:   "A resource has a name.",
		Source:  arm.Provider("Get Resource", "It should be the name of the resource and is not expected to be globally unique"),
		Quirks:  []string{"W9/flag"},
		Client:  "A client shows an empty name.",
		Example: `GET → {"id":"/widgets/w1"}`,
		On:      shownResources, Broken: rule.LacksText("/name"),
	}
}

func resourceType() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-type", Severity: rule.Must,
		Title:   "A resource has a type.",
		Source:  arm.Provider("Get Resource", "It should include the resource provider namespace and the type of the entity."),
		Quirks:  []string{"W9/flag"},
		Client:  "A client that handles several types does not know which one it has read.",
		Example: `GET → {"id":"/widgets/w1","name":"w1"}`,
		On:      shownResources, Broken: rule.LacksText("/type"),
	}
}

func resourceValues() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-values", Severity: rule.Should,
		Title:   "After a PUT or PATCH has succeeded, the resource has the values that the client sent.",
		Source:  arm.Provider("Put Resource", "The response body should contain at least the original request that was PUT (and any other properties that would be returned in a GET, such as provisioningState, name, Id and type)."),
		Quirks:  []string{"W32/flapping", "W32/stale", "W4/reverted"},
		Client:  "A client sees the old values, and sends the change again.",
		Example: `PUT {"properties":{"size":2}} → Succeeded, GET → {"properties":{"size":1}}`,
		On:      rule.Only(rule.Resources(trace.After), func(op *trace.Operation, x *trace.Exchange) bool { return arm.Written(op) && x.OK() }),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			return rule.Differs(op.First().RequestBody, x)
		},
	}
}

func resourceStable() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-stable", Severity: rule.Must,
		Title:   "After the operation has ended, every read of the resource returns the same status code and values.",
		Source:  arm.Async(putting, "The provisioningState property should be returned on all future GETs, even after it is complete, until some other operation (e.g. a DELETE or UPDATE) causes it to transition to a non-terminal state."),
		Quirks:  []string{"W28", "W30", "W32/flapping"},
		Client:  "One read of a client finds the resource, and the next read does not.",
		Example: "GET → 200 OK, and then GET → 404 Not Found",
		On:      rule.Resources(trace.After), Broken: flaps,
	}
}

func resourceEtag() rule.Rule {
	return rule.Rule{
		ID: "arm-resource-etag", Severity: rule.Must,
		Title:   "If the body of a resource has an etag, the ETag header has the same value.",
		Source:  arm.Provider("Get Resource", "If it is provided in the response body, it must also be provided as a header per the normal ETag convention."),
		Client:  "A client that copies the ETag header into If-Match sends no If-Match, or a wrong one.",
		Example: `GET → {"etag":"\"1\""} without ETag`,
		On:      rule.Only(shownResources, rule.HasText("/etag")),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if strings.Trim(strings.TrimPrefix(x.Header.Get("ETag"), "W/"), `"`) != strings.Trim(strings.TrimPrefix(x.Text("/etag"), "W/"), `"`) {
				return "the etag is " + x.Text("/etag") + ", and the header is " + strconv.Quote(x.Header.Get("ETag"))
			}
			return ""
		},
	}
}

func missingCode() rule.Rule {
	return rule.Rule{
		ID: "arm-missing-code", Severity: rule.Must,
		Title:   "A GET of a resource that does not exist returns 404.",
		Source:  arm.Provider("Get Resource", "If the resource does not exist, 404 (NotFound) should be returned."),
		Client:  "A client that checks whether the resource exists reports an error.",
		Example: "GET of a missing resource → 400 Bad Request",
		On: rule.Only(rule.Resources(trace.Before), func(_ *trace.Operation, x *trace.Exchange) bool {
			return !x.OK() && !slices.Contains(refusedReads, x.StatusCode)
		}),
		Broken: rule.CodeOtherThan(http.StatusNotFound),
	}
}

// refusedReads are the status codes that do not show whether the resource exists.
var refusedReads = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// whileWritten selects the reads of the resource during a PUT that returned 200 or 201 and did not
// complete at once.
func whileWritten(op *trace.Operation) []*trace.Exchange {
	if len(arm.ShowsResource(op)) == 0 {
		return nil
	}
	return rule.Resources(trace.During)(op)
}

// whileChanged selects the reads of the resource that show a provisioningState while a PATCH or
// DELETE is certainly in progress.
func whileChanged(op *trace.Operation) []*trace.Exchange {
	if op.Method != http.MethodPatch && op.Method != http.MethodDelete {
		return nil
	}
	return rule.Only(rule.Resources(trace.During), func(op *trace.Operation, x *trace.Exchange) bool {
		return x.OK() && arm.Provisioning(x) != "" && arm.RunsAfter(op, x)
	})(op)
}

// whileHidden selects the reads of the resource while a PUT that returned 202 is certainly still
// creating it.
func whileHidden(op *trace.Operation) []*trace.Exchange {
	x := op.First()
	if x == nil || op.Method != http.MethodPut || x.StatusCode != http.StatusAccepted || !op.Created() {
		return nil
	}
	return rule.Only(rule.Resources(trace.During), arm.RunsAfter)(op)
}

// afterWrite selects the successful reads of the resource after a PUT or PATCH has ended.
func afterWrite(op *trace.Operation) []*trace.Exchange {
	if op.Method != http.MethodPut && op.Method != http.MethodPatch || op.End == trace.Silent {
		return nil
	}
	return rule.Only(rule.Resources(trace.After), func(_ *trace.Operation, x *trace.Exchange) bool { return x.OK() })(op)
}

// shownResources selects the reads of the resource that returned 200 and a JSON object.
func shownResources(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool {
		_, ok := x.Object()
		return x.Role == trace.Resource && x.StatusCode == http.StatusOK && ok
	})
}

// earlierState returns the last response before x that shows a provisioningState, or nil.
func earlierState(op *trace.Operation, x *trace.Exchange) *trace.Exchange {
	return op.Previous(x, func(other *trace.Exchange) bool {
		shows := other.Role == trace.Start || other.Role == trace.Resource
		return shows && arm.Provisioning(other) != ""
	})
}

// disagrees reports a terminal provisioningState that contradicts how the operation ended. After a
// failed or canceled update, the resource may keep its previous state.
func disagrees(op *trace.Operation, x *trace.Exchange) string {
	s := arm.Meaning(arm.Provisioning(x))
	if !s.Terminal() || s.End() == op.End {
		return ""
	}
	if op.End != trace.Succeeded && (!op.Created() || overwritten(op)) {
		return ""
	}
	return "the operation has " + string(op.End) + ", and provisioningState is " + arm.Provisioning(x)
}

// overwritten reports whether the service accepted an invalid PUT, which may have changed the resource.
func overwritten(op *trace.Operation) bool {
	return slices.ContainsFunc(op.Exchanges, func(x *trace.Exchange) bool {
		return x.Role == trace.Probe && x.Method == http.MethodPut && x.OK()
	})
}

// flaps describes how x differs, in status code or in values, from the previous read of the
// resource after the end of op. It returns "" if there is no such read or the two agree.
func flaps(op *trace.Operation, x *trace.Exchange) string {
	earlier := op.Previous(x, func(other *trace.Exchange) bool { return other.Role == trace.Resource && other.Phase == trace.After })
	if earlier == nil {
		return ""
	}
	if earlier.StatusCode != x.StatusCode {
		return "request " + strconv.Itoa(earlier.N) + " returned " + rule.Code(earlier) + ", and this one " + rule.Code(x)
	}
	if text := rule.Differs(earlier.JSON(), x); x.OK() && text != "" {
		return "the resource differs from request " + strconv.Itoa(earlier.N) + ": " + text
	}
	return ""
}
