package ibm

import (
	"net/http"
	"strconv"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// first holds the rules for the first response of an operation that has an operation resource.
var first = rule.Table{Topic: "The first response", Rules: []rule.Rule{
	accepted("ibm-operation-accepted", rule.Must),
	bodyIsOperation(),
	locationHeader(),
	hrefMember(),
	hrefMatches(),
	pauseInFirst("ibm-operation-retry-after"),
	pauseInSeconds("ibm-operation-retry-after-seconds"),
	outcome("ibm-operation-outcome"),
}}

// accepted returns the rule that the first response must be a 202. The rule is less severe for a
// service whose resources contain the status, because there a 201 shows the status too.
func accepted(id string, severity rule.Severity) rule.Rule {
	return rule.Rule{
		ID: id, Severity: severity,
		Title: "The response that starts an operation is a 202.",
		Source: handbook(overview,
			"A long-running operation is an operation that returns a response with HTTP status code 202 to indicate that the processing for the request will be performed asynchronously (RFC 7231)."),
		Client:  "A client believes that the call has completed, and uses a resource that is not ready.",
		Example: `POST → 201 Created {"status":"pending"}`,
		On:      firsts, Broken: rule.CodeOtherThan(http.StatusAccepted),
	}
}

func bodyIsOperation() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-body", Severity: rule.Must,
		Title:   "The first response contains the operation resource with its status.",
		Source:  handbook(overview, "In the operation-based approach, the response to the original request MUST contain an operation resource, and the service MUST support a GET operation on the operation resource that returns the operation status."),
		Client:  "A client has to send another request to learn the status and the id.",
		Example: "202 Accepted without a body",
		On:      firsts,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if operationWord(x) == "" {
				return "the body is not an operation resource with a status"
			}
			return ""
		},
	}
}

func locationHeader() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-location", Severity: rule.Should,
		Title:   "The first response has the URL of the operation resource in its Location header.",
		Source:  handbook(operationBased, "The operation resource SHOULD contain an href property that matches the value of the Location header in the response to the original request."),
		Client:  "A client that looks only for Location cannot follow the operation.",
		Example: `202 {"id":"op-1","href":"https://…/operations/op-1"} without Location`,
		On:      firsts, Broken: rule.LacksHeader(Location),
	}
}

func hrefMember() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-href", Severity: rule.Should,
		Title:   "The operation resource has an href.",
		Source:  handbook(operationBased, "The operation resource SHOULD contain an href property that matches the value of the Location header in the response to the original request."),
		Client:  "A client that stored the operation resource does not know at which URL to read it again.",
		Example: `{"id":"op-1","status":"in_progress"}`,
		On:      withStatus, Broken: rule.LacksText("/href"),
	}
}

func hrefMatches() rule.Rule {
	return rule.Rule{
		ID: "ibm-operation-href-location", Severity: rule.Should,
		Title:   "The href of the operation resource equals the URL in the Location header of the first response.",
		Source:  handbook(operationBased, "The operation resource SHOULD contain an href property that matches the value of the Location header in the response to the original request."),
		Client:  "A client that uses href and a client that uses Location follow different URLs, and one of these may not exist.",
		Example: `Location: …/operations/op-1 and {"href":"…/widgets/w-1"}`,
		On:      rule.Only(withStatus, hasBothLinks), Broken: differentLinks,
	}
}

// hasBothLinks reports whether the first response has a Location and x has an href.
func hasBothLinks(op *trace.Operation, x *trace.Exchange) bool {
	return op.First().Link(Location) != nil && hrefOf(x, "/href") != nil
}

func differentLinks(op *trace.Operation, x *trace.Exchange) string {
	href := hrefOf(x, "/href").String()
	if href == op.First().Link(Location).String() {
		return ""
	}
	return "the href is " + href
}

// pauseInFirst returns the rule that the first response should have a Retry-After header.
func pauseInFirst(id string) rule.Rule {
	return rule.Rule{
		ID: id, Severity: rule.Should,
		Title: "The first response has a Retry-After header.",
		Source: handbook(retryAfter,
			"Long-running operations SHOULD return a Retry-After header in the original response that contains the number of seconds that the client should wait before trying to get the status of the operation, to avoid excessive polling."),
		Client:  "A client polls too often, or notices the end of the operation late.",
		Example: "202 Accepted without Retry-After",
		On:      firsts, Broken: rule.LacksHeader(retryAfter),
	}
}

// pauseInSeconds returns the rule that each Retry-After is a number of seconds.
func pauseInSeconds(id string) rule.Rule {
	return rule.Rule{
		ID: id, Severity: rule.Must,
		Title: "Retry-After is a number of seconds.",
		Source: handbook(retryAfter,
			"Long-running operations SHOULD return a Retry-After header in the original response that contains the number of seconds that the client should wait before trying to get the status of the operation, to avoid excessive polling."),
		Client:  "A client cannot parse the header, and polls at its own pace.",
		Example: "Retry-After: 1.5s",
		On:      rule.With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Header.Get(retryAfter) != "" }),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			value := x.Header.Get(retryAfter)
			seconds, err := strconv.Atoi(value)
			if err != nil || seconds < 0 {
				return "Retry-After is " + value
			}
			return ""
		},
	}
}

// outcome returns the rule that the status must show whether and how the operation has ended.
func outcome(id string) rule.Rule {
	return rule.Rule{
		ID: id, Severity: rule.Must,
		Title:   "The status shows whether the operation has completed, and whether it has succeeded.",
		Source:  handbook(overview, "Long-running operations MUST provide a means for the client application to determine when an operation has completed and the outcome (success or failure) of the processing."),
		Client:  "A client never learns that the operation has ended, and waits until its timeout.",
		Example: "404 for the status of an operation that has completed",
		On: rule.Only(lastRead, func(op *trace.Operation, _ *trace.Exchange) bool {
			return op.End != trace.Unfinished
		}),
		Broken: func(op *trace.Operation, _ *trace.Exchange) string {
			if op.End == trace.Silent {
				return "the status can no longer be read, or never reports that the operation has ended"
			}
			return ""
		},
	}
}

// lastRead selects the last read of the status that the check made while it waited for the
// operation to end.
func lastRead(op *trace.Operation) []*trace.Exchange {
	isRead := func(op *trace.Operation, x *trace.Exchange) bool {
		return x.Phase == trace.During && (x.Role == trace.Status || x.Role == trace.Resource && op.Polled == Status)
	}
	all := rule.With(isRead)(op)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1:]
}
