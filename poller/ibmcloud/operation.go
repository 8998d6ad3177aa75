package ibmcloud

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// An Operation follows an operation resource (API handbook, "Operation-based long-running
// operations"). The zero Operation is ready to use.
//
// The operation's URL is the Location of the 202 that started it, or else its Content-Location
// ("Headers"), or else the href in its body. It may be relative. The body of the 202 is the first
// status. The words succeeded, failed and canceled end the operation, and so do the other terminal
// words of [strategy.State] and the Words of poller.Options. Any other word, such as not_started,
// means that the operation is in progress.
//
// Any other 2xx is the result of a request that completed right away, with three exceptions. If its
// status is not_started or in_progress, Operation follows the href or the Content-Location. If its
// status is failed, the operation has failed. If it shows a resource that is still changing, with a
// word such as pending, the error is ErrNotApplicable. Such a resource reports its own status and
// needs a [resource.Strategy].
//
// If you have only an operation's URL, call Begin with a GET of that URL.
//
// The result is read from the location of the target resource, which "the service MUST include" in
// the final status. If Target is set but there is no location at that pointer, the result is an
// error. If Target is empty and the location is missing, the result of a PUT or PATCH is read from
// the request's URL, and the result of a POST or GET is the operation itself, or an error if the
// operation names its resource other than by a URL. A DELETE has no result. The FinalStateVia of
// poller.Options takes precedence over these rules. With original-uri, the result is read from the
// request's URL. With operation-location, the result is the operation itself.
//
// Cancel sends a DELETE to the operation ("Cancellation"). Polling then continues until the service
// reports how the operation ended. If the DELETE gets a 404, 409 or 410, the operation has already
// ended, and the next read shows how. Any other 4xx or 5xx is an error.
//
// The service chooses the operation's URL, but must not choose the target of a DELETE. Operation
// therefore cancels only if a 202 named a URL directly below a segment "operations" that is itself
// below the request's URL or one of its parents. After a GET, Operation sends the DELETE only to
// the URL of the request, and only if that URL is directly below a segment "operations". In all
// other cases, the error is errors.ErrUnsupported. If you trust another URL, set CancelRequest in
// poller.Options.
type Operation struct {
	Status  string // JSON pointer to the status; "/status" by default
	Target  string // JSON pointer to the location of the target resource, or to an object with an href; by default, the members that services commonly use
	Percent string // JSON pointer to the progress in percent; "/progress_percent" by default
	After   string // JSON pointer to the pause in seconds, used if the response has no Retry-After; "/poll_after" by default

	// Error returns an additional error of a failed operation, or nil; none by default. Operation
	// itself returns the errors in the document's errors array.
	Error func(strategy.Answer) *lroerrors.Detail
}

var (
	_ strategy.Strategy = Operation{}
	_ strategy.Canceler = Operation{}
)

// Step implements [strategy.Strategy].
func (o Operation) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := o.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (o Operation) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	return check.StepIn(crossChecked(a, operation{o}), a, in)
}

// Cancel implements [strategy.Canceler].
func (o Operation) Cancel(a strategy.Answer) (*strategy.Request, error) {
	return crossChecked(a, operation{o}).Cancel(a)
}

// A cancelable is a strategy that can cancel operations.
type cancelable interface {
	strategy.Strategy
	strategy.Canceler
}

// crossChecked wraps s in a CrossCheck if the request is a DELETE. The CrossCheck reads the
// resource if the status is lost.
func crossChecked(a strategy.Answer, s cancelable) cancelable {
	if a.Method != http.MethodDelete {
		return s
	}
	return check.CrossCheck(s, check.Check{}).(cancelable)
}

// An operation is an Operation without the CrossCheck.
type operation struct{ Operation }

// StepIn implements [strategy.Wrapper]. It hides the embedded Operation's StepIn, which uses
// CrossCheck.
func (o operation) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	return check.StepIn(stepOnly{o}, a, in)
}

// stepOnly hides all methods of a strategy except Step.
type stepOnly struct{ inner strategy.Strategy }

// Step implements [strategy.Strategy].
func (s stepOnly) Step(a strategy.Answer) (strategy.Move, error) { return s.inner.Step(a) }

// Cancel returns a DELETE of the operation's URL, or nil if the operation cannot be canceled.
func (o operation) Cancel(a strategy.Answer) (*strategy.Request, error) {
	m, err := remember(a, o.status())
	if err != nil {
		return nil, err
	}
	if !m.Cancel || !mayDelete(a) {
		return nil, nil
	}
	return cancelBy(a.Poll), nil
}

// mayDelete reports whether a.Poll is certain to be the operation's URL. A DELETE of any other URL
// could delete a resource.
func mayDelete(a strategy.Answer) bool {
	if a.Method == http.MethodGet {
		return isSame(a.Poll, a.Target) && isBelowOperations(a.Poll)
	}
	return isOperationOf(a.Poll, a.Target)
}

// Step implements [strategy.Strategy].
func (o operation) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return o.begin(a)
	}
	m, err := remember(a, o.status())
	if err != nil {
		return strategy.Move{}, err
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return succeeded(strategy.Result{}), nil
	}
	return o.read(a, m)
}

func (o Operation) status() string { return cmp.Or(o.Status, "/status") }

// begin interprets the response to the request that started the operation.
func (o Operation) begin(a strategy.Answer) (strategy.Move, error) {
	url, badURL := o.url(a)
	if a.Method == http.MethodGet && !json.Valid(a.Body) {
		return strategy.Move{Poll: url, Memo: o.newMemo(a).json()}, nil // the body is not a status, so poll the operation's URL
	}
	mv, err := o.readFirst(a, url)
	if err != nil {
		return strategy.Move{}, err
	}
	if mv.Status.State.Terminal() {
		return mv, nil
	}

	if badURL != nil {
		return strategy.Move{}, badURL
	}
	if url == "" {
		return strategy.Move{}, fmt.Errorf("%w: %d to %s without the URL of an operation", lroerrors.ErrNoOperation, a.Code, a.Method)
	}
	mv.Poll = url
	return mv, nil
}

// readFirst returns the status or result in the first response. url is the operation's URL, or ""
// if it is unknown.
func (o Operation) readFirst(a strategy.Answer, url string) (strategy.Move, error) {
	m := o.newMemo(a)
	if a.Method == http.MethodGet {
		return o.read(a, m)
	}
	accepted := a.Code == http.StatusAccepted
	if !accepted && !o.isOperation(a, url) {
		return o.synchronous(a)
	}

	readsResource := isSame(url, a.Target)
	if readsResource && a.Method == http.MethodDelete {
		return strategy.Move{}, fmt.Errorf("%w: the resource reports its own deletion and needs a resource.Strategy", strategy.ErrNotApplicable)
	}
	mv, err := o.read(a, m)
	if err != nil {
		return strategy.Move{}, err
	}
	if readsResource && accepted { // the resource may still show its previous state
		mv.Status.State = strategy.InProgress
		mv.Status.Detail = nil
		mv.Result = strategy.Result{}
	}
	return mv, nil
}

// newMemo returns the memo for the first response.
func (o Operation) newMemo(a strategy.Answer) memo {
	return memo{
		Kind:   kindOperation,
		Status: o.status(),
		Cancel: a.Code == http.StatusAccepted || a.Method == http.MethodGet,
	}
}

// Validate returns an error for the first field that is not a JSON pointer.
func (o Operation) Validate() error {
	for _, field := range []struct{ name, pointer string }{
		{"Status", o.Status},
		{"Target", o.Target},
		{"Percent", o.Percent},
		{"After", o.After},
	} {
		err := strategy.CheckPointer(field.pointer)
		if err != nil {
			return fmt.Errorf("ibmcloud: Operation.%s: %w", field.name, err)
		}
	}
	return nil
}

// url returns the operation's URL. It ignores the Location of a 200 or 201, which names the
// resource (RFC 9110, section 10.2.2).
func (o Operation) url(a strategy.Answer) (string, error) {
	if a.Code == http.StatusAccepted {
		ref := link(a, "Location", "Content-Location")
		if ref == "" && a.Method == http.MethodGet {
			return a.Target, nil
		}
		return a.Resolve(ref)
	}
	if a.Method == http.MethodGet {
		return a.URL, nil
	}

	ref := cmp.Or(a.Text("/href"), link(a, "Content-Location"))
	if ref == "" && replaces(a) {
		return a.Target, nil
	}
	return a.Resolve(ref)
}

// replaces reports whether the request is a PUT or PATCH, whose URL names the resource.
func replaces(a strategy.Answer) bool {
	return a.Method == http.MethodPut || a.Method == http.MethodPatch
}

// isOperation reports whether the body of a response other than a 202 is an operation rather than a
// result. According to the handbook, only a 202 contains an operation. A body that reports success
// is therefore a result, unless the operation's URL is known and differs from the request's URL.
func (o Operation) isOperation(a strategy.Answer, url string) bool {
	word := fold(a.Text(o.status()))
	hasOwnURL := url != "" && !isSame(url, a.Target)
	if state, ok := a.Words[word]; ok {
		return state != strategy.Succeeded || hasOwnURL
	}
	switch word {
	case "not_started", "in_progress", "failed":
		return true
	case "succeeded", "completed":
		return hasOwnURL
	case "canceled", "cancelled":
		return hasOwnURL && !isNear(url, a.Target)
	case "":
		return false
	}
	return hasOwnURL && a.Method == http.MethodDelete
}

// read interprets a response from the operation resource. A 202 means that the operation is in
// progress, even if the body has no status.
func (o Operation) read(a strategy.Answer, m memo) (strategy.Move, error) {
	document := resource.Strategy{Status: o.Status, Percent: o.Percent, After: o.After, Error: o.Error}
	mv, err := document.Read(a)
	if err != nil {
		return strategy.Move{}, err
	}

	mv.Status.State = a.State(mv.Status.Word)
	mv.Inline = false
	mv.Memo = m.json()
	mv.Result = strategy.Result{}
	if mv.Status.State == strategy.Succeeded {
		mv.Result = o.result(a)
	}
	return mv, nil
}
