package messages

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The bounds of Retry-After, in seconds (section "202 Accepted and Location Headers").
const (
	minRetryAfter = 10
	maxRetryAfter = 600
)

const (
	maxBody = 4 << 20          // section "Max Response Size"
	maxTime = 60 * time.Second // section "Client Request Timeout"
)

// headers holds the rules for Retry-After and for the headers and bodies of all responses.
var headers = rule.Table{Topic: "Headers and bodies of all responses", Rules: []rule.Rule{
	retryAfterSeconds(),
	retryAfterBounds(),
	requestID(),
	requestIDUnique(),
	date(),
	contentType(),
	validJSON(),
	byteOrderMark(),
	size(),
	inTime(),
}}

func retryAfterSeconds() rule.Rule {
	return rule.Rule{
		ID: "arm-retry-after-seconds", Severity: rule.Must,
		Title:   "Retry-After is a number of seconds, not a date.",
		Source:  arm.Async("Asynchronous Operations", "Retry-After should be (integer), will not support http-date."),
		Client:  "A client that expects a number ignores the header, and polls at its own pace.",
		Example: "Retry-After: Fri, 27 Nov 2026 12:00:00 GMT",
		On:      pausing,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, err := strconv.ParseUint(x.Header.Get("Retry-After"), 10, 64); err != nil {
				return "Retry-After is " + x.Header.Get("Retry-After")
			}
			return ""
		},
	}
}

func retryAfterBounds() rule.Rule {
	return rule.Rule{
		ID: "arm-retry-after-bounds", Severity: rule.Must,
		Title:   "Retry-After is between 10 seconds and 10 minutes.",
		Source:  arm.Async("202 Accepted and Location Headers", "The time interval in the Retry-After header can only be specified in seconds, with a minimum of 10 seconds and a maximum of 10 minutes."),
		Quirks:  []string{"W48/long"},
		Client:  "A client polls too often, or notices the end of the operation late.",
		Example: "Retry-After: 1200",
		On:      pausing,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			seconds, err := strconv.ParseUint(x.Header.Get("Retry-After"), 10, 64)
			if err == nil && (seconds < minRetryAfter || seconds > maxRetryAfter) {
				return "Retry-After is " + x.Header.Get("Retry-After")
			}
			return ""
		},
	}
}

func requestID() rule.Rule {
	return rule.Rule{
		ID: "arm-request-id", Severity: rule.Must,
		Title:   "Every response has an x-ms-request-id header.",
		Source:  arm.Provider("Response Headers", "All the resource providers must return this value in the response headers to facilitate debugging."),
		Client:  "A user who asks for support cannot name the request that failed.",
		Example: "200 OK without x-ms-request-id",
		On:      rule.All,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.Header.Get("X-Ms-Request-Id") == "" {
				return "the response has no x-ms-request-id"
			}
			return ""
		},
	}
}

func requestIDUnique() rule.Rule {
	return rule.Rule{
		ID: "arm-request-id-unique", Severity: rule.Must,
		Title:   "Each response has an x-ms-request-id of its own.",
		Source:  arm.Provider("Response Headers", "A unique identifier for the current operation, service generated."),
		Client:  "The ID that a user gives to support matches many requests, not only the failed one.",
		Example: "x-ms-request-id: 00000000-0000-0000-0000-000000000000 in each response",
		On:      rule.All, Broken: repeatsID,
	}
}

func date() rule.Rule {
	return rule.Rule{
		ID: "arm-date", Severity: rule.Should,
		Title:   "Every response has a Date header in the format of RFC 1123.",
		Source:  arm.Provider("Response Headers", "The date that the request was processed, in RFC 1123 format."),
		Client:  "A client cannot notice that its clock is wrong.",
		Example: "200 OK without Date",
		On:      rule.All,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, err := http.ParseTime(x.Header.Get("Date")); err != nil {
				return "the Date is " + strconv.Quote(x.Header.Get("Date"))
			}
			return ""
		},
	}
}

func contentType() rule.Rule {
	return rule.Rule{
		ID: "arm-content-type", Severity: rule.Should,
		Title:   "The Content-Type of every response with a body is application/json.",
		Source:  arm.Provider("Response Headers", "Set to application/json. This header is not required in responses that don't have any content."),
		Quirks:  []string{"W41/html", "W41/text", "W41/xml", "W49/text", "W56/untyped"},
		Client:  "A client that checks the Content-Type decodes neither the error nor the result.",
		Example: "Content-Type: text/plain",
		On:      rule.Only(rule.All, rule.HasBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			kind, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
			if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
				return "the Content-Type is " + strconv.Quote(x.Header.Get("Content-Type"))
			}
			return ""
		},
	}
}

func validJSON() rule.Rule {
	return rule.Rule{
		ID: "arm-json", Severity: rule.Must,
		Title:   "A body whose Content-Type is application/json is valid JSON.",
		Source:  arm.Provider("Response Headers", "Set to application/json. This header is not required in responses that don't have any content."),
		Client:  "A client cannot read the status, the error or the result.",
		Example: "Content-Type: application/json with an HTML page",
		On:      rule.Only(rule.All, rule.HasBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if strings.HasPrefix(x.Header.Get("Content-Type"), "application/json") && !json.Valid(x.JSON()) {
				return "the body is not JSON"
			}
			return ""
		},
	}
}

func byteOrderMark() rule.Rule {
	return rule.Rule{
		ID: "arm-byte-order-mark", Severity: rule.Must,
		Title:   "A JSON body does not start with a byte order mark (RFC 8259, section 8.1).",
		Source:  arm.Provider("Response Headers", "Set to application/json. This header is not required in responses that don't have any content."),
		Quirks:  []string{"W41/xml", "W42"},
		Client:  "A client whose JSON decoder does not skip the mark cannot read the body.",
		Example: `EF BB BF {"status":"Succeeded"}`,
		On:      rule.Only(rule.All, rule.HasBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if len(x.JSON()) < len(x.Body) {
				return "the body starts with a byte order mark"
			}
			return ""
		},
	}
}

func size() rule.Rule {
	return rule.Rule{
		ID: "arm-size", Severity: rule.Must,
		Title:   "No response body is larger than 4 MB.",
		Source:  arm.Provider("Max Response Size", "Any response greater than 4 MB in size will be dropped by ARM, and 500 Internal Server Error will be returned to the client."),
		Client:  "Azure Resource Manager drops the response, and the client gets a 500.",
		Example: "200 OK with Content-Length: 5000000",
		On:      rule.Only(rule.All, rule.HasBody),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if len(x.Body) > maxBody {
				return "the body has more than 4 MB"
			}
			return ""
		},
	}
}

func inTime() rule.Rule {
	return rule.Rule{
		ID: "arm-time", Severity: rule.Must,
		Title:   "The service responds within 60 seconds.",
		Source:  arm.Provider("Client Request Timeout", "The resource provider must respond within that time interval or the client will receive a 504 (timeout) error code and will not see the response from the RP."),
		Client:  "A client gets a 504 and does not know whether the operation has started.",
		Example: "a response after 90 seconds",
		On:      rule.All,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.Took > maxTime {
				return "the response took " + x.Took.Round(time.Second).String()
			}
			return ""
		},
	}
}

// pausing selects the responses to the request that starts the operation and to reads of the status
// and the resource, if the response is a 2xx with a Retry-After.
func pausing(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool {
		about := x.Role == trace.Start || x.Role == trace.Status || x.Role == trace.Resource
		return about && x.OK() && x.Header.Get("Retry-After") != ""
	})
}

// repeatsID reports the most recent earlier request whose response has the same x-ms-request-id as
// x. It returns "" if there is none.
func repeatsID(op *trace.Operation, x *trace.Exchange) string {
	id := x.Header.Get("X-Ms-Request-Id")
	if id == "" {
		return ""
	}
	earlier := op.Previous(x, func(other *trace.Exchange) bool { return other.Header.Get("X-Ms-Request-Id") == id })
	if earlier != nil {
		return "the response to request " + strconv.Itoa(earlier.N) + " has the same x-ms-request-id"
	}
	return ""
}
