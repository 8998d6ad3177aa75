package arm

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// stepMonitor follows a status monitor: the resource that Azure-AsyncOperation or
// Operation-Location points to. header is the name of that header.
func (m memo) stepMonitor(a *strategy.Answer, header string) (strategy.Move, error) {
	m.rememberLocation(a)
	if a.First {
		if !readsItself(a, header) {
			return m.start(a, header, false)
		}
		m.Itself = true
	}

	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return succeeded(), nil // quirk W46
	}
	if !isSuccess(a.Code) {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	if isEmptyStatus(a) {
		mv := strategy.Move{
			Status: strategy.Status{State: a.State("")},
			Result: m.monitorResult(a, &document.Document{}),
		}
		return m.move(a, mv), nil
	}

	return m.readMonitor(a, header)
}

// rememberLocation keeps the URL in a Location header, because the result may be there. An invalid
// Location is ignored, because the status does not depend on it.
func (m *memo) rememberLocation(a *strategy.Answer) {
	location, err := a.Resolve(headerOf(a, headerLocation))
	if err != nil || location == "" {
		return
	}

	if location != m.Location {
		m.Location = location
		m.changed = true
	}
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
func (m memo) readMonitor(a *strategy.Answer, header string) (strategy.Move, error) {
	doc, err := document.Parse(a.Body)
	if err != nil {
		if a.First {
			return m.move(a, strategy.Move{Status: inProgress()}), nil // poll again, because this body says nothing
		}
		return strategy.Move{}, fmt.Errorf("%w: %w", strategy.ErrNotJSON, err)
	}

	word := m.monitorWord(&doc)
	if word == "" {
		return strategy.Move{}, strategy.ErrNoStatus
	}

	mv := strategy.Move{
		Status: doc.StatusOf(a, word),
		Poll:   headerOf(a, header),
		Result: m.monitorResult(a, &doc),
	}
	doc.Describe(a, &mv.Status)
	return m.move(a, mv), nil
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
func (m memo) monitorResult(a *strategy.Answer, doc *document.Document) strategy.Result {
	if m.Strategy == OperationLocation {
		if url := m.operationResult(a, doc); url != "" {
			return strategy.Result{URL: url}
		}
	}

	switch a.Method {
	case http.MethodDelete:
		return strategy.Result{}
	case http.MethodPut, http.MethodPatch:
		return strategy.Result{URL: a.Target}
	}
	return m.postResult(a)
}

// operationResult returns the URL of the result that only an Operation-Location can have: the
// Location, if FinalStateVia requires it, or the resourceLocation in the document.
func (m memo) operationResult(a *strategy.Answer, doc *document.Document) string {
	if a.FinalStateVia == strategy.FinalStateViaLocation && m.Location != "" {
		return m.Location
	}

	if a.Method == http.MethodDelete {
		return ""
	}
	return document.Text(doc.ResourceLocation)
}

// postResult returns the result of a POST, for which FinalStateVia decides.
func (m memo) postResult(a *strategy.Answer) strategy.Result {
	switch a.FinalStateVia {
	case strategy.FinalStateViaAzureAsyncOp, strategy.FinalStateViaOpLocation:
		return m.documentAsResult(a)
	case strategy.FinalStateViaOriginalURI:
		if a.Target != "" {
			return strategy.Result{URL: a.Target}
		}
	}

	if m.Location != "" {
		return strategy.Result{URL: m.Location}
	}
	return m.documentAsResult(a)
}

// documentAsResult returns the status document, or the member of it that azcore's token names.
func (m memo) documentAsResult(a *strategy.Answer) strategy.Result {
	if m.Member == "" {
		return strategy.Result{Body: a.Body}
	}

	body, _ := a.Lookup("/" + pointerEscape.Replace(m.Member))
	return strategy.Result{Body: body}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3
