package poller

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
)

// stepLocation follows a Location URL. A 202 means that the operation is in progress, regardless
// of the body. Any other response is "the exact same response" that the synchronous call would
// have returned (asynchronous API reference, "202 Accepted and Location Headers", step 5).
func (m armMemo) stepLocation(a *Answer) (Move, error) {
	if a.First && !readsItself(a, headerLocation) {
		return m.start(a, headerLocation, true)
	}
	switch {
	case a.Code == http.StatusAccepted:
		return m.move(a, Move{Status: progress(a), Poll: headerOf(a, headerLocation), Inline: true}), nil
	case a.Code < 200 || a.Code > 299:
		return locationRefused(a)
	case a.Code == http.StatusNoContent || jsonread.IsEmpty(a.Body):
		return Move{Status: Status{State: Succeeded}}, nil
	}
	return m.locationAnswered(a)
}

// locationAnswered interprets a 2xx other than 202. It is usually the result, but may be an
// operation document (quirk W53) or a resource that is still being created.
func (m armMemo) locationAnswered(a *Answer) (Move, error) {
	switch {
	case json.Valid(a.Body):
	case a.First:
		return m.move(a, Move{Status: Status{State: InProgress}, Inline: true}), nil // poll again, because this body says nothing
	default:
		return Move{}, errNotJSON
	}
	doc, _ := parse(a.Body) // if the body is not an object, doc has no members
	word := text(doc.propertiesState)
	isDoc := doc.isOperation(a)
	if isDoc {
		word = text(doc.Status)
	}
	mv := Move{Status: Status{State: Succeeded}, Result: Result{Body: a.Body}, Inline: true}
	if word != "" {
		mv.Status = doc.status(a, word)
	}
	if isDoc {
		doc.describe(a, &mv.Status)
		mv.Result = documentResult(a)
	}
	return m.move(a, mv), nil
}

// documentResult returns the result if the Location returned an operation document. With
// FinalStateViaOriginalURI, the result is the resource. Otherwise, the result is the document
// itself, except that a DELETE has no result, because the T of its Poller does not describe a
// status document.
func documentResult(a *Answer) Result {
	switch {
	case a.FinalStateVia == FinalStateViaOriginalURI && a.Target != "":
		return Result{URL: a.Target}
	case a.Method == http.MethodDelete:
		return Result{}
	}
	return Result{Body: a.Body}
}

// isOperation reports whether the document is an operation document rather than a resource with a
// status of its own. Some services write null for each absent member, so a null member indicates an
// operation only if the status is a word that operations use.
func (d *document) isOperation(a *Answer) bool {
	word := text(d.Status)
	if word == "" {
		return false
	}
	usual := isUsualWord(a, word)
	for _, m := range []json.RawMessage{d.StartTime, d.EndTime, d.PercentComplete, d.Operations, d.Error} {
		if !isNull(m) || m != nil && usual {
			return true
		}
	}
	return d.isNamedBy(a.URL) || usual && d.alone
}

// isNamedBy reports whether the last segment of the URL is the document's name or the last
// segment of its id, as the specification requires for an operation resource.
func (d *document) isNamedBy(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil {
		return false
	}
	last, id, name := path.Base(strings.TrimRight(u.Path, "/")), text(d.ID), text(d.Name)
	return name != "" && strings.EqualFold(name, last) || id != "" && strings.EqualFold(path.Base(id), last)
}

// usualWords are the words that services commonly use for a running operation (quirks W10
// and A.6/running), without spaces, dashes and underscores.
var usualWords = map[string]bool{
	"accepted": true, "canceling": true, "cancelling": true, "creating": true, "deleting": true,
	"dequeued": true, "enqueued": true, "inprogress": true, "moving": true, "notstarted": true,
	"pending": true, "processing": true, "provisioning": true, "queued": true, "requested": true,
	"running": true, "started": true, "starting": true, "updating": true, "waiting": true,
}

func isUsualWord(a *Answer, word string) bool {
	if a.State(word).Terminal() {
		return true
	}
	word = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(word))
	return usualWords[word]
}

// progress returns the status that a 202 reports. It ignores a terminal word in the
// body.
func progress(a *Answer) Status {
	s := Status{State: InProgress}
	doc, _ := parse(a.Body) // if the body is not an object, doc has no members
	doc.describe(a, &s)
	if word := doc.word(); word != "" && !a.State(word).Terminal() {
		s.Word = word
	}
	return s
}

// locationRefused interprets a code other than 2xx. Some codes mean that a synchronous call would
// have failed, so they end the operation; the others only mean that the Location cannot be read.
// An HTML page or broken JSON may come from a gateway, so it does not end the operation.
func locationRefused(a *Answer) (Move, error) {
	switch a.Code {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
	default:
		return Move{}, ErrNoStatus
	}
	if isPage(a.Body) || isBroken(a.Body) {
		return Move{}, errNotJSON
	}
	detail := exchange.ErrorDetail(a.Header, a.Body)
	if speaksOfVersion(detail) {
		return Move{}, ErrNoStatus // the URL lacks an api-version (quirk W15)
	}
	s := Status{State: Failed, Error: detail}
	doc, _ := parse(a.Body)
	if word := text(doc.Status); word != "" && a.State(word) == Canceled {
		s.State, s.Word = Canceled, word
	}
	return Move{Status: s}, nil
}

// isBroken reports whether a body starts like JSON but is invalid. Any other text may be an error
// message from the service.
func isBroken(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && strings.IndexByte("{[\"", body[0]) >= 0 && !json.Valid(body)
}

func speaksOfVersion(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	s := strings.ToLower(d.Code + " " + d.Message + " " + d.Target + " " + string(d.InnerError))
	if strings.Contains(s, "api-version") || strings.Contains(s, "apiversion") || strings.Contains(s, "api version") {
		return true
	}
	return slices.ContainsFunc(d.Details, func(sub lroerrors.Detail) bool { return speaksOfVersion(&sub) })
}
