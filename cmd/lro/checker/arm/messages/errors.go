package messages

import (
	"strconv"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const errorContent = "Error Response Content"

// refusals holds the rules for 4xx and 5xx responses.
var refusals = rule.Table{Topic: "Errors", Rules: []rule.Rule{
	errorBody(),
	errorCode(),
	errorMessage(),
	errorDetails(),
	errorHeader(),
}}

func errorBody() rule.Rule {
	return rule.Rule{
		ID: "arm-error-body", Severity: rule.Must,
		Title:   "The body of a 4xx or 5xx response contains an error object.",
		Source:  arm.Provider(errorContent, "If the resource provider needs to return an error to any operation, it should return the appropriate HTTP error code and a message body as can be seen below."),
		Quirks:  []string{"W41/capitals", "W41/communication-error", "W41/empty", "W41/error-code", "W41/error-response", "W41/html", "W41/problem", "W41/remote-exception", "W41/string", "W41/text", "W41/unknown", "W41/xml", "W49/text"},
		Client:  "A client can show only the status code.",
		Example: "404 Not Found without a body",
		On:      errorsOf,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, ok := rule.Value(x, "/error").(map[string]any); !ok {
				return "the body of the " + strconv.Itoa(x.StatusCode) + " has no error object"
			}
			return ""
		},
	}
}

func errorCode() rule.Rule {
	return rule.Rule{
		ID: "arm-error-code", Severity: rule.Must,
		Title:   "An error object has a code, which is a string.",
		Source:  arm.Provider(errorContent, "The resource providers must return the code and message fields; however, the other fields are acceptable as additions."),
		Quirks:  []string{"W60/no-code"},
		Client:  "A client cannot tell which error occurred, so it cannot decide whether to try again.",
		Example: `404 {"error":{"message":"There is no such widget."}}`,
		On:      rule.Only(errorsOf, rule.IsObject("/error")), Broken: rule.LacksText("/error/code"),
	}
}

func errorMessage() rule.Rule {
	return rule.Rule{
		ID: "arm-error-message", Severity: rule.Must,
		Title:   "An error object has a message, which is a string.",
		Source:  arm.Provider(errorContent, "The resource providers must return the code and message fields; however, the other fields are acceptable as additions."),
		Client:  "A client cannot tell the user what went wrong.",
		Example: `404 {"error":{"code":"NotFound"}}`,
		On:      rule.Only(errorsOf, rule.IsObject("/error")), Broken: rule.LacksText("/error/message"),
	}
}

func errorDetails() rule.Rule {
	return rule.Rule{
		ID: "arm-error-details", Severity: rule.Must,
		Title:   "The details of an error are a list of objects, each with a code and a message.",
		Source:  arm.Provider(errorContent, "An array of JSON objects that MUST contain name/value pairs for code and message, and MAY contain a name/value pair for target, as described above."),
		Quirks:  []string{"W41/details-object"},
		Client:  "A client that decodes the details strictly loses the whole error.",
		Example: `409 {"error":{"code":"Quota","message":"…","details":{"code":"Size"}}}`,
		On:      withDetails, Broken: wrongDetails,
	}
}

func errorHeader() rule.Rule {
	return rule.Rule{
		ID: "arm-error-header", Severity: rule.Unusual,
		Title:   "The x-ms-error-code header, if there is one, equals the code in the body.",
		Source:  arm.Provider(errorContent, "String that can be used to programmatically identify the error."),
		Client:  "A client that reads the header and a client that reads the body report different errors.",
		Example: `x-ms-error-code: NotFound with {"error":{"code":"ResourceNotFound"}}`,
		On:      rule.Only(errorsOf, rule.HasText("/error/code")),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			header := x.Header.Get("X-Ms-Error-Code")
			if header != "" && header != x.Text("/error/code") {
				return "the header is " + header + ", and the code is " + x.Text("/error/code")
			}
			return ""
		},
	}
}

// errorsOf selects the 4xx and 5xx responses.
func errorsOf(op *trace.Operation) []*trace.Exchange {
	return rule.With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.StatusCode >= 400 })(op)
}

// withDetails selects the responses whose body contains an error with details.
func withDetails(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool { return x.Has("/error/details") })
}

func wrongDetails(_ *trace.Operation, x *trace.Exchange) string {
	list, ok := rule.Value(x, "/error/details").([]any)
	if !ok {
		return "error.details is not a list"
	}
	for i, item := range list {
		detail, _ := item.(map[string]any)
		for _, name := range []string{"code", "message"} {
			if text, _ := detail[name].(string); text == "" {
				return "error.details[" + strconv.Itoa(i) + "] has no " + name
			}
		}
	}
	return ""
}
