package status

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

var always = arm.Async("Azure-AsyncOperation Resource format", "When reading the operation resource entity, the status code should always be 200.")

// monitor holds the rules for reading the status document.
var monitor = rule.Table{Topic: "Reading the status document", Rules: []rule.Rule{
	monitorCode(),
	monitorFound(),
	monitorReadable(),
	monitorKept(),
	monitorBack(),
	monitorReaders(),
	monitorEnds(),
	unknownOperation(),
}}

func monitorCode() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-code", Severity: rule.Must, Source: always,
		Title:   "A successful read of the status URL returns 200, not another 2xx.",
		Quirks:  []string{"W46"},
		Client:  "A client that requires a 200 reports that it cannot read the status.",
		Example: "GET Azure-AsyncOperation → 204 No Content",
		On:      rule.Only(monitors, func(_ *trace.Operation, x *trace.Exchange) bool { return x.OK() }), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func monitorFound() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-found", Severity: rule.Must, Source: always,
		Title:   "The status URL can be read as soon as the first response has arrived.",
		Quirks:  []string{"W1", "W1/again", "W17/delete", "W19/404"},
		Client:  "A client gives up on an operation that is in progress.",
		Example: "GET Azure-AsyncOperation → 404 Not Found",
		On:      rule.Only(monitors, rule.During),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if x.StatusCode == http.StatusNotFound || x.StatusCode == http.StatusGone {
				return "the status URL returns " + rule.Code(x)
			}
			return ""
		},
	}
}

func monitorReadable() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-readable", Severity: rule.Must,
		Title:   "Reads of the status URL do not fail with a 4xx or 5xx.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "If the response status code is a 4xx or 5xx value, it indicates a failure in reading the status but not in the underlying operation."),
		Quirks:  []string{"W54/408", "W54/424"},
		Client:  "A client that regards every 4xx as the end of the operation gives up while the operation is still in progress.",
		Example: "GET Azure-AsyncOperation → 424 Failed Dependency",
		On:      monitors,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			switch x.StatusCode {
			case http.StatusNotFound, http.StatusGone, http.StatusTooManyRequests:
				return "" // a 429 is allowed, and other rules cover 404 and 410
			}
			if x.StatusCode >= 400 {
				return "the status URL returns " + rule.Code(x)
			}
			return ""
		},
	}
}

func monitorKept() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-kept", Severity: rule.Must, Source: always,
		Title:   "The status URL can still be read after the operation has ended.",
		Client:  "A client that did not read the status at the right moment cannot learn how the operation ended.",
		Example: "GET Azure-AsyncOperation → 404 Not Found, after a Succeeded",
		On:      rule.Only(monitors, rule.After),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			ended := op.End != trace.Silent
			if ended && (x.StatusCode == http.StatusNotFound || x.StatusCode == http.StatusGone) {
				return "the status URL returns " + rule.Code(x) + " after the operation has ended"
			}
			return ""
		},
	}
}

func monitorBack() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-back", Severity: rule.Must,
		Title:   "A terminal status does not change.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "All other values imply that the operation is still running / being applied."),
		Client:  "Clients that read at different moments disagree on how the operation ended.",
		Example: `{"status":"Succeeded"}, and then {"status":"InProgress"}`,
		On:      rule.Only(documents, hasEnded), Broken: movesBack,
	}
}

func monitorReaders() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-readers", Severity: rule.Must,
		Title:   "Once one client has seen how an operation ended, every other client sees the same outcome.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "The response payload indicates if the async operation is still running or has completed (successfully or with a failure)."),
		Client:  "A client whose connection leads to another replica waits longer, or sees another outcome.",
		Example: `{"status":"Succeeded"} on one connection, and then {"status":"InProgress"} on another`,
		On:      rule.Only(documents, func(_ *trace.Operation, x *trace.Exchange) bool { return x.Reader == 2 }),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			return contradicts(op, x, func(other *trace.Exchange) bool { return other.Source == x.Source && other.Reader == 1 })
		},
	}
}

func monitorEnds() rule.Rule {
	return rule.Rule{
		ID: "arm-monitor-ends", Severity: rule.Must,
		Title:   "When the operation has ended, the status is terminal.",
		Source:  arm.Async("Azure-AsyncOperation Resource format", "the terminal values can be one of (1) Succeeded, (2) Failed or (3) Canceled. All other values imply that the operation is still running / being applied."),
		Quirks:  []string{"W18", "W20"},
		Client:  "A client never learns that the operation has ended, and waits until its timeout.",
		Example: `{"status":"Deleting","percentComplete":100} long after the resource is gone`,
		On:      rule.Only(monitors, lastDuring), Broken: endsSilently,
	}
}

func unknownOperation() rule.Rule {
	return rule.Rule{
		ID: "arm-unknown-operation", Severity: rule.Must, Probe: "unknown-operation",
		Title:   "The status URL of an operation that does not exist returns 404.",
		Source:  arm.Async("Operation result rules", "If the operation ID does not exist in the tenant and/or subscription the resource provider should return a 404 response."),
		Client:  "A client with an expired URL waits until its timeout, or reports success.",
		Example: "GET /operationsStatuses/00000000-… → 200 OK",
		On:      rule.Probes("unknown-operation"), Broken: rule.CodeOtherThan(http.StatusNotFound),
	}
}

// monitors selects the reads of the status at the URL from Azure-AsyncOperation or Operation-Location.
func monitors(op *trace.Operation) []*trace.Exchange { return op.Select(isMonitor) }

func isMonitor(x *trace.Exchange) bool {
	return x.Role == trace.Status && x.Source != arm.Location && x.StatusCode != 0
}

// documents selects the reads of the status that returned 200 and a JSON object.
func documents(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool {
		_, ok := x.Object()
		return isMonitor(x) && x.StatusCode == http.StatusOK && ok
	})
}

// hasEnded reports whether a read before x showed the end of the operation; see endedBefore.
func hasEnded(op *trace.Operation, x *trace.Exchange) bool { return endedBefore(op, x) != nil }

// endedBefore returns the last read before x, from the same source and over the same connection,
// that showed the end of the operation. It returns nil if no such read exists.
func endedBefore(op *trace.Operation, x *trace.Exchange) *trace.Exchange {
	return op.Previous(x, func(other *trace.Exchange) bool {
		return other.Role == x.Role && other.Source == x.Source && other.Reader == x.Reader && arm.StateOf(op, other).Terminal()
	})
}

func movesBack(op *trace.Operation, x *trace.Exchange) string {
	return contradicts(op, x, func(other *trace.Exchange) bool {
		return other.Role == x.Role && other.Source == x.Source && other.Reader == x.Reader
	})
}

// contradicts reports x if an earlier read showed a terminal state and x shows a different state.
// The callback selects the earlier reads to compare with x.
func contradicts(op *trace.Operation, x *trace.Exchange, same func(*trace.Exchange) bool) string {
	earlier := op.Previous(x, func(other *trace.Exchange) bool { return same(other) && arm.StateOf(op, other).Terminal() })
	now := arm.StateOf(op, x)
	if earlier == nil || now == trace.Unknown || now == arm.StateOf(op, earlier) {
		return ""
	}
	return "the status was " + arm.Word(earlier) + " in request " + strconv.Itoa(earlier.N) + ", and is " + arm.Word(x) + " now"
}

// lastDuring reports whether x is the last read of the status over the first connection during the
// operation. Only the source op.Polled counts, because it decides when the operation has ended.
func lastDuring(op *trace.Operation, x *trace.Exchange) bool {
	reads := op.Select(func(other *trace.Exchange) bool {
		return other.Role == trace.Status && other.Source == x.Source && other.Phase == trace.During && other.Reader == x.Reader
	})
	return x.Reader == 1 && x.Source == op.Polled && len(reads) > 0 && reads[len(reads)-1] == x
}

// endsSilently reports a status that stays in progress although the resource shows that the
// operation has ended.
func endsSilently(op *trace.Operation, x *trace.Exchange) string {
	if op.End != trace.Silent || arm.StateOf(op, x) != trace.InProgress {
		return ""
	}
	if x.StatusCode == http.StatusAccepted {
		return "the response stays " + rule.Code(x)
	}
	return "the status stays " + arm.Word(x)
}

func lastSegment(p string) string { return path.Base(strings.TrimSuffix(p, "/")) }
