package ibmcloud

import (
	"fmt"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An Operation follows an operation resource (API handbook, "Operation-based
// long-running operations"). The zero Operation is ready to use.
//
// The operation is found by the Location of the answer that began it, else its
// Content-Location ("Headers"), else the href in its body; they may be relative.
// That body is the first status. not_started and any word of the service's own are
// in progress; succeeded, failed and canceled end it, as do the words of
// [poller.Options]. An answer of 200 or 201 is an operation only where its status
// is one of the handbook's words: it is the result, else.
//
// The result is read from the location of the target resource, which "the service
// MUST include" in the status at the end. Where there is none, PUT and PATCH read
// the URL of their request, a DELETE has no result, and anything else has the
// operation itself as its result. The FinalStateVia of [poller.Options] decides
// otherwise: original-uri, or operation-location for the operation itself.
//
// Cancel sends a DELETE to the operation ("Cancellation") and then polls on, to
// the end that the service tells. 404, 409 and 410 mean that it has ended already;
// any other refusal is an error.
type Operation struct {
	Status  string // JSON pointer to the status; "" is "/status"
	Target  string // JSON pointer to the location of the target resource, or to an object that has it as href; "" tries those that services use
	Percent string // JSON pointer to the progress, 0 to 100; "" is "/progress_percent"
	After   string // JSON pointer to the seconds to wait; "" is "/poll_after". Retry-After wins
}

var _ poller.Strategy = Operation{}

// operationMemo says in a token whose it is.
const operationMemo memo = "operation"

// Step implements [poller.Strategy].
func (o Operation) Step(a poller.Answer) (poller.Move, error) {
	if a.First {
		return o.begin(a)
	}
	if err := operationMemo.check(a); err != nil {
		return poller.Move{}, err
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return succeeded(poller.Result{}), nil
	}
	return o.read(a)
}

// begin judges the answer that began the operation.
func (o Operation) begin(a poller.Answer) (poller.Move, error) {
	if a.Code != http.StatusAccepted && !o.isOperation(a) {
		return synchronous(a)
	}
	mv, err := o.read(a)
	if err != nil || mv.Status.State.Terminal() {
		return mv, err
	}
	if mv.Poll = link(a, "/href"); mv.Poll == "" {
		return poller.Move{}, fmt.Errorf("%w: %d with neither Location, Content-Location nor href", lroerrors.ErrNoOperation, a.Code)
	}
	return mv, nil
}

// isOperation tells an operation from a result in an answer that is not 202. The
// handbook has operations answer 202 and nothing else, so this takes one of its
// own words.
func (o Operation) isOperation(a poller.Answer) bool {
	switch fold(text(a, or(o.Status, "/status"))) {
	case "not_started", "in_progress", "succeeded", "failed", "canceled", "cancelled":
		return true
	}
	return false
}

// read reads an operation resource. A 202 is in progress even if it has none.
func (o Operation) read(a poller.Answer) (poller.Move, error) {
	if a.Code < 200 || a.Code > 299 {
		return poller.Move{}, poller.ErrNoStatus
	}
	word := text(a, or(o.Status, "/status"))
	if word == "" && a.Code != http.StatusAccepted {
		return poller.Move{}, poller.ErrNoStatus
	}
	mv := poller.Move{
		Status: status(a, word, a.State(word), or(o.Percent, "/progress_percent")),
		After:  seconds(a, or(o.After, "/poll_after")),
		Cancel: cancelBy(""),
		Memo:   operationMemo.json(),
	}
	switch mv.Status.State {
	case poller.Succeeded:
		mv.Result = o.result(a)
	case poller.Failed, poller.Canceled:
		mv.Status.Error = a.Detail()
	}
	return mv, nil
}

// usualTargets are the members that may have the target resource's location: the
// handbook does not name one.
var usualTargets = []string{"/resource", "/target", "/resource_href", "/target_href"}

// result says where the result of an operation that succeeded is.
func (o Operation) result(a poller.Answer) poller.Result {
	switch {
	case a.Method == http.MethodDelete:
		return poller.Result{}
	case a.FinalStateVia == poller.FinalStateViaOriginalURI && a.Target != "":
		return poller.Result{URL: a.Target}
	case a.FinalStateVia == poller.FinalStateViaOpLocation, a.FinalStateVia == poller.FinalStateViaAzureAsyncOp:
		return poller.Result{Body: a.Body}
	case o.Target != "":
		return o.named(a)
	}
	for _, ptr := range usualTargets {
		if url := location(a, ptr); isReference(url) {
			return poller.Result{URL: url}
		}
	}
	if (a.Method == http.MethodPut || a.Method == http.MethodPatch) && a.Target != "" {
		return poller.Result{URL: a.Target}
	}
	return poller.Result{Body: a.Body}
}

// named is the result at the member that the caller named. That it is missing is
// told: anything in its place would be taken for the resource.
func (o Operation) named(a poller.Answer) poller.Result {
	if url := location(a, o.Target); url != "" {
		return poller.Result{URL: url}
	}
	return poller.Result{Err: fmt.Errorf("the operation names no resource at %q, its Operation.Target", o.Target)}
}
