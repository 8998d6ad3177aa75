package resource

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// A Strategy follows the status in the resource itself. The zero Strategy reads "/status" and knows
// the most common words: succeeded and completed; failed; canceled and cancelled.
//
// After a PUT, PATCH or GET, Strategy polls the URL of the request. After a POST, it polls the href
// of the resource in the response, or else the Location or Content-Location. A 202 means that the
// operation is in progress, even if the resource shows another status. If the first response is a
// 200 or 201, it already reports the status. If its body is not JSON, Strategy assumes that it
// comes from a gateway, and the error is a WaitError with the reason Unfollowable; after a GET,
// Strategy polls instead. The result is the resource as last read.
//
// After a DELETE, Strategy polls the URL of the request until a 404, a 410 or one of the words in
// Deleted shows that the resource is gone. There is no result. A 200 or 204 as the first response
// does not end the operation, because some services send it when they have only accepted the
// deletion. Strategy then polls right away.
//
// A word that means failure or cancellation may date from before the deletion. It ends the wait
// only in these cases:
//   - the word is in DeletionFailed;
//   - the type of the operation is the one that Types has for DELETE;
//   - an earlier poll showed a word with another meaning;
//   - the first response showed a word with another meaning, and two polls in a row show failure or
//     cancellation.
type Strategy struct {
	Status string // the JSON pointer to the status; "/status" by default

	// Succeeded, Failed and Canceled are the words that end an operation; the usual words by
	// default. Case is ignored. The Words of poller.Options take precedence. A token contains the
	// list Succeeded, which replaces the strategy's own list after poller.Resume.
	Succeeded, Failed, Canceled []string

	// Deleted lists the status words of a resource that has been deleted but can still be read. Any
	// of them completes a deletion. Removed lists the words with which an operation other than a
	// deletion ends as Canceled. DeletionFailed lists the status words of a failed deletion. All
	// three are empty by default.
	Deleted, Removed, DeletionFailed []string

	Lifecycle string // the JSON pointer to the word to look up in Deleted and Removed; by default, the pointer in Status

	// Type is the JSON pointer to the type of the operation that the status describes; none by
	// default. Set Type and Types if successive operations share one status. If the type in the
	// document differs from the one that Types has for the request's method, the status belongs to
	// an earlier operation.
	Type string

	Types map[string]string // the type of operation that each HTTP method starts; empty by default

	// Href is the JSON pointer to the resource's URL in the response to a POST; "/href" by default.
	// If the URL to poll has no query, KeepQuery adds the query of the first request.
	Href      string
	KeepQuery bool

	// URL returns the URL to poll, given the first response. By default, Strategy chooses the URL
	// as described above. If URL is set, a DELETE ends with one of the words in Succeeded, Failed
	// or Canceled, like any other operation.
	URL func(strategy.Answer) (string, error)

	Percent string // the JSON pointer to the progress in percent; "/progress_percent" by default
	After   string // the JSON pointer to the pause in seconds, for a response without Retry-After; "/poll_after" by default

	// Error returns another error of an operation that failed or was canceled, in addition to those
	// that Strategy finds in the document. The function may return nil; there is none by default.
	Error func(strategy.Answer) *lroerrors.Detail

	// CancelPath is the path below the resource to which Cancel sends a DELETE; none by default.
	// Cancel sends no DELETE without a CancelPath or after a POST. Cancelable is the JSON pointer
	// to a boolean that is false while the operation cannot be canceled.
	CancelPath, Cancelable string
}

var (
	_ strategy.Strategy = Strategy{}
	_ strategy.Canceler = Strategy{}
)

// Step implements [strategy.Strategy].
func (r Strategy) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := r.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (r Strategy) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	if r.URL == nil { // no CrossCheck is needed, because the poller reads the resource itself
		return followed{r}.StepIn(a, in)
	}
	return check.StepIn(crossChecked(a, followed{r}), a, in)
}

// Cancel implements [strategy.Canceler].
func (r Strategy) Cancel(a strategy.Answer) (*strategy.Request, error) {
	if r.URL == nil {
		return followed{r}.Cancel(a)
	}
	return crossChecked(a, followed{r}).Cancel(a)
}

type cancelable interface {
	strategy.Strategy
	strategy.Canceler
}

// crossChecked wraps s in a CrossCheck after a DELETE, so that the resource is read if the status
// is lost.
func crossChecked(a strategy.Answer, s cancelable) cancelable {
	if a.Method != http.MethodDelete {
		return s
	}
	return check.CrossCheck(s, check.Check{}).(cancelable)
}

// A followed is a Strategy without the CrossCheck that Strategy adds after a DELETE.
type followed struct{ Strategy }

// StepIn implements [strategy.Wrapper]. It hides the embedded Strategy's StepIn, which adds the
// CrossCheck.
func (r followed) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	return check.StepIn(stepOnly{r}, a, in)
}

// stepOnly hides all methods of a strategy except Step.
type stepOnly struct{ inner strategy.Strategy }

// Step implements [strategy.Strategy].
func (s stepOnly) Step(a strategy.Answer) (strategy.Move, error) { return s.inner.Step(a) }

// Cancel returns a DELETE of CancelPath below the resource, or nil if the operation cannot be
// canceled.
func (r followed) Cancel(a strategy.Answer) (*strategy.Request, error) {
	m, err := remember(a, r.status())
	if err != nil {
		return nil, err
	}
	if !m.Cancel || r.CancelPath == "" {
		return nil, nil
	}
	callerChoseURL := a.Method != http.MethodPost && a.Poll != "" && a.Poll == a.Target
	if !callerChoseURL {
		return nil, nil
	}
	return cancelBy(below(a.Poll, r.CancelPath)), nil
}

// Step implements [strategy.Strategy].
func (r followed) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return r.begin(a)
	}
	m, err := remember(a, r.status())
	if err != nil {
		return strategy.Move{}, err
	}

	r.Succeeded = m.Succeeded
	if m.Deleting {
		return r.readDeletion(a, m)
	}
	if a.Code == http.StatusAccepted {
		return r.inProgress(a, m), nil
	}
	if r.isOld(a) && !m.Old {
		return r.inProgress(a, m), nil
	}
	return r.read(a, m)
}

// begin interprets the response to the request that started the operation.
func (r Strategy) begin(a strategy.Answer) (strategy.Move, error) {
	accepted := a.Code == http.StatusAccepted
	if !accepted && isForeign(a) {
		return strategy.Move{}, strategy.ErrNotJSON // do not poll, because the resource may still show an older status
	}
	url, badURL := r.url(a)
	if a.Method == http.MethodDelete && r.URL == nil {
		return r.beginDeletion(a, url), nil
	}

	m := r.newMemo()
	m.Old = !accepted && r.isOld(a)
	if !accepted && !m.Old {
		mv, err := r.read(a, m)
		if err == nil && mv.Status.State.Terminal() {
			return mv, nil
		}
	}

	if badURL != nil {
		return strategy.Move{}, badURL
	}
	hasNoContent := a.Code == http.StatusNoContent
	if url == "" && hasNoContent {
		return succeeded(), nil
	}
	if url == "" {
		return strategy.Move{}, fmt.Errorf("%w: %d to %s without the URL of the resource", lroerrors.ErrNoOperation, a.Code, a.Method)
	}
	mv := r.inProgress(a, m)
	mv.Poll = url
	mv.Now = hasNoContent
	return mv, nil
}

func (r Strategy) newMemo() memo {
	return memo{Kind: kind, Status: r.status(), Succeeded: r.Succeeded}
}

// Validate returns an error that names the first field with an invalid JSON pointer.
func (r Strategy) Validate() error {
	for _, field := range []struct{ name, pointer string }{
		{"Status", r.Status},
		{"Lifecycle", r.Lifecycle},
		{"Type", r.Type},
		{"Href", r.Href},
		{"Percent", r.Percent},
		{"After", r.After},
		{"Cancelable", r.Cancelable},
	} {
		err := strategy.CheckPointer(field.pointer)
		if err != nil {
			return fmt.Errorf("resource: Strategy.%s: %w", field.name, err)
		}
	}
	return nil
}

// url returns the absolute status URL, given the first response.
func (r Strategy) url(a strategy.Answer) (string, error) {
	ref, err := r.ref(a)
	if err != nil || ref == "" {
		return "", err
	}
	if r.KeepQuery {
		ref = withQueryOf(a.Target, ref)
	}
	return a.Resolve(ref)
}

// ref returns the status URL, which may be relative or lack its query. The method url completes it.
func (r Strategy) ref(a strategy.Answer) (string, error) {
	if r.URL != nil {
		return r.URL(a)
	}
	if a.Method != http.MethodPost {
		return a.Target, nil
	}
	href := a.Text(cmp.Or(r.Href, "/href"))
	if href != "" {
		return href, nil
	}
	return cmp.Or(header(a, "Location"), header(a, "Content-Location"), a.Text("/href")), nil
}

// read interprets a response from the resource.
func (r Strategy) read(a strategy.Answer, m memo) (strategy.Move, error) {
	mv, err := r.Read(a)
	if err != nil {
		return strategy.Move{}, err
	}
	gone := r.lifecycle(a)
	if mv.Status.State == strategy.InProgress && has(r.Removed, gone) {
		mv.Status.State = strategy.Canceled
		mv.Status.Word = gone
		mv.Status.Detail = r.detail(a)
	}
	if a.Method == http.MethodDelete {
		mv.Result = strategy.Result{}
	}

	m.Cancel = r.isCancelable(a)
	mv.Memo = m.json()
	return mv, nil
}

// Read returns what a document says about the operation: its status, the pause before the next read
// and, if the operation succeeded, the document as the result. It uses only the fields Status,
// Percent, After and Error, and the words that end an operation. The error is
// [strategy.ErrNoStatus] if the response is not a 2xx, or if it has no word and is not a 202.
//
// You can call Read from your own strategy if its documents have the same form, as package
// [github.com/lro-go/lro/poller/ibmcloud] does for its operations.
func (r Strategy) Read(a strategy.Answer) (strategy.Move, error) {
	word := r.word(a)
	isUnknown := word == "" && a.Code != http.StatusAccepted
	if !isSuccess(a.Code) || isUnknown {
		return strategy.Move{}, strategy.ErrNoStatus
	}

	mv := r.document(a)
	mv.Status.State = r.state(a, word)
	switch mv.Status.State {
	case strategy.Succeeded:
		mv.Result.Body = a.Body
	case strategy.Failed, strategy.Canceled:
		mv.Status.Detail = r.detail(a)
	}
	return mv, nil
}

// inProgress returns a Move that continues the wait. Its memo is m with Cancel updated.
func (r Strategy) inProgress(a strategy.Answer, m memo) strategy.Move {
	m.Cancel = r.isCancelable(a)
	mv := r.document(a)
	mv.Memo = m.json()
	return mv
}

// document returns a Move with a document's word, progress and pause. The State is always
// InProgress.
func (r Strategy) document(a strategy.Answer) strategy.Move {
	return strategy.Move{
		Status: status(a, r.word(a), strategy.InProgress, cmp.Or(r.Percent, "/progress_percent")),
		Inline: true,
		After:  seconds(a, cmp.Or(r.After, "/poll_after")),
	}
}

// detail returns the errors of an operation that failed or was canceled.
func (r Strategy) detail(a strategy.Answer) *lroerrors.Detail {
	return errorsOf(a, r.Error, r.status())
}

func (r Strategy) status() string { return cmp.Or(r.Status, "/status") }

func (r Strategy) word(a strategy.Answer) string { return a.Text(r.status()) }

// lifecycle returns the word to look up in Deleted and Removed.
func (r Strategy) lifecycle(a strategy.Answer) string { return a.Text(cmp.Or(r.Lifecycle, r.status())) }

// operationType returns the type of the operation that the status describes, or "".
func (r Strategy) operationType(a strategy.Answer) string { return a.Text(cmp.Or(r.Type, "/-")) }

// isOld reports whether the status belongs to an earlier operation.
func (r Strategy) isOld(a strategy.Answer) bool {
	shown := r.operationType(a)
	started := r.Types[a.Method]
	if shown == "" || started == "" {
		return false
	}
	return !strings.EqualFold(shown, started)
}

// isOurs reports whether the status describes an operation of the type that the request starts.
func (r Strategy) isOurs(a strategy.Answer) bool {
	shown := r.operationType(a)
	return shown != "" && strings.EqualFold(shown, r.Types[a.Method])
}

// isCancelable reports whether the operation can be canceled now.
func (r Strategy) isCancelable(a strategy.Answer) bool {
	if r.CancelPath == "" || r.isOld(a) {
		return false
	}
	if r.Cancelable == "" {
		return true
	}
	raw, _ := a.Lookup(r.Cancelable) // if the boolean is missing, the operation can be canceled
	return strings.TrimSpace(string(raw)) != "false"
}
