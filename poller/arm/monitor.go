package arm

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// monitor follows a status monitor: the resource that Azure-AsyncOperation or Operation-Location
// points to. header is the name of that header.
func (s *step) monitor(a *strategy.Answer, mv *strategy.Move, header string) error {
	s.rememberLocation(a)
	if a.First {
		if !readsItself(a, header) {
			return s.start(a, mv, header, false)
		}
		s.memo.Itself = true
	}

	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		succeed(mv) // quirk W46
		return nil
	}
	if !isSuccess(a.Code) {
		return strategy.ErrNoStatus
	}

	if isEmptyStatus(a) {
		mv.Status.State = a.State("")
		mv.Result = s.monitorResult(a, &document.Document{})
		s.remember(a, mv)
		return nil
	}
	return s.readMonitor(a, mv, header)
}

// rememberLocation keeps the URL in a Location header, because the result may be there. An invalid
// Location is ignored, because the status does not depend on it.
func (s *step) rememberLocation(a *strategy.Answer) {
	ref := headerOf(a, headerLocation)
	if ref == "" {
		return
	}

	location, err := a.Resolve(ref)
	if err != nil || location == s.memo.Location {
		return
	}
	s.memo.Location = location
	s.isNew = true
}

// isEmptyStatus reports whether the response is a 200 without a body, and the caller's Words have
// an entry for it (quirk W6).
func isEmptyStatus(a *strategy.Answer) bool {
	if a.Code != http.StatusOK || !jsonread.IsEmpty(a.Body) {
		return false
	}

	_, known := a.Words[""]
	return known
}

// readMonitor interprets the status document in a 2xx.
func (s *step) readMonitor(a *strategy.Answer, mv *strategy.Move, header string) error {
	doc, err := document.Parse(a.Body)
	if err != nil && a.First {
		mv.Status.State = strategy.InProgress // poll again, because this body says nothing
		s.remember(a, mv)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", strategy.ErrNotJSON, err)
	}

	word := s.memo.monitorWord(&doc)
	if word == "" {
		return strategy.ErrNoStatus
	}

	mv.Status = doc.StatusOf(a, word)
	doc.Describe(a, &mv.Status)
	mv.Poll = headerOf(a, header)
	mv.Result = s.monitorResult(a, &doc)
	s.remember(a, mv)
	return nil
}

// monitorWord returns the word for the status. In a proxy resource, properties.status takes
// precedence over the provisioningState.
func (m memo) monitorWord(doc *document.Document) string {
	if !m.Itself || document.Text(doc.Status) != "" {
		return doc.Word()
	}

	word := document.Text(doc.PropertiesStatus)
	if word == "" {
		word = doc.Word()
	}
	return word
}

// monitorResult returns the result or its URL. See [strategy.FinalStateVia] for the rules.
func (s *step) monitorResult(a *strategy.Answer, doc *document.Document) strategy.Result {
	if s.memo.Strategy == OperationLocation {
		if url := s.operationResult(a, doc); url != "" {
			return strategy.Result{URL: url}
		}
	}

	switch a.Method {
	case http.MethodDelete:
		return strategy.Result{}
	case http.MethodPut, http.MethodPatch:
		return strategy.Result{URL: a.Target}
	}
	return s.postResult(a)
}

// operationResult returns the URL of the result that only an Operation-Location can have: the
// Location, if FinalStateVia requires it, or the resourceLocation in the document.
func (s *step) operationResult(a *strategy.Answer, doc *document.Document) string {
	if a.FinalStateVia == strategy.FinalStateViaLocation && s.memo.Location != "" {
		return s.memo.Location
	}

	if a.Method == http.MethodDelete {
		return ""
	}
	return document.Text(doc.ResourceLocation)
}

// postResult returns the result of a POST, for which FinalStateVia decides.
func (s *step) postResult(a *strategy.Answer) strategy.Result {
	switch a.FinalStateVia {
	case strategy.FinalStateViaAzureAsyncOp, strategy.FinalStateViaOpLocation:
		return s.documentAsResult(a)
	case strategy.FinalStateViaOriginalURI:
		if a.Target != "" {
			return strategy.Result{URL: a.Target}
		}
	}

	if s.memo.Location != "" {
		return strategy.Result{URL: s.memo.Location}
	}
	return s.documentAsResult(a)
}

// documentAsResult returns the status document, or the member of it that azcore's token names.
func (s *step) documentAsResult(a *strategy.Answer) strategy.Result {
	if s.memo.Member == "" {
		return strategy.Result{Body: a.Body}
	}

	body, _ := a.Lookup("/" + pointerEscape.Replace(s.memo.Member))
	return strategy.Result{Body: body}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3
