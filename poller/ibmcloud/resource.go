package ibmcloud

import (
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A Resource follows the status of the resource itself (API handbook,
// "Resource-based long-running operations"). The zero Resource reads "/status" and
// knows the words that services use most: succeeded and completed; failed; canceled
// and cancelled. The presets are Resources, too, and may be changed before use.
//
// PUT, PATCH and GET follow the URL of their request. A POST follows the href of
// the resource in its answer, else its Location or Content-Location. An answer of
// 202 is in progress whatever status the resource still shows; a first one of 200 or
// 201 is judged as a read, and accepts nothing where its body is not JSON: that is a
// gateway's page, and the resource may still have the status of before. The result is
// the resource as it was read last.
//
// A DELETE follows the URL of its request until the resource is gone: 404, 410 or
// one of the words of Deleted. It has no result. An answer other than 202 does not
// end it, because services send 204 for a deletion that has only been accepted; the
// resource is asked at once then. A word of failure or cancellation may be from
// before the deletion, so it counts only after a read that found another word, or
// the second time where the first answer had another one.
type Resource struct {
	// Status is the JSON pointer to the status; "" is "/status".
	Status string

	// Succeeded, Failed and Canceled are the words that end an operation, and nil
	// stands for the usual ones. Case does not count. The Words of
	// [poller.Options] go before them. Those of success are kept in a token, and go
	// before those of the strategy that resumes it.
	Succeeded, Failed, Canceled []string

	// Deleted are words of a resource that can still be read and counts as gone;
	// they end a deletion. Removed are those that end any other operation as
	// Canceled. DeletionFailed are those that speak of a deletion. Lifecycle is
	// the JSON pointer to the first two; "" is that of Status.
	Deleted, Removed, DeletionFailed []string
	Lifecycle                        string

	// Type is the JSON pointer to what the status is about, where one status is
	// used for one operation after another. Types are what it says of an operation
	// that was begun with a method. A status about anything else is an old one.
	Type  string
	Types map[string]string

	// Href is the JSON pointer to the URL of the resource in the answer to a
	// POST; "" is "/href". With KeepQuery a URL that has no query gets that of the
	// first request.
	Href      string
	KeepQuery bool

	// URL says where the status is, given the first answer; nil: as told above.
	// A DELETE that has one ends by words, as other operations do.
	URL func(poller.Answer) (string, error)

	// Percent and After are JSON pointers to the progress, 0 to 100, and to the
	// seconds to wait; "" are "/progress_percent" and "/poll_after". Retry-After
	// wins over After.
	Percent, After string

	// Error finds errors of a failed operation beside those that the document
	// tells as such; nil: there are none.
	Error func(poller.Answer) *lroerrors.Detail

	// CancelPath is what is deleted below the resource to cancel the operation;
	// "": there is no way. Cancelable is the JSON pointer to a boolean that is
	// false as long as there is no way.
	CancelPath, Cancelable string
}

var _ poller.Strategy = Resource{}

// Step implements [poller.Strategy].
func (r Resource) Step(a poller.Answer) (poller.Move, error) {
	if a.First {
		return r.begin(a)
	}
	m, err := remember(a, aResource, r.status())
	if err != nil {
		return poller.Move{}, err
	}
	if r.Succeeded = m.Succeeded; m.Deleting {
		return r.readDeletion(a, m)
	}
	if a.Code == http.StatusAccepted || r.isOld(a) && !m.Old {
		return r.goOn(a, a.URL, m), nil
	}
	return r.read(a, a.URL, m)
}

// begin judges the answer that began the operation.
func (r Resource) begin(a poller.Answer) (poller.Move, error) {
	if err := r.check(); err != nil {
		return poller.Move{}, err
	}
	if a.Code != http.StatusAccepted && isForeign(a) {
		return poller.Move{}, errNotJSON // the resource may still have the status of before
	}
	url, badURL := r.url(a)
	m := memo{Kind: aResource, Status: r.status(), Succeeded: r.Succeeded}
	if a.Method == http.MethodDelete && r.URL == nil {
		m.Deleting = true
		m.Begun = m.moved(r.state(a, r.word(a)), r.word(a)).Moved
		mv := r.goOn(a, url, m)
		mv.Poll, mv.Now = url, a.Code != http.StatusAccepted
		return mv, nil
	}
	if m.Old = a.Code != http.StatusAccepted && r.isOld(a); a.Code != http.StatusAccepted && !m.Old {
		if mv, err := r.read(a, url, m); err == nil && mv.Status.State.Terminal() {
			return mv, nil
		}
	}
	switch {
	case badURL != nil:
		return poller.Move{}, badURL
	case url == "" && a.Code == http.StatusNoContent:
		return succeeded(poller.Result{}), nil
	case url == "":
		return poller.Move{}, fmt.Errorf("%w: %d to %s without the URL of the resource", lroerrors.ErrNoOperation, a.Code, a.Method)
	}
	mv := r.goOn(a, url, m)
	mv.Poll, mv.Now = url, a.Code == http.StatusNoContent
	return mv, nil
}

// check reports what a caller can get wrong.
func (r Resource) check() error {
	return checkPointers([2]string{"Resource.Status", r.Status}, [2]string{"Resource.Lifecycle", r.Lifecycle},
		[2]string{"Resource.Type", r.Type}, [2]string{"Resource.Href", r.Href}, [2]string{"Resource.Percent", r.Percent},
		[2]string{"Resource.After", r.After}, [2]string{"Resource.Cancelable", r.Cancelable})
}

// url is where the resource tells its status, as the first answer has it.
func (r Resource) url(a poller.Answer) (url string, err error) {
	switch {
	case r.URL != nil:
		url, err = r.URL(a)
	case a.Method == http.MethodPost:
		if url = a.Text(or(r.Href, "/href")); url == "" {
			url = link(a, []string{"Location", "Content-Location"}, "/href")
		}
	default:
		url = a.Target
	}
	if err != nil || url == "" {
		return "", err
	}
	if r.KeepQuery {
		url = withQueryOf(a.Target, url)
	}
	return a.Resolve(url)
}

// read judges a resource that is at url.
func (r Resource) read(a poller.Answer, url string, m memo) (poller.Move, error) {
	word := r.word(a)
	if a.Code < 200 || a.Code > 299 || word == "" {
		return poller.Move{}, poller.ErrNoStatus
	}
	mv := r.goOn(a, url, m)
	mv.Status.State = r.state(a, word)
	if gone := r.lifecycle(a); mv.Status.State == poller.InProgress && has(r.Removed, gone) {
		mv.Status.State, mv.Status.Word = poller.Canceled, gone
	}
	switch mv.Status.State {
	case poller.Succeeded:
		if a.Method != http.MethodDelete {
			mv.Result.Body = a.Body
		}
	case poller.Failed, poller.Canceled:
		mv.Status.Error = errorsOf(a, r.Error, r.status())
	}
	return mv, nil
}

// goOn is the move of a resource at url that is in progress.
func (r Resource) goOn(a poller.Answer, url string, m memo) poller.Move {
	return poller.Move{
		Status: status(a, r.word(a), poller.InProgress, or(r.Percent, "/progress_percent")),
		Inline: true,
		After:  seconds(a, or(r.After, "/poll_after")),
		Cancel: r.cancel(a, url),
		Memo:   m.json(),
	}
}

func (r Resource) status() string { return or(r.Status, "/status") }

func (r Resource) word(a poller.Answer) string { return a.Text(r.status()) }

// lifecycle is the word that says that the resource counts as gone, or does not.
func (r Resource) lifecycle(a poller.Answer) string { return a.Text(or(r.Lifecycle, r.status())) }

// isOld reports whether the status is about an operation before this one.
func (r Resource) isOld(a poller.Answer) bool {
	about, ours := a.Text(or(r.Type, "/-")), r.Types[a.Method]
	return about != "" && ours != "" && !strings.EqualFold(about, ours)
}

// isOurs reports whether the status says that it is about this operation.
func (r Resource) isOurs(a poller.Answer) bool {
	about, ours := a.Text(or(r.Type, "/-")), r.Types[a.Method]
	return about != "" && strings.EqualFold(about, ours)
}

// cancel is the request that cancels the operation on the resource at url; nil
// where there is none now.
func (r Resource) cancel(a poller.Answer, url string) *poller.Request {
	if r.CancelPath == "" || r.isOld(a) {
		return nil
	}
	if raw, ok := a.Lookup(r.Cancelable); r.Cancelable != "" && ok && strings.TrimSpace(string(raw)) == "false" {
		return nil
	}
	return cancelBy(below(url, r.CancelPath))
}
