package ibm

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// end has the rules about the operation resource after the end.
var end = rule.Table{Topic: "The end of an operation", Rules: []rule.Rule{
	preserved(),
	unchanged(),
	errorsOfFailure(),
	errorModels(),
	errorsTooEarly(),
	targetNamed(),
	targetReadable(),
	targetGone("ibm-operation-deleted", isOperation),
}}

const fireAndForget = "However, the service must preserve the operation result for a reasonable amount of time, for example 24 hours, to allow the client time to consume it."

func preserved() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-preserved", Severity: rule.Must,
		Title:   "The operation resource can still be read after the end.",
		Source:  handbook(resources, fireAndForget),
		Client:  "A client that was not running at the end never learns the outcome.",
		Example: "GET …/operations/op-1 → 404 Not Found, one second after the end",
		On:      rule.Only(reads, rule.After), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func unchanged() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-final", Severity: rule.Must,
		Title:   "The status does not change after the end.",
		Source:  handbook(resources, fireAndForget),
		Client:  "A client that reads later reports another outcome.",
		Example: `{"status":"succeeded"}, and then {"status":"in_progress"}`,
		On: rule.Only(reads, func(_ *trace.Operation, x *trace.Exchange) bool {
			return x.Phase == trace.After && operationWord(x) != ""
		}),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			final := op.Previous(x, func(other *trace.Exchange) bool {
				return other.Role == trace.Status && operationMeaning(operationWord(other)).Terminal()
			})
			if final == nil || operationWord(final) == operationWord(x) {
				return ""
			}
			return "the status is " + operationWord(x) + " after " + operationWord(final)
		},
	}
}

const failureHasErrors = "If the operation status indicates that the operation failed, the operation SHOULD include an errors array with one or more error models that describe the error(s) encountered in the operation processing."

func errorsOfFailure() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-errors", Severity: rule.Should,
		Title:   "An operation that has failed has an array errors, and not an empty one.",
		Source:  handbook(operationBased, failureHasErrors),
		Client:  "A client reports a failure without a reason.",
		Example: `{"status":"failed"}`,
		On:      ended(trace.HasFailed),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			list, _ := rule.Value(x, "/errors").([]any)
			if len(list) == 0 {
				return "there are no errors"
			}
			return ""
		},
	}
}

func errorModels() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-error-models", Severity: rule.Should,
		Title:   "Each of the errors has a code and a message, both strings.",
		Source:  handbook(operationBased, failureHasErrors),
		Client:  "A client cannot decide whether to try again, or what to tell the user.",
		Example: `{"status":"failed","errors":["no capacity"]}`,
		On:      rule.Only(ended(trace.HasFailed), rule.Has("/errors/0")), Broken: incompleteError,
	}
}

func incompleteError(_ *trace.Operation, x *trace.Exchange) string {
	list, _ := rule.Value(x, "/errors").([]any)
	for _, e := range list {
		model, _ := e.(map[string]any)
		code, _ := model["code"].(string)
		message, _ := model["message"].(string)
		if code == "" || message == "" {
			return "one of the errors has no code or no message"
		}
	}
	return ""
}

func errorsTooEarly() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-errors-early", Severity: rule.Unusual,
		Title:   "An operation that has not failed has no errors.",
		Source:  handbook(operationBased, failureHasErrors),
		Client:  "A client that looks only for errors reports a failure.",
		Example: `{"status":"in_progress","errors":[{"code":"retrying","message":"…"}]}`,
		On:      ended(trace.InProgress, trace.HasSucceeded),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if rule.Value(x, "/errors/0") != nil {
				return "the status is " + operationWord(x) + ", and there are errors"
			}
			return ""
		},
	}
}

func targetNamed() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-target", Severity: rule.Must,
		Title:   "An operation that has succeeded has the URL of the resource that it created or changed.",
		Source:  handbook(operationBased, "For operations that result in, or manipulate, a resource the service MUST include the target resource location in the status upon operation completion."),
		Client:  "A client cannot read the result.",
		Example: `{"status":"succeeded"}`,
		On:      rule.Only(ended(trace.HasSucceeded), writes),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if targetOf(x) == nil {
				return "there is no URL of a resource"
			}
			return ""
		},
	}
}

// writes is the condition that the operation leaves a resource behind.
func writes(op *trace.Operation, _ *trace.Exchange) bool { return op.Method != http.MethodDelete }

func targetReadable() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-target-get", Severity: rule.Must,
		Title:   "The resource can be read once its operation has succeeded.",
		Source:  handbook(operationBased, "succeeded: the processing for the operation has completed successfully"),
		Client:  "A client reports an error, although the operation has succeeded.",
		Example: `{"status":"succeeded"}, and then GET …/widgets/w-1 → 404 Not Found`,
		On: rule.Only(rule.Resources(trace.After), func(op *trace.Operation, _ *trace.Exchange) bool {
			return isOperation(op) && op.Method != http.MethodDelete && op.End == trace.Succeeded
		}),
		Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

// isOperation reports whether the status of op was in an operation resource.
func isOperation(op *trace.Operation) bool { return op.Polled != "" && op.Polled != Status }

// targetGone returns the rule that a deleted resource cannot be read.
func targetGone(id string, applies func(*trace.Operation) bool) rule.Rule {
	return rule.Rule{
		ID: id, Severity: rule.Should,
		Title:   "A resource cannot be read once its deletion has succeeded.",
		Source:  handbook(overview, "Long-running operations MUST provide a means for the client application to determine when an operation has completed and the outcome (success or failure) of the processing."),
		Client:  "A client that waits for a 404 waits forever.",
		Example: `DELETE, {"status":"succeeded"}, and then GET …/widgets/w-1 → 200 OK`,
		On: rule.Only(rule.Resources(trace.After), func(op *trace.Operation, _ *trace.Exchange) bool {
			return applies(op) && op.Method == http.MethodDelete && op.End == trace.Succeeded
		}),
		Broken: rule.CodeOtherThan(http.StatusNotFound, http.StatusGone),
	}
}
