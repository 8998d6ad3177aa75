package ibmcloud

import (
	"encoding/json"
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
// 202 is in progress whatever status the resource still shows; one of 200 or 201 is
// judged as a read. The result is the resource as it was read last.
//
// A DELETE follows the URL of its request until the resource is gone: 404, 410 or
// one of the words of Deleted. It has no result. An answer other than 202 does not
// end it, because services send 204 for a deletion that has only been accepted; the
// resource is asked at once then. A resource that is deleted ends any other
// operation as Canceled, unless that has succeeded.
type Resource struct {
	// Status is the JSON pointer to the status; "" is "/status".
	Status string

	// Succeeded, Failed and Canceled are the words that end an operation, and nil
	// stands for the usual ones. Case does not count. The Words of
	// [poller.Options] go before them.
	Succeeded, Failed, Canceled []string

	// Deleted are words of a resource that can still be read and counts as gone.
	// They stand at Lifecycle, a JSON pointer; "" is that of Status.
	Deleted   []string
	Lifecycle string

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

	// Error is the error of a failed operation; nil: [poller.Answer.Detail].
	Error func(poller.Answer) *lroerrors.Detail

	// CancelPath is what is deleted below the resource to cancel the operation;
	// "": there is no way. Cancelable is the JSON pointer to a boolean that is
	// false as long as there is no way.
	CancelPath, Cancelable string
}

var _ poller.Strategy = Resource{}

// The memos say in a token whose it is, and what it waits for.
const (
	resourceMemo memo = "resource"
	deletionMemo memo = "deletion"
)

// Step implements [poller.Strategy].
func (r Resource) Step(a poller.Answer) (poller.Move, error) {
	switch {
	case a.First:
		return r.begin(a)
	case deletionMemo.check(a) == nil:
		return r.readDeletion(a)
	}
	if err := resourceMemo.check(a); err != nil {
		return poller.Move{}, err
	}
	return r.read(a, a.URL)
}

// begin judges the answer that began the operation.
func (r Resource) begin(a poller.Answer) (poller.Move, error) {
	url, err := r.url(a)
	if err != nil {
		return poller.Move{}, err
	}
	if a.Method == http.MethodDelete && r.URL == nil {
		return poller.Move{
			Status: status(a, r.word(a), poller.InProgress, r.percent()),
			After:  r.after(a),
			Poll:   url,
			Now:    a.Code != http.StatusAccepted,
			Memo:   deletionMemo.json(),
		}, nil
	}
	mv, err := r.read(a, url)
	switch {
	case err == nil && mv.Status.State.Terminal() && a.Code != http.StatusAccepted:
		return mv, nil
	case url == "" && a.Code == http.StatusNoContent:
		return succeeded(poller.Result{}), nil
	case url == "":
		return poller.Move{}, fmt.Errorf("%w: %d to %s without the URL of the resource", lroerrors.ErrNoOperation, a.Code, a.Method)
	}
	mv = r.goOn(a, url)
	mv.Poll, mv.Now = url, a.Code == http.StatusNoContent
	return mv, nil
}

// url is where the resource tells its status, as the first answer has it.
func (r Resource) url(a poller.Answer) (url string, err error) {
	switch {
	case r.URL != nil:
		url, err = r.URL(a)
	case a.Method == http.MethodPost:
		if url = text(a, or(r.Href, "/href")); url == "" {
			url = link(a, "/href")
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
	return resolve(a.URL, url)
}

// read judges a resource that is at url.
func (r Resource) read(a poller.Answer, url string) (poller.Move, error) {
	word := r.word(a)
	if a.Code < 200 || a.Code > 299 || word == "" {
		return poller.Move{}, poller.ErrNoStatus
	}
	mv := r.goOn(a, url)
	mv.Status.State = r.state(a, word)
	if gone, ok := r.deleted(a); ok && mv.Status.State != poller.Succeeded {
		mv.Status.State, mv.Status.Word = poller.Canceled, gone
	}
	switch mv.Status.State {
	case poller.Succeeded:
		if a.Method != http.MethodDelete {
			mv.Result.Body = a.Body
		}
	case poller.Failed, poller.Canceled:
		mv.Status.Error = r.detail(a)
	}
	return mv, nil
}

// readDeletion judges a resource that is to be deleted.
func (r Resource) readDeletion(a poller.Answer) (poller.Move, error) {
	switch {
	case a.Code == http.StatusNotFound, a.Code == http.StatusGone, a.Code == http.StatusNoContent:
		return succeeded(poller.Result{}), nil
	case a.Code < 200 || a.Code > 299:
		return poller.Move{}, poller.ErrNoStatus
	case a.Code != http.StatusAccepted && !json.Valid(a.Body):
		return poller.Move{}, errNotJSON
	}
	word := r.word(a)
	mv := poller.Move{
		Status: status(a, word, poller.InProgress, r.percent()),
		After:  r.after(a),
		Memo:   deletionMemo.json(),
	}
	if gone, ok := r.deleted(a); ok {
		mv.Status.State, mv.Status.Word = poller.Succeeded, gone
	} else if r.state(a, word) == poller.Failed {
		mv.Status.State, mv.Status.Error = poller.Failed, r.detail(a)
	}
	return mv, nil
}

// goOn is the move of a resource at url that is in progress.
func (r Resource) goOn(a poller.Answer, url string) poller.Move {
	return poller.Move{
		Status: status(a, r.word(a), poller.InProgress, r.percent()),
		Inline: true,
		After:  r.after(a),
		Cancel: r.cancel(a, url),
		Memo:   resourceMemo.json(),
	}
}

func (r Resource) word(a poller.Answer) string { return text(a, or(r.Status, "/status")) }

func (r Resource) percent() string { return or(r.Percent, "/progress_percent") }

// deleted returns the word that says that the resource counts as gone.
func (r Resource) deleted(a poller.Answer) (string, bool) {
	word := text(a, or(r.Lifecycle, or(r.Status, "/status")))
	return word, has(r.Deleted, word)
}

func (r Resource) detail(a poller.Answer) *lroerrors.Detail {
	if r.Error != nil {
		return r.Error(a)
	}
	return a.Detail()
}

// cancel is the request that cancels the operation on the resource at url; nil
// where there is none now.
func (r Resource) cancel(a poller.Answer, url string) *poller.Request {
	if r.CancelPath == "" || url == "" {
		return nil
	}
	if raw, ok := a.Lookup(r.Cancelable); r.Cancelable != "" && ok && strings.TrimSpace(string(raw)) == "false" {
		return nil
	}
	return cancelBy(below(url, r.CancelPath))
}
