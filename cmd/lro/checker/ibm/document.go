package ibm

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// document holds the rules for reads of the operation resource and for its status.
var document = rule.Table{Topic: "The operation resource", Rules: []rule.Rule{
	operationReadable(),
	statusPresent(),
	statusName(),
	statusWords(),
	statusCase(),
	statusBack(),
	sameReaders(),
	unknownOperation(),
}}

const enumeration = "The status field SHOULD be defined as an enumeration that includes the following values:"

func operationReadable() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-get", Severity: rule.Must,
		Title:   "A GET of the operation resource returns 200 while the operation is in progress.",
		Source:  handbook(overview, "In the operation-based approach, the response to the original request MUST contain an operation resource, and the service MUST support a GET operation on the operation resource that returns the operation status."),
		Client:  "A client can no longer follow the operation.",
		Example: "GET …/operations/op-1 → 404 Not Found",
		On:      rule.Only(reads, rule.During), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func statusPresent() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-status", Severity: rule.Must,
		Title:   "The operation resource has a status, which is a string.",
		Source:  handbook(operationBased, "The operation resource MUST contain a status field and this field SHOULD be named status."),
		Client:  "A client cannot tell whether the operation is in progress.",
		Example: `{"id":"op-1","href":"…"}`,
		On:      rule.Only(reads, rule.OK),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if operationWord(x) == "" {
				return "there is no status"
			}
			return ""
		},
	}
}

func statusName() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-status-name", Severity: rule.Should,
		Title:   "The field with the status is named status.",
		Source:  handbook(operationBased, "The operation resource MUST contain a status field and this field SHOULD be named status."),
		Client:  "A client that works with every service of IBM Cloud needs an exception for this one.",
		Example: `{"state":"in_progress"}`,
		On:      withStatus, Broken: rule.LacksText(statusMember),
	}
}

func statusWords() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-words", Severity: rule.Should,
		Title:   "The status of an operation that has ended is succeeded or failed.",
		Source:  handbook(operationBased, enumeration),
		Client:  "A client that knows only the words of the handbook waits until its timeout.",
		Example: `{"status":"completed"}`,
		On:      withStatus,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			word := operationWord(x)
			if operationMeaning(word) == trace.Foreign {
				return "the status is " + word
			}
			return ""
		},
	}
}

func statusCase() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-word-case", Severity: rule.Should,
		Title:   "The words for the status are in lower case.",
		Source:  handbook(operationBased, enumeration),
		Client:  "A client that compares the words exactly waits until its timeout.",
		Example: `{"status":"Succeeded"}`,
		On:      withStatus,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			word := operationWord(x)
			if strings.ToLower(word) != word {
				return "the status is " + word
			}
			return ""
		},
	}
}

func statusBack() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-status-back", Severity: rule.Must,
		Title:   "A status that has left not_started does not return to it.",
		Source:  handbook(operationBased, "not_started: the processing for the operation has not started"),
		Client:  "A client shows that the operation was undone, or starts it again.",
		Example: `{"status":"in_progress"}, and then {"status":"not_started"}`,
		On:      withStatus,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			started := op.Previous(x, func(other *trace.Exchange) bool {
				word := operationWord(other)
				return hasRole(other) && word != "" && word != notStarted
			})
			if started != nil && operationWord(x) == notStarted {
				return "the status is not_started again, after " + operationWord(started)
			}
			return ""
		},
	}
}

// hasRole reports whether x may contain the operation resource.
func hasRole(x *trace.Exchange) bool { return x.Role == trace.Start || x.Role == trace.Status }

func sameReaders() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-readers", Severity: rule.Must,
		Title:   "Two clients that read the status see the same outcome.",
		Source:  handbook(overview, "Long-running operations MUST provide a means for the client application to determine when an operation has completed and the outcome (success or failure) of the processing."),
		Client:  "One client reports success, and the other one a failure.",
		Example: `{"status":"succeeded"} over one connection, and {"status":"failed"} over another`,
		On: rule.Only(reads, func(op *trace.Operation, x *trace.Exchange) bool {
			return x.Reader == 2 && operationMeaning(operationWord(x)).Terminal()
		}),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			other := op.Previous(x, func(y *trace.Exchange) bool {
				return y.Role == trace.Status && y.Reader == 1 && operationMeaning(operationWord(y)).Terminal()
			})
			if other == nil || operationWord(other) == operationWord(x) {
				return ""
			}
			return "the status is " + operationWord(x) + " and, for the first reader, " + operationWord(other)
		},
	}
}

func unknownOperation() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-unknown", Severity: rule.Should, Probe: probeUnknown,
		Title:   "The URL of an operation that does not exist returns 404.",
		Source:  handbook(overview, "In the operation-based approach, the response to the original request MUST contain an operation resource, and the service MUST support a GET operation on the operation resource that returns the operation status."),
		Client:  "A client with a wrong URL waits for an operation that does not exist.",
		Example: `GET …/operations/none → 200 {"status":"in_progress"}`,
		On:      rule.Probes(probeUnknown), Broken: rule.CodeOtherThan(http.StatusNotFound),
	}
}

// probeUnknown is the probe that reads the status of a nonexistent operation.
const probeUnknown = "unknown-operation"
