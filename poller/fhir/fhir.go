// Package fhir follows asynchronous requests to a FHIR server: bulk exports (HL7 Bulk Data Access)
// and any interaction sent with "Prefer: respond-async" (FHIR, "Asynchronous Interaction Request
// Pattern"). Set Options.Strategy of package [github.com/lro-go/lro/poller] to an [Async].
//
// The package needs no options, but your request needs the Prefer header. It interprets the
// responses from the status URL, including an OperationOutcome. It does not download the files that
// a manifest lists. Use your own client for that.
package fhir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// An Async follows the status URL that a 202 names in its Content-Location. In this comment, "Bulk"
// cites the section "Bulk Data Status Request" of Bulk Data Access, and "Pattern" the Asynchronous
// Interaction Request Pattern.
//
// A 202 means that the request is in progress; Status.Word is the X-Progress header. A 200 ends the
// wait, and its body is the result: a manifest (Bulk, "Complete Status"), even if it lists errors,
// or a bundle (Pattern, "Response - Complete"). If the first entry of a batch-response bundle has a
// 4xx or 5xx, the request has failed. The header X-Export-Status takes precedence over the code
// (Bulk, "Response - Error Status"). If the first response is a 200, 201 or 204, the server did not
// use the pattern, and the body is the result.
//
// A 4xx or 5xx with an OperationOutcome means that the request has failed (Bulk, "Response - Error
// Status"). The issues become the Detail. A 4xx or 5xx without an OperationOutcome is only a failed
// read, as in any other protocol, and so is every 404, 410, 502, 503 or 504. If the first issue has
// the code transient, throttled, lock-error or no-store, the poller repeats the read. Package
// transport retries every 5xx first, so a failure may cost a few more requests.
//
// Cancel sends a DELETE to the status URL ("Bulk Data Delete Request"). If the request has just
// completed, the server may delete the files of the result. Cancel sends nothing if the URL looks
// like a resource, such as Patient/1. For such a URL, set CancelRequest in poller.Options. Once a
// request is canceled, its status URL returns 404, so the wait ends with the reason Gone.
//
// If you have only a request's status URL, call Begin with a GET of that URL.
type Async struct{}

var (
	gone      = []int{http.StatusNotFound, http.StatusGone}                  // status codes for a request that the server has deleted
	transient = []string{"transient", "throttled", "lock-error", "no-store"} // issue codes for problems that may resolve themselves (FHIR, "IssueType")
)

// resource matches a URL that may belong to a resource: a URL with an escaped character, a
// backslash, a query, or a resource type such as Patient. It does not match "R4" or "FHIR", which
// occur in base URLs.
const resource = `/[A-Z][a-z]|[%\\?]`

// operation matches a URL whose path ends in an operation, such as [base]/$export-poll-status.
const operation = `^[^?]*/\$[\w-]+(\?|$)`

// ReadsServerError implements [strategy.ServerErrorReader]. It returns false for 502, 503 and 504,
// which a gateway may send.
func (Async) ReadsServerError(code int) bool { return code < 502 || code > 504 }

// Step implements [strategy.Strategy].
func (Async) Step(a strategy.Answer) (strategy.Move, error) {
	code := a.Code
	_, _ = fmt.Sscan(a.Header.Get("X-Export-Status"), &code) // without that header, code stays the same
	if code == http.StatusAccepted {
		return inProgress(a)
	}

	isEmpty := a.First && len(a.Body) == 0
	if !isEmpty && !json.Valid(a.Body) {
		return strategy.Move{}, strategy.ErrNotJSON // perhaps a gateway's error page
	}
	if code >= 300 {
		return failed(a)
	}

	// "The outcome of the requested FHIR operation SHALL be present as the first entry in the
	// bundle." But an immediate response to the caller's own batch is the result, even if an entry
	// failed.
	isOwnBatch := a.First && a.Method != http.MethodGet
	entry := a.Text("/entry/0/response/status") // such as "400 Bad Request"
	isRejected := a.Text("/type") == "batch-response" && strings.IndexAny(entry, "45") == 0
	if isRejected && !isOwnBatch {
		return strategy.Move{Status: strategy.Status{State: strategy.Failed, Word: entry, Detail: detailOf(a, "/entry/0/response/outcome")}}, nil
	}
	return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Body: a.Body}}, nil
}

// inProgress interprets a 202.
func inProgress(a strategy.Answer) (strategy.Move, error) {
	mv := strategy.Move{Inline: true} // the next response may be the result
	mv.Status = strategy.Status{State: strategy.InProgress, Word: a.Header.Get("X-Progress")}
	var percent float64
	_, err := fmt.Sscanf(mv.Status.Word, "%g%%", &percent) // the header may contain any text, such as "in progress"
	if err == nil && percent == min(max(percent, 0), 100) {
		mv.Status.PercentComplete = &percent
	}
	if !a.First {
		return mv, nil
	}

	// The first response usually names the status URL. If the response to a GET does not, the
	// status URL is the GET's own URL.
	target := map[string]string{http.MethodGet: a.Target}
	mv.Poll = cmp.Or(a.Header.Get("Content-Location"), target[a.Method])
	if mv.Poll == "" {
		return strategy.Move{}, fmt.Errorf("%w: a 202 without Content-Location", lroerrors.ErrNoOperation)
	}
	return mv, nil
}

// failed interprets a response with a code of 300 or above.
func failed(a strategy.Answer) (strategy.Move, error) {
	detail := detailOf(a, "")
	if detail == nil || slices.Contains(gone, a.Code) {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	if slices.Contains(transient, detail.Code) {
		// The client "should retry the request at a later time", even after a 4xx, which would otherwise
		// end the wait.
		return strategy.Move{Poll: a.Poll, Inline: true}, strategy.ErrNoStatus
	}
	return strategy.Move{Status: strategy.Status{State: strategy.Failed, Detail: detail}}, nil
}

// detailOf returns the issues of the OperationOutcome at the given JSON pointer. It returns nil if
// there is no OperationOutcome or it has no issues.
func detailOf(a strategy.Answer, pointer string) *lroerrors.Detail {
	var outcome struct {
		ResourceType string
		Issue        []struct {
			Code, Diagnostics string
			Details           struct{ Text string }
		}
	}
	raw, _ := a.Lookup(pointer)
	_ = json.Unmarshal(raw, &outcome) // a member that cannot be decoded stays empty
	if outcome.ResourceType != "OperationOutcome" || len(outcome.Issue) == 0 {
		return nil
	}
	var list []lroerrors.Detail
	for _, issue := range outcome.Issue {
		list = append(list, lroerrors.Detail{Code: issue.Code, Message: cmp.Or(issue.Details.Text, issue.Diagnostics)})
	}
	list[0].Details = list[1:]
	return &list[0]
}

// Cancel implements [strategy.Canceler]. It returns nil for a URL that may belong to a resource. A
// DELETE of [base]/[type]/[id] or [base]/[type]?… would delete resources (FHIR, "RESTful API").
func (Async) Cancel(a strategy.Answer) (*strategy.Request, error) {
	mayBeResource, _ := regexp.MatchString(resource, a.Poll)
	isOperation, _ := regexp.MatchString(operation, a.Poll)
	if mayBeResource && !isOperation {
		return nil, nil
	}
	return &strategy.Request{Method: http.MethodDelete, OK: gone}, nil
}
