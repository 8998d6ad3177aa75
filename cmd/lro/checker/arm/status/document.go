package status

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const format = "Azure-AsyncOperation Resource format"

// document holds the rules for the members of the status document.
var document = rule.Table{Topic: "Members of the status document", Rules: []rule.Rule{
	monitorObject(),
	monitorStatus(),
	monitorID(),
	monitorName(),
	monitorPercent(),
	monitorPercentBack(),
	monitorTimes(),
	monitorTimeOrder(),
	monitorEndTime(),
	monitorProperties(),
	monitorOperations(),
	monitorError(),
	monitorErrorCode(),
	monitorErrorMessage(),
	monitorErrorEarly(),
}}

func monitorObject() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-object", Severity: rule.Must,
		Title:   "The status document is a JSON object.",
		Source:  arm.Async("Asynchronous Operations", "Azure-AsyncOperation URI returns 200 and status of the operation is present in the response payload."),
		Quirks:  []string{"W6"},
		Client:  "A client cannot read the status.",
		Example: "200 OK without a body",
		On:      rule.Only(monitors, func(_ *trace.Operation, x *trace.Exchange) bool { return x.StatusCode == http.StatusOK }),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, ok := x.Object(); !ok {
				return "the body is not a JSON object"
			}
			return ""
		},
	}
}

func monitorStatus() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-status", Severity: rule.Must,
		Title:   "The status document has a status, which is a string.",
		Source:  arm.Async(format, "| status | Required. … |"),
		Quirks:  []string{"W4/capital", "W4/no-status", "W44", "W52"},
		Client:  "A client cannot tell whether the operation is in progress.",
		Example: `{"id":"…","properties":{"provisioningState":"Succeeded"}}`,
		On:      documents,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.Text("/status") == "" {
				return "the document has no status"
			}
			return ""
		},
	}
}

func monitorID() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-id", Severity: rule.Should,
		Title:   "The id of the status document is the path of the status URL.",
		Source:  arm.Async(format, "It should match what is used to GET the operation resource."),
		Client:  "A client that stores the id cannot find the operation later.",
		Example: `GET /operationsStatuses/1 → {"id":"/operations/1"}`,
		On:      rule.Only(statusDocuments, rule.HasText("/id")),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if !strings.EqualFold(x.Text("/id"), x.Path()) {
				return "the id is " + x.Text("/id")
			}
			return ""
		},
	}
}

func monitorName() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-name", Severity: rule.Must,
		Title:   "The name in the status document is the last segment of its id.",
		Source:  arm.Async(format, "It must match the last segment of the \"id\" field, and will typically be a GUID / system generated value."),
		Client:  "A client that builds the URL from the name gets a 404.",
		Example: `{"id":"/operationsStatuses/1","name":"create"}`,
		On:      rule.Only(statusDocuments, rule.HasText("/name")),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			id := x.Text("/id")
			if id != "" && !strings.EqualFold(lastSegment(id), x.Text("/name")) {
				return "the name is " + x.Text("/name") + ", and the id ends with " + lastSegment(id)
			}
			return ""
		},
	}
}

func monitorPercent() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-percent", Severity: rule.Must,
		Title:   "percentComplete is a number from 0 to 100.",
		Source:  arm.Async(format, "Double between 0 and 100."),
		Client:  "A client cannot decode the document, or shows the wrong progress.",
		Example: `{"status":"InProgress","percentComplete":"50%"}`,
		On:      rule.Only(documents, rule.Has("/percentComplete")),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			value, _ := x.Lookup("/percentComplete")
			percent, ok := value.(float64)
			if !ok || percent < 0 || percent > 100 {
				return fmt.Sprintf("percentComplete is %#v", value)
			}
			return ""
		},
	}
}

func monitorPercentBack() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-percent-back", Severity: rule.Unusual,
		Title:   "percentComplete never decreases.",
		Source:  arm.Async(format, "Double between 0 and 100."),
		Client:  "A progress bar moves backwards.",
		Example: `{"percentComplete":60}, and then {"percentComplete":20}`,
		On:      rule.Only(documents, rule.Has("/percentComplete")), Broken: percentBack,
	}
}

func monitorTimes() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-times", Severity: rule.Must,
		Title:   "startTime and endTime are in ISO 8601 format.",
		Source:  arm.Async(format, "DateLiteral using ISO8601, per 1API guidelines."),
		Quirks:  []string{"W43"},
		Client:  "A client that parses the times strictly cannot read the status.",
		Example: `{"startTime":"2023-08-11 01:58:30 +0000"}`,
		On:      documents,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			for _, name := range []string{"startTime", "endTime"} {
				if _, err := timeOf(x, name); x.Has("/"+name) && err != nil {
					return name + " is " + fmt.Sprint(rule.Value(x, "/"+name))
				}
			}
			return ""
		},
	}
}

func monitorTimeOrder() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-time-order", Severity: rule.Should,
		Title:   "endTime is not before startTime.",
		Source:  arm.Async(format, "DateLiteral using ISO8601, per 1API guidelines."),
		Client:  "A client computes a negative duration.",
		Example: `{"startTime":"2026-01-01T00:01:00Z","endTime":"2026-01-01T00:00:00Z"}`,
		On:      documents,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			start, startErr := timeOf(x, "startTime")
			end, endErr := timeOf(x, "endTime")
			if startErr == nil && endErr == nil && end.Before(start) {
				return "endTime is before startTime"
			}
			return ""
		},
	}
}

func monitorEndTime() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-end-time", Severity: rule.Unusual,
		Title:   "The status document has no endTime while the operation is in progress.",
		Source:  arm.Async(format, "DateLiteral using ISO8601, per 1API guidelines."),
		Client:  "A client that looks at endTime stops waiting too early.",
		Example: `{"status":"InProgress","endTime":"2026-01-01T00:00:00Z"}`,
		On:      rule.Only(documents, rule.Has("/endTime")),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if arm.StateOf(op, x) == trace.InProgress {
				return "the status is " + arm.Word(x) + ", and there is an endTime"
			}
			return ""
		},
	}
}

func monitorProperties() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-properties", Severity: rule.Should,
		Title:   "The status document has a properties member only if the operation has succeeded.",
		Source:  arm.Async(format, "However, it should only be set if the status is Succeeded."),
		Quirks:  []string{"W41/below-properties"},
		Client:  "A client that looks for this member believes that the operation has completed.",
		Example: `{"status":"InProgress","properties":{}}`,
		On: rule.Only(documents, func(_ *trace.Operation, x *trace.Exchange) bool {
			return x.Text("/status") != "" && x.Has("/properties")
		}),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if s := arm.StateOf(op, x); s != trace.HasSucceeded && s != trace.Foreign {
				return "the status is " + arm.Word(x) + ", and there are properties"
			}
			return ""
		},
	}
}

func monitorOperations() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-operations", Severity: rule.Must,
		Title:   "Nested operations are in a list, and each of them has a status but no nested operations of its own.",
		Source:  arm.Async(format, "The objects within this array can use the full operation resource schema but should not contain a second level of nested operations."),
		Client:  "A client cannot decode the document, or does not show which part failed.",
		Example: `{"status":"InProgress","operations":{}}`,
		On:      rule.Only(documents, rule.Has("/operations")), Broken: nested,
	}
}

func monitorError() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-error", Severity: rule.Must,
		Title:   "The status document of a failed or canceled operation has an error object.",
		Source:  arm.Async(format, "Required if status == failed or status == canceled. This is the OData v4 error format"),
		Quirks:  []string{"W41/below-properties", "W41/code-in-header", "W41/error-null", "W41/error-string", "W41/status-alone"},
		Client:  "A client reports a failure without a reason.",
		Example: `{"status":"Failed"}`,
		On:      failures,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, ok := rule.Value(x, "/error").(map[string]any); !ok {
				return "the status is " + arm.Word(x) + ", and error is not an object"
			}
			return ""
		},
	}
}

func monitorErrorCode() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-error-code", Severity: rule.Must,
		Title:   "The error of a failed or canceled operation has a code, which is a string.",
		Source:  arm.Async(format, "If status == failed, provide an invariant error code used for error troubleshooting, aggregation, and analysis."),
		Quirks:  []string{"W41/no-code", "W41/numeric-code", "W60/no-code"},
		Client:  "A client cannot tell which error occurred, so it cannot decide whether to try again.",
		Example: `{"status":"Failed","error":{"message":"No more widgets."}}`,
		On:      rule.Only(failures, rule.IsObject("/error")), Broken: rule.LacksText("/error/code"),
	}
}

func monitorErrorMessage() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-error-message", Severity: rule.Must,
		Title:   "The error of a failed or canceled operation has a message, which is a string.",
		Source:  arm.Async(format, "If status == failed, provide an actionable error message indicating what error occurred, and what the user can do to address the issue."),
		Quirks:  []string{"W41/message-object"},
		Client:  "A client cannot tell the user what went wrong.",
		Example: `{"status":"Failed","error":{"code":"Quota"}}`,
		On:      rule.Only(failures, rule.IsObject("/error")), Broken: rule.LacksText("/error/message"),
	}
}

func monitorErrorEarly() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-error-early", Severity: rule.Should,
		Title:   "The status document has an error only if the operation has failed or was canceled.",
		Source:  arm.Async(format, "Required if status == failed or status == canceled. This is the OData v4 error format"),
		Client:  "A client that looks for an error reports a failure that did not happen.",
		Example: `{"status":"InProgress","error":{"code":"Retrying","message":"…"}}`,
		On:      rule.Only(documents, rule.Has("/error")),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if s := arm.StateOf(op, x); s == trace.InProgress || s == trace.HasSucceeded {
				return "the status is " + arm.Word(x) + ", and there is an error"
			}
			return ""
		},
	}
}

// statusDocuments selects the documents at the Azure-AsyncOperation URL, because only these have an
// id in the ARM format. It skips documents without a status, because they may be the resource
// (quirk W44).
func statusDocuments(op *trace.Operation) []*trace.Exchange {
	return rule.Only(documents, func(_ *trace.Operation, x *trace.Exchange) bool {
		return x.Source == arm.AsyncOperation && x.Text("/status") != ""
	})(op)
}

// failures selects the status documents that report a failure or a cancellation.
func failures(op *trace.Operation) []*trace.Exchange {
	return rule.Only(documents, func(op *trace.Operation, x *trace.Exchange) bool {
		s := arm.StateOf(op, x)
		return s == trace.HasFailed || s == trace.WasCanceled
	})(op)
}

// timeOf parses a time in a status document. The time must be in RFC 3339 format, but may lack the
// offset.
func timeOf(x *trace.Exchange, name string) (time.Time, error) {
	text := x.Text("/" + name)
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Parse("2006-01-02T15:04:05.999999999", text)
	}
	return t, nil
}

func percentBack(op *trace.Operation, x *trace.Exchange) string {
	now, ok := rule.Value(x, "/percentComplete").(float64)
	earlier := op.Previous(x, func(other *trace.Exchange) bool {
		return isMonitor(other) && other.Source == x.Source && other.Reader == x.Reader && other.Has("/percentComplete")
	})
	if !ok || earlier == nil {
		return ""
	}
	before, ok := rule.Value(earlier, "/percentComplete").(float64)
	if ok && now < before {
		return fmt.Sprintf("percentComplete was %v, and is %v now", before, now)
	}
	return ""
}

func nested(_ *trace.Operation, x *trace.Exchange) string {
	list, ok := rule.Value(x, "/operations").([]any)
	if !ok {
		return "operations is not a list"
	}
	for _, item := range list {
		o, ok := item.(map[string]any)
		if !ok {
			return "a nested operation is not an object"
		}
		if _, ok := o["status"].(string); !ok {
			return "a nested operation has no status"
		}
		if o["operations"] != nil {
			return "a nested operation has nested operations"
		}
	}
	return ""
}
