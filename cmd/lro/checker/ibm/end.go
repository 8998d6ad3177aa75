package ibm

import (
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// end holds the rules for the end of an operation and for reads after it.
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
		Title:   "The operation resource can still be read after the operation has ended.",
		Source:  handbook(resources, fireAndForget),
		Client:  "A client that was not running when the operation ended cannot learn the outcome.",
		Example: "GET …/operations/op-1 → 404 Not Found, one second after the operation has ended",
		On:      rule.Only(reads, rule.After), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func unchanged() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-final", Severity: rule.Must,
		Title:   "The status does not change after the operation has ended.",
		Source:  handbook(resources, fireAndForget),
		Client:  "A client that reads the status later reports another outcome.",
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
		Title:   "A failed operation has an array named errors with at least one entry.",
		Source:  handbook(operationBased, failureHasErrors),
		Client:  "A client reports a failure without a reason.",
		Example: `{"status":"failed"}`,
		On:      reporting(trace.HasFailed),
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
		Title:   "Each entry of errors has a code and a message, both of them strings.",
		Source:  handbook(operationBased, failureHasErrors),
		Client:  "A client cannot tell which error occurred, and cannot show the error to the user.",
		Example: `{"status":"failed","errors":["no capacity"]}`,
		On:      rule.Only(reporting(trace.HasFailed), rule.Has("/errors/0")), Broken: incompleteError,
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
		Client:  "A client that looks only for errors reports a failure that did not happen.",
		Example: `{"status":"in_progress","errors":[{"code":"retrying","message":"…"}]}`,
		On:      reporting(trace.InProgress, trace.HasSucceeded),
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
		Title:   "The operation resource of a successful operation contains the URL of the resource that the operation created or changed.",
		Source:  handbook(operationBased, "For operations that result in, or manipulate, a resource the service MUST include the target resource location in the status upon operation completion."),
		Client:  "A client cannot read the result.",
		Example: `{"status":"succeeded"}`,
		On:      rule.Only(reporting(trace.HasSucceeded), writes),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if targetOf(x) == nil {
				return "there is no URL of a resource"
			}
			return ""
		},
	}
}

// writes reports whether the operation creates or changes a resource.
func writes(op *trace.Operation, _ *trace.Exchange) bool { return op.Method != http.MethodDelete }

func targetReadable() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-target-get", Severity: rule.Must,
		Title:   "After an operation has succeeded, a GET of its resource returns 200.",
		Source:  handbook(operationBased, "succeeded: the processing for the operation has completed successfully"),
		Client:  "A client reports an error, although the operation has succeeded.",
		Example: `{"status":"succeeded"}, and then GET …/widgets/w-1 → 404 Not Found`,
		On: rule.Only(rule.Resources(trace.After), func(op *trace.Operation, _ *trace.Exchange) bool {
			return isOperation(op) && op.Method != http.MethodDelete && op.End == trace.Succeeded
		}),
		Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

// isOperation reports whether the status of op was read from an operation resource.
func isOperation(op *trace.Operation) bool { return op.Polled != "" && op.Polled != Status }

// targetGone returns the rule that a GET of a deleted resource returns 404 or 410.
func targetGone(id string, applies func(*trace.Operation) bool) rule.Rule {
	return rule.Rule{
		ID: id, Severity: rule.Should,
		Title:   "After a deletion has succeeded, a GET of the resource returns 404 or 410.",
		Source:  handbook(overview, "Long-running operations MUST provide a means for the client application to determine when an operation has completed and the outcome (success or failure) of the processing."),
		Client:  "A client that waits for a 404 waits until its timeout.",
		Example: `DELETE, {"status":"succeeded"}, and then GET …/widgets/w-1 → 200 OK`,
		On: rule.Only(rule.Resources(trace.After), func(op *trace.Operation, _ *trace.Exchange) bool {
			return applies(op) && op.Method == http.MethodDelete && op.End == trace.Succeeded
		}),
		Broken: rule.CodeOtherThan(http.StatusNotFound, http.StatusGone),
	}
}
