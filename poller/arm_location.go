package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/walk"
	"github.com/lro-go/lro/internal/wire"
)

// stepLocation follows a Location URL. 202 is in progress whatever its body
// says; any other answer is "the exact same response" that the synchronous call
// would have given (asynchronous API reference, "202 Accepted and Location
// Headers", step 5).
func (m armMemo) stepLocation(a *Answer) (Move, error) {
	loc := headerOf(a, headerLocation)
	if a.First && !asksItself(a, headerLocation) {
		if loc == "" {
			return Move{}, ErrNotApplicable
		}
		if a.Code == http.StatusNoContent {
			return Move{Status: Status{State: Succeeded}}, nil
		}
		mv, ended := begun(a)
		if ended {
			return mv, nil
		}
		mv.Poll, mv.Inline = loc, true
		return m.move(mv), nil
	}
	switch {
	case a.Code == http.StatusAccepted:
		return m.move(Move{Status: progress(a), Poll: loc, Inline: true}), nil
	case a.Code < 200 || a.Code > 299:
		return locationRefused(a)
	case a.Code == http.StatusNoContent || wire.IsEmpty(a.Body):
		return Move{Status: Status{State: Succeeded}}, nil
	}
	return m.locationAnswered(a)
}

// locationAnswered reads the 2xx that ends a Location, or seems to: quirk W53
// is an operation document there, and a resource may still be on its way.
func (m armMemo) locationAnswered(a *Answer) (Move, error) {
	switch {
	case json.Valid(a.Body):
	case a.First:
		return m.move(Move{Status: Status{State: InProgress}, Inline: true}), nil // no reason not to ask again
	default:
		return Move{}, errNotJSON
	}
	doc, _ := parse(a.Body) // what is no object has no members
	w := doc.Properties.ProvisioningState
	isDoc := doc.isOperation(a)
	if isDoc {
		w = doc.Status
	}
	mv := Move{Status: Status{State: Succeeded}, Result: Result{Body: a.Body}, Inline: true}
	if w.set {
		mv.Status = doc.status(a, w)
	}
	if isDoc {
		doc.describe(a, &mv.Status)
		mv.Result = documentResult(a)
	}
	return m.move(mv), nil
}

// documentResult is the result after a Location that turned out to be an
// operation document: the document, in hand. It is none of a DELETE, whose T is
// not to be decoded from a status, and a caller who knows that the resource is
// meant says original-uri.
func documentResult(a *Answer) Result {
	switch {
	case a.FinalStateVia == FinalStateViaOriginalURI && a.Target != "":
		return Result{URL: a.Target}
	case a.Method == http.MethodDelete:
		return Result{}
	}
	return Result{Body: a.Body}
}

// isOperation tells an operation document from a resource that has a status of
// its own. Services that write every member write null for those they lack; that
// counts beside a word that operations use.
func (d *document) isOperation(a *Answer) bool {
	if !d.Status.set {
		return false
	}
	usual := isUsualWord(a, d.Status.text)
	for _, m := range []presence{d.StartTime.presence, d.EndTime.presence, d.PercentComplete.presence, d.Operations.presence, d.Error.presence} {
		if m == holds || m == null && usual {
			return true
		}
	}
	return d.isNamedBy(a.URL) || (usual && hasOneMember(a.Body))
}

// isNamedBy reports whether id or name is the last segment of the URL, as that
// of an operation resource must be.
func (d *document) isNamedBy(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil {
		return false
	}
	last := path.Base(strings.TrimRight(u.Path, "/"))
	return (d.Name.set && strings.EqualFold(d.Name.text, last)) ||
		(d.ID.set && strings.EqualFold(path.Base(d.ID.text), last))
}

// usualWords are the running words that services use most (quirks W10 and
// section A.6), without spaces, dashes and underscores.
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

// hasOneMember reports whether all members of an object, which was parsed before, have
// one name.
func hasOneMember(body []byte) bool {
	var first []byte
	return walk.Members(body, func(name, _ []byte) error {
		if first == nil {
			first = name
		}
		if !bytes.Equal(name, first) {
			return errors.New("there is another")
		}
		return nil
	}) == nil && first != nil
}

// progress is the status of a 202 on the way. What its body tells is reported,
// but a terminal word is not believed.
func progress(a *Answer) Status {
	s := Status{State: InProgress}
	if len(a.Body) == 0 {
		return s
	}
	doc, err := parseAfter(a.told, a.Body)
	if err != nil {
		return s
	}
	doc.describe(a, &s)
	if w := doc.word(); w.set && !a.State(w.text).Terminal() {
		s.Word = w.text
	}
	return s
}

// locationRefused tells the codes that a synchronous call would have failed with
// from those that only refuse to be read.
func locationRefused(a *Answer) (Move, error) {
	switch a.Code {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
	default:
		return Move{}, ErrNoStatus
	}
	detail := wire.AnswerDetail(a.Header, a.Body)
	if speaksOfVersion(detail) {
		return Move{}, ErrNoStatus // quirk W15: the URL lacks its api-version
	}
	s := Status{State: Failed, Error: detail}
	if doc, err := parse(a.Body); err == nil && doc.Status.set && a.State(doc.Status.text) == Canceled {
		s.State, s.Word = Canceled, doc.Status.text
	}
	return Move{Status: s}, nil
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
