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
func (s *step) monitor(header string) error {
	s.rememberLocation()
	if s.First {
		if !readsItself(s.Answer, header) {
			return s.start(header, false)
		}
		s.memo.Itself = true
	}

	if s.Code == http.StatusNoContent && s.Method == http.MethodDelete {
		s.succeed() // quirk W46
		return nil
	}
	if !isSuccess(s.Code) {
		return strategy.ErrNoStatus
	}

	if isEmptyStatus(s.Answer) {
		s.move.Status.State = s.State("")
		s.move.Result = s.monitorResult(&document.Document{})
		s.remember()
		return nil
	}
	return s.readMonitor(header)
}

// rememberLocation keeps the URL in a Location header, because the result may be there. An invalid
// Location is ignored, because the status does not depend on it.
func (s *step) rememberLocation() {
	ref := headerOf(s.Answer, headerLocation)
	if ref == "" {
		return
	}

	location, err := s.Resolve(ref)
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
func (s *step) readMonitor(header string) error {
	doc, err := document.Parse(s.Body)
	if err != nil && s.First {
		s.move.Status.State = strategy.InProgress // poll again, because this body says nothing
		s.remember()
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", strategy.ErrNotJSON, err)
	}

	word := s.memo.monitorWord(&doc)
	if word == "" {
		return strategy.ErrNoStatus
	}

	s.move.Status = doc.StatusOf(s.Answer, word)
	doc.Describe(s.Answer, &s.move.Status)
	s.move.Poll = headerOf(s.Answer, header)
	s.move.Result = s.monitorResult(&doc)
	s.remember()
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
func (s *step) monitorResult(doc *document.Document) strategy.Result {
	if s.memo.Strategy == OperationLocation {
		if url := s.operationResult(doc); url != "" {
			return strategy.Result{URL: url}
		}
	}

	switch s.Method {
	case http.MethodDelete:
		return strategy.Result{}
	case http.MethodPut, http.MethodPatch:
		return strategy.Result{URL: s.Target}
	}
	return s.postResult()
}

// operationResult returns the URL of the result that only an Operation-Location can have: the
// Location, if FinalStateVia requires it, or the resourceLocation in the document.
func (s *step) operationResult(doc *document.Document) string {
	if s.FinalStateVia == strategy.FinalStateViaLocation && s.memo.Location != "" {
		return s.memo.Location
	}

	if s.Method == http.MethodDelete {
		return ""
	}
	return document.Text(doc.ResourceLocation)
}

// postResult returns the result of a POST, for which FinalStateVia decides.
func (s *step) postResult() strategy.Result {
	switch s.FinalStateVia {
	case strategy.FinalStateViaAzureAsyncOp, strategy.FinalStateViaOpLocation:
		return s.documentAsResult()
	case strategy.FinalStateViaOriginalURI:
		if s.Target != "" {
			return strategy.Result{URL: s.Target}
		}
	}

	if s.memo.Location != "" {
		return strategy.Result{URL: s.memo.Location}
	}
	return s.documentAsResult()
}

// documentAsResult returns the status document, or the member of it that azcore's token names.
func (s *step) documentAsResult() strategy.Result {
	if s.memo.Member == "" {
		return strategy.Result{Body: s.Body}
	}

	body, _ := s.Lookup("/" + pointerEscape.Replace(s.memo.Member))
	return strategy.Result{Body: body}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3
