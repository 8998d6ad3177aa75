package ibmcloud

import (
	"encoding/json"
	"fmt"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An Operation follows an operation resource (API handbook, "Operation-based
// long-running operations"). The zero Operation is ready to use.
//
// The operation is found by the Location of the 202 that began it, else its
// Content-Location ("Headers"), else the href in its body; they may be relative.
// That body is the first status. not_started and any word of the service's own are
// in progress; succeeded, failed and canceled end it, as do the words that end an
// operation everywhere (see package poller) and those of [poller.Options].
//
// Another 2xx is the result of what was done at once, unless its status says
// otherwise: not_started or in_progress is followed, by href or Content-Location,
// and failed has failed. One that is pending, or the like, is a resource that tells
// its own status: it needs a [Resource], and the error is ErrNotApplicable. A GET asks
// the operation itself: so is followed one of which nothing is left but the URL.
//
// The result is read from the location of the target resource, which "the service
// MUST include" in the status at the end. Where there is none, PUT and PATCH read
// the URL of their request, a DELETE has no result, and anything else has the
// operation itself as its result. The FinalStateVia of [poller.Options] decides
// otherwise: original-uri, or operation-location for the operation itself.
//
// Cancel sends a DELETE to the operation ("Cancellation") and then polls on, to
// the end that the service tells. By 404, 409 and 410 it has ended already, which
// polling confirms or not; any other refusal is an error. Where what is followed may
// be the resource, and not an operation, there is no way to cancel: where it was not
// a 202 that named it, or where it is at, above or below the URL of the request. What
// is directly below a segment "operations" is one, after a GET too. A caller who
// knows better has the CancelRequest of [poller.Options].
type Operation struct {
	Status  string // JSON pointer to the status; "" is "/status"
	Target  string // JSON pointer to the location of the target resource, or to an object that has it as href; "" tries those that services use
	Percent string // JSON pointer to the progress, 0 to 100; "" is "/progress_percent"
	After   string // JSON pointer to the seconds to wait; "" is "/poll_after". Retry-After wins

	// Error finds errors of a failed operation beside those of the document, such
	// as its errors array; nil: there are none.
	Error func(poller.Answer) *lroerrors.Detail
}

var _ poller.Strategy = Operation{}

// Step implements [poller.Strategy].
func (o Operation) Step(a poller.Answer) (poller.Move, error) {
	if a.First {
		return o.begin(a)
	}
	m, err := remember(a, anOperation, o.status())
	if err != nil {
		return poller.Move{}, err
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return succeeded(poller.Result{}), nil
	}
	return o.read(a, m)
}

func (o Operation) status() string { return or(o.Status, "/status") }

// begin judges the answer that began the operation.
func (o Operation) begin(a poller.Answer) (poller.Move, error) {
	if err := o.check(); err != nil {
		return poller.Move{}, err
	}
	url, badURL := o.url(a)
	m, itself := o.firstMemo(a, url), a.Method != http.MethodGet && isSame(url, a.Target)
	switch {
	case itself && a.Method == http.MethodDelete && (a.Code == http.StatusAccepted || o.isOperation(a, url)):
		return poller.Move{}, fmt.Errorf("%w: the resource tells of its own deletion, use an ibmcloud.Resource", poller.ErrNotApplicable)
	case a.Method == http.MethodGet && !json.Valid(a.Body):
		return m.offer(poller.Move{Poll: url, Memo: m.json()}), nil // no reason not to ask again
	case a.Method != http.MethodGet && a.Code != http.StatusAccepted && !o.isOperation(a, url):
		return o.synchronous(a)
	}
	mv, err := o.read(a, m)
	if err != nil {
		return mv, err
	}
	if itself && a.Code == http.StatusAccepted {
		mv.Status.State, mv.Status.Error, mv.Result = poller.InProgress, nil, poller.Result{} // it may show what was before
	}
	if mv.Status.State.Terminal() {
		return mv, nil
	}
	mv.Poll = url
	switch {
	case badURL != nil:
		return poller.Move{}, badURL
	case url == "":
		return poller.Move{}, fmt.Errorf("%w: %d to %s without the URL of an operation", lroerrors.ErrNoOperation, a.Code, a.Method)
	}
	return mv, nil
}

// check reports the first field that is to be a JSON pointer and is none.
func (o Operation) check() error {
	return checkPointers([2]string{"Operation.Status", o.Status}, [2]string{"Operation.Target", o.Target},
		[2]string{"Operation.Percent", o.Percent}, [2]string{"Operation.After", o.After})
}

// firstMemo is what to remember of the first answer. It offers a way to cancel where
// nothing but the operation can be at url.
func (o Operation) firstMemo(a poller.Answer, url string) memo {
	m := memo{Kind: anOperation, Status: o.status()}
	if a.Method == http.MethodGet {
		m.Cancel = isOneOfOperations(url)
	} else {
		m.Cancel = a.Code == http.StatusAccepted && !isSame(url, a.Target) && !isNear(url, a.Target)
	}
	return m
}

// url is where the operation tells its status. The Location of a 200 or 201 is the
// resource's (RFC 9110, section 10.2.2).
func (o Operation) url(a poller.Answer) (string, error) {
	names := []string{"Location", "Content-Location"}
	switch {
	case a.Code == http.StatusAccepted:
	case a.Method == http.MethodGet:
		return a.URL, nil
	default:
		if href := a.Text("/href"); href != "" {
			return a.Resolve(href)
		}
		names = names[1:]
	}
	ref := link(a, names, "/href")
	if ref == "" && (a.Method == http.MethodGet || a.Code != http.StatusAccepted && replaces(a)) {
		return a.Target, nil
	}
	return a.Resolve(ref)
}

// replaces tells the methods whose URL is that of the resource.
func replaces(a poller.Answer) bool {
	return a.Method == http.MethodPut || a.Method == http.MethodPatch
}

// isOperation tells an operation from a result in an answer that is not 202. The
// handbook has operations answer 202 and nothing else, so what is at url must be an
// operation, and not the resource that was named, to be taken for one that has
// ended well.
func (o Operation) isOperation(a poller.Answer, url string) bool {
	apart := url != "" && !isSame(url, a.Target)
	word := fold(a.Text(o.status()))
	if state, ok := a.Words[word]; ok {
		return state != poller.Succeeded || apart
	}
	switch word {
	case "not_started", "in_progress", "failed":
		return true
	case "succeeded", "completed":
		return apart
	case "canceled", "cancelled":
		return apart && !isNear(url, a.Target)
	default:
		return apart && word != "" && a.Method == http.MethodDelete
	}
}

// read reads an operation resource. A 202 is in progress even if it has none.
func (o Operation) read(a poller.Answer, m memo) (poller.Move, error) {
	if a.Code < 200 || a.Code > 299 {
		return poller.Move{}, poller.ErrNoStatus
	}
	word := a.Text(o.status())
	if word == "" && a.Code != http.StatusAccepted {
		return poller.Move{}, poller.ErrNoStatus
	}
	mv := poller.Move{
		Status: status(a, word, a.State(word), or(o.Percent, "/progress_percent")),
		After:  seconds(a, or(o.After, "/poll_after")),
		Memo:   m.json(),
	}
	mv = m.offer(mv)
	switch mv.Status.State {
	case poller.Succeeded:
		mv.Result = o.result(a)
	case poller.Failed, poller.Canceled:
		mv.Status.Error = errorsOf(a, o.Error, o.status())
	}
	return mv, nil
}
