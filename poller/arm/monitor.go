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
	location, err := a.Resolve(headerOf(a, headerLocation))
	if err == nil && location != "" && location != m.Location { // an invalid Location is ignored, because the status does not depend on it
		m.Location = location
		m.changed = true
	}
	if a.First && !readsItself(a, header) {
		return m.start(a, header, false)
	}
	if a.First {
		m.Itself = true
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}}, nil // quirk W46
	}
	if !isSuccess(a.Code) {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	if isEmptyStatus(a) {
		mv := strategy.Move{Status: strategy.Status{State: a.State("")}, Result: m.monitorResult(a, &document.Document{})}
		return m.move(a, mv), nil
	}
	doc, err := document.Parse(a.Body)
	if err != nil && a.First {
		return m.move(a, strategy.Move{Status: strategy.Status{State: strategy.InProgress}}), nil // poll again, because this body says nothing
	}
	if err != nil {
		return strategy.Move{}, fmt.Errorf("%w: %w", strategy.ErrNotJSON, err)
	}
	word := m.monitorWord(&doc)
	if word == "" {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	mv := strategy.Move{Status: doc.StatusOf(a, word), Poll: headerOf(a, header), Result: m.monitorResult(a, &doc)}
	doc.Describe(a, &mv.Status)
	return m.move(a, mv), nil
}

// isEmptyStatus reports whether the response is a 200 without a body, and the caller's Words have
// an entry for it (quirk W6).
func isEmptyStatus(a *strategy.Answer) bool {
	_, known := a.Words[""]
	return known && a.Code == http.StatusOK && jsonread.IsEmpty(a.Body)
}

// monitorWord returns the word for the status. In a proxy resource, properties.status takes
// precedence over the provisioningState.
func (m memo) monitorWord(doc *document.Document) string {
	if m.Itself && document.Text(doc.Status) == "" {
		if word := document.Text(doc.PropertiesStatus); word != "" {
			return word
		}
	}
	return doc.Word()
}

// monitorResult returns the result or its URL. See [strategy.FinalStateVia] for the rules.
func (m memo) monitorResult(a *strategy.Answer, doc *document.Document) strategy.Result {
	if m.Strategy == OperationLocation && a.FinalStateVia == strategy.FinalStateViaLocation && m.Location != "" {
		return strategy.Result{URL: m.Location}
	}
	if a.Method == http.MethodDelete {
		return strategy.Result{}
	}
	if m.Strategy == OperationLocation {
		if at := document.Text(doc.ResourceLocation); at != "" {
			return strategy.Result{URL: at}
		}
	}
	if isUpdate(a.Method) {
		return strategy.Result{URL: a.Target}
	}
	return m.postResult(a)
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
