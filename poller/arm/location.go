package arm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// location follows the URL in a Location header. A 202 means that the operation is in progress,
// regardless of its body. Any other response is "the exact same response" that the synchronous call
// would have returned (asynchronous API reference, "202 Accepted and Location Headers", step 5).
func (s *step) location(a *strategy.Answer, mv *strategy.Move) error {
	if a.First && !readsItself(a, headerLocation) {
		return s.start(a, mv, headerLocation, true)
	}
	if !isSuccess(a.Code) {
		return s.locationRefused(a, mv)
	}

	switch a.Code {
	case http.StatusAccepted:
		mv.Status = document.Progress(a)
		mv.Poll = headerOf(a, headerLocation)
		mv.Inline = true
		s.rememberAccepted(a, mv.Poll)
		s.remember(a, mv)
		return nil
	case http.StatusNoContent:
		succeed(mv)
		return nil
	}
	return s.locationAnswered(a, mv)
}

// locationAnswered interprets a 2xx other than 202 and 204. The body is usually the result, but it
// may also be an operation document (quirk W53) or a resource that is still in progress.
func (s *step) locationAnswered(a *strategy.Answer, mv *strategy.Move) error {
	if jsonread.IsEmpty(a.Body) {
		succeed(mv)
		return nil
	}

	isJSON := json.Valid(a.Body)
	if !isJSON && !a.First {
		return strategy.ErrNotJSON
	}
	mv.Inline = true
	s.remember(a, mv)
	if !isJSON {
		mv.Status.State = strategy.InProgress // poll again, because this body says nothing about the operation
		return nil
	}

	doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
	if isOperation(a, &doc) {
		return s.locationDocument(a, mv, &doc)
	}

	succeed(mv)
	word := document.Text(doc.PropertiesState)
	if word != "" {
		mv.Status = doc.StatusOf(a, word)
	}
	mv.Result.Body = a.Body
	return nil
}

// locationDocument interprets an operation document at a Location. If the Location returned a 202
// before and the document shows the operation in progress, the document may never change, so
// locationDocument returns ErrOverdue (recorded shapes, section 1).
func (s *step) locationDocument(a *strategy.Answer, mv *strategy.Move, doc *document.Document) error {
	mv.Status = doc.OperationStatus(a, document.Text(doc.Status))
	if document.IsUnknownSuccess(a, &mv.Status) {
		mv.Status.State = strategy.Succeeded
	}
	isRunning := mv.Status.State == strategy.InProgress
	if isRunning && s.memo.Accepted {
		return document.ErrOverdue
	}
	doc.Describe(a, &mv.Status)
	mv.Result = documentResult(a)
	return nil
}

// rememberAccepted records whether a poll of the Location has returned 202. A new path clears the
// record, but a new query does not.
func (s *step) rememberAccepted(a *strategy.Answer, next string) {
	accepted := !a.First && isSamePath(a, next)
	if s.memo.Accepted != accepted {
		s.memo.Accepted = accepted
		s.isNew = true
	}
}

// isSamePath reports whether ref has the same path as the polled URL. An empty ref means the polled
// URL itself.
func isSamePath(a *strategy.Answer, ref string) bool {
	if ref == "" || ref == a.Poll { // nearly always true, and cheaper than parsing
		return true
	}
	next, _ := a.Resolve(ref) // "" if ref cannot be resolved
	return pathOf(next) == pathOf(a.Poll)
}

// pathOf returns the path of an absolute URL.
func pathOf(rawURL string) string {
	_, rest, _ := strings.Cut(rawURL, "://")
	rest, _, _ = strings.Cut(rest, "?")
	_, path, _ := strings.Cut(rest, "/")
	return path
}

// documentResult returns the result, or its URL, if the Location returned an operation document.
func documentResult(a *strategy.Answer) strategy.Result {
	if a.FinalStateVia == strategy.FinalStateViaOriginalURI && a.Target != "" {
		return strategy.Result{URL: a.Target}
	}

	if a.Method == http.MethodDelete {
		return strategy.Result{}
	}
	return strategy.Result{Body: a.Body}
}

// isOperation reports whether doc is an operation document. A resource may have a status too, so
// the document must also have a member that only operations have, be named after its URL, or
// contain nothing but a status word that operations use.
//
// Some services write null for absent members. A null member counts only if the status is a word
// that operations use, or a word that ends in "failed".
func isOperation(a *strategy.Answer, doc *document.Document) bool {
	word := document.Text(doc.Status)
	if word == "" {
		return false
	}

	isPresent := func(m json.RawMessage) bool { return !document.IsNull(m) }
	isUsual := a.State(word).Terminal() || document.IsRunning(a, word)
	if isUsual && doc.Alone {
		return true
	}
	if isUsual || document.IsUnknownFailure(a, word) {
		isPresent = func(m json.RawMessage) bool { return m != nil }
	}

	// The specification defines these members for operation resources.
	members := []json.RawMessage{doc.StartTime, doc.EndTime, doc.PercentComplete, doc.Operations, doc.Error}
	if slices.ContainsFunc(members, isPresent) {
		return true
	}

	return isNamedBy(doc, a.URL)
}

// isNamedBy reports whether the URL's last segment is the document's name or the last segment of
// its id. The specification requires this for an operation resource.
func isNamedBy(doc *document.Document, rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil {
		return false
	}
	last := path.Base(strings.TrimRight(u.Path, "/"))

	name := document.Text(doc.Name)
	if name != "" && strings.EqualFold(name, last) {
		return true
	}

	id := document.Text(doc.ID)
	return id != "" && strings.EqualFold(path.Base(id), last)
}

// locationRefused interprets a response that is not a 2xx. A code such as 409, which a failed
// synchronous call would return, ends the operation, unless the body may come from a gateway or the
// error is about the api-version. Any other code, such as 404, may be about this read only.
func (s *step) locationRefused(a *strategy.Answer, mv *strategy.Move) error {
	switch a.Code {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
	default:
		return strategy.ErrNoStatus
	}

	if isPage(a.Body) || isBroken(a.Body) {
		return strategy.ErrNotJSON
	}
	detail, word := document.Refusal(a)
	if isAboutVersion(detail) {
		return strategy.ErrNoStatus // the URL lacks an api-version (quirk W15)
	}

	mv.Status.State = strategy.Failed
	mv.Status.Detail = detail
	if word != "" && a.State(word) == strategy.Canceled {
		mv.Status.State = strategy.Canceled
		mv.Status.Word = word
	}
	return nil
}

// isBroken reports whether a body looks like JSON but is invalid. Any other text may be an error
// message from the service.
func isBroken(body []byte) bool {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || json.Valid(body) {
		return false
	}

	return strings.IndexByte("{[\"", body[0]) >= 0
}

// isAboutVersion reports whether an error mentions the api-version.
func isAboutVersion(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}

	text := strings.ToLower(d.Code + " " + d.Message + " " + d.Target + " " + string(d.InnerError))
	for _, name := range []string{"api-version", "apiversion", "api version"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return slices.ContainsFunc(d.Details, func(sub lroerrors.Detail) bool { return isAboutVersion(&sub) })
}
