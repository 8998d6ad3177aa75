package status

import (
	"net/http"
	"strconv"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const accepting = "202 Accepted and Location Headers"

// results holds the rules for reads of the Location.
var results = rule.Table{Topic: "Location", Rules: []rule.Rule{
	locationProgress(),
	locationSilent(),
	locationAgain(),
	locationReadable(),
	locationCode(),
	locationBody(),
	locationState(),
	locationKept(),
	locationAgrees(),
	locationEnds(),
}}

func locationProgress() rule.Rule {
	return rule.Rule{
		ID: "arm-location-progress", Severity: rule.Must,
		Title:   "While the operation is in progress, the Location URL returns 202, not a status document.",
		Source:  arm.Async("Asynchronous Operations", "Location URI should return 202 Accepted with no response body while operation is in progress."),
		Quirks:  []string{"W53"},
		Client:  "A client mistakes the status document for the result.",
		Example: `GET Location → 200 {"status":"InProgress"}`,
		On:      locations,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if x.StatusCode != http.StatusAccepted && arm.StateOf(op, x) == trace.InProgress {
				return "Location returns " + rule.Code(x) + " with the status " + arm.Word(x)
			}
			return ""
		},
	}
}

func locationSilent() rule.Rule {
	return rule.Rule{
		ID: "arm-location-silent", Severity: rule.Should,
		Title:   "A 202 from the Location URL has no body.",
		Source:  arm.Async("Asynchronous Operations", "Location URI should return 202 Accepted with no response body while operation is in progress."),
		Client:  "A client that regards every body as the result returns the wrong result.",
		Example: `GET Location → 202 {"status":"InProgress"}`,
		On:      rule.Only(locations, rule.Accepted),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if len(x.Body) > 0 {
				return "the 202 has a body"
			}
			return ""
		},
	}
}

func locationAgain() rule.Rule {
	return rule.Rule{
		ID: "arm-location-again", Severity: rule.Should,
		Title:   "A 202 from the Location URL has a Location header too.",
		Source:  arm.Async(accepting, "If the operation is not complete, return 202 (Accepted) again with Location header and optionally an updated Retry-After header."),
		Client:  "A client that takes the next URL from each response does not know where to poll next.",
		Example: "GET Location → 202 Accepted without Location",
		On:      rule.Only(locations, rule.Accepted),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.Header.Get(arm.Location) == "" {
				return "the 202 has no Location"
			}
			return ""
		},
	}
}

func locationReadable() rule.Rule {
	return rule.Rule{
		ID: "arm-location-readable", Severity: rule.Must,
		Title:   "The Location URL can be read during and after the operation.",
		Source:  arm.Async(accepting, "If the operation is not complete, return 202 (Accepted) again with Location header and optionally an updated Retry-After header."),
		Quirks:  []string{"W1", "W1/again", "W15", "W16", "W17/delete", "W22", "W54/408", "W54/424"},
		Client:  "A client cannot tell whether the operation failed or only the read did.",
		Example: "GET Location → 500 Internal Server Error, after the operation has failed",
		On:      locations,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if x.StatusCode >= 400 && x.StatusCode != http.StatusTooManyRequests && arm.StateOf(op, x) == trace.Unknown {
				return "Location returns " + rule.Code(x)
			}
			return ""
		},
	}
}

func locationCode() rule.Rule {
	return rule.Rule{
		ID: "arm-location-code", Severity: rule.Must,
		Title:   "When the operation has ended, the Location URL returns the status code that a synchronous call would have returned.",
		Source:  arm.Async(accepting, "If the operation is complete, return the exact same response that would have been returned had the operation been executed synchronously."),
		Client:  "A client does not know how to read the result.",
		Example: "DELETE, GET Location → 201 Created",
		On:      ended, Broken: wrongResultCode,
	}
}

func locationBody() rule.Rule {
	return rule.Rule{
		ID: "arm-location-body", Severity: rule.Must,
		Title:   "When a PUT or PATCH has succeeded, the Location URL returns the resource.",
		Source:  arm.Async(accepting, "If the operation is complete, return the exact same response that would have been returned had the operation been executed synchronously."),
		Quirks:  []string{"W53", "W6"},
		Client:  "A client returns an empty result.",
		Example: "PUT, GET Location → 200 OK without a body",
		On:      ended, Broken: lacksResult,
	}
}

func locationState() rule.Rule {
	return rule.Rule{
		ID: "arm-location-state", Severity: rule.Must,
		Title:   "When the operation has ended, the resource that the Location URL returns has a terminal provisioningState.",
		Source:  arm.Async("Creating/Updating using PUT", "After the provisioning completes, the provisioningState property should transition to one of the terminal states."),
		Quirks:  []string{"W36"},
		Client:  "A client uses a resource that is not ready.",
		Example: `GET Location → 200 {"properties":{"provisioningState":"Creating"}}`,
		On:      ended,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if says := arm.Provisioning(x); arm.Meaning(says) == trace.InProgress {
				return "provisioningState is " + says
			}
			return ""
		},
	}
}

func locationKept() rule.Rule {
	return rule.Rule{
		ID: "arm-location-kept", Severity: rule.Must,
		Title:   "After the operation has ended, the Location URL always returns the same status code.",
		Source:  arm.Async(accepting, "If the operation is complete, return the exact same response that would have been returned had the operation been executed synchronously."),
		Client:  "A client that lost the response cannot learn how the operation ended.",
		Example: "GET Location → 200 OK, and then 404 Not Found",
		On:      rule.Only(locations, hasEnded), Broken: changesResult,
	}
}

func locationAgrees() rule.Rule {
	return rule.Rule{
		ID: "arm-location-agrees", Severity: rule.Must,
		Title:   "The Location URL and the status report the same outcome.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "Location header should have different behavior described above."),
		Client:  "Clients that poll Location see a different outcome from clients that poll the status.",
		Example: `{"status":"Failed"}, and GET Location → 200 OK`,
		On:      rule.Only(locations, rule.After),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			s := arm.StateOf(op, x)
			decides := op.Polled == arm.Location || op.End == trace.Silent
			if decides || s == trace.Unknown || s == trace.Foreign || s.End() == op.End {
				return ""
			}
			if s == trace.HasFailed && op.End == trace.Canceled {
				return "" // a 4xx from Location does not always say whether the operation failed or was canceled
			}
			return "the operation has " + string(op.End) + ", and Location returns " + rule.Code(x)
		},
	}
}

func locationEnds() rule.Rule {
	return rule.Rule{
		ID: "arm-location-ends", Severity: rule.Must,
		Title:   "When the operation has ended, the Location URL reports this.",
		Source:  arm.Async(accepting, "If the operation is complete, return the exact same response that would have been returned had the operation been executed synchronously."),
		Quirks:  []string{"W39/endless"},
		Client:  "A client never learns that the operation has ended, and waits until its timeout.",
		Example: "GET Location → 202 Accepted long after the resource exists",
		On:      lastLocation, Broken: endsSilently,
	}
}

// locations selects the reads of the Location.
func locations(op *trace.Operation) []*trace.Exchange {
	return rule.With(func(_ *trace.Operation, x *trace.Exchange) bool {
		return x.Role == trace.Status && x.Source == arm.Location
	})(op)
}

// ended selects the first read of the Location that reports success.
func ended(op *trace.Operation) []*trace.Exchange {
	for _, x := range locations(op) {
		if arm.StateOf(op, x) == trace.HasSucceeded {
			return []*trace.Exchange{x}
		}
	}
	return nil
}

func lastLocation(op *trace.Operation) []*trace.Exchange { return rule.Only(locations, lastDuring)(op) }

// resultCodes lists, for each method, the status codes that a synchronous call may return. The
// result of an operation must have one of them.
var resultCodes = map[string][]int{
	http.MethodPut:    {http.StatusOK, http.StatusCreated},
	http.MethodPatch:  {http.StatusOK},
	http.MethodDelete: {http.StatusOK, http.StatusNoContent},
	http.MethodPost:   {http.StatusOK, http.StatusCreated, http.StatusNoContent},
}

func wrongResultCode(op *trace.Operation, x *trace.Exchange) string {
	codes, ok := resultCodes[op.Method]
	if !ok {
		return ""
	}
	return rule.CodeOtherThan(codes...)(op, x)
}

// lacksResult reports the result of a PUT or PATCH if it is not a resource.
func lacksResult(op *trace.Operation, x *trace.Exchange) string {
	if op.Method != http.MethodPut && op.Method != http.MethodPatch {
		return ""
	}
	if _, ok := x.Object(); !ok {
		return "the body is not a JSON object"
	}
	if arm.IsStatusDocument(x) {
		return "the body is a status document"
	}
	return ""
}

// changesResult reports a change of the status code since the previous read that showed the end of
// the operation. It ignores a 429.
func changesResult(op *trace.Operation, x *trace.Exchange) string {
	earlier := endedBefore(op, x)
	if earlier.StatusCode == x.StatusCode || x.StatusCode == http.StatusTooManyRequests {
		return ""
	}
	return "request " + strconv.Itoa(earlier.N) + " returned " + rule.Code(earlier) + ", and this one " + rule.Code(x)
}
