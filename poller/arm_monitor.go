package poller

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/internal/wire"
)

// stepMonitor follows a status monitor: the operation resource of
// Azure-AsyncOperation, or that of Operation-Location. header names its URL.
func (m armMemo) stepMonitor(a *Answer, header string) (Move, error) {
	if loc, err := resolveRef(a.URL, headerOf(a, headerLocation)); err == nil && loc != "" {
		m.Location = loc // a bad second header is no reason to fail
	}
	if a.First && !asksItself(a, header) {
		return m.beginMonitor(a, header)
	}
	m.Itself = m.Itself || a.First
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return Move{Status: Status{State: Succeeded}}, nil // quirk W46
	}
	if a.Code < 200 || a.Code > 299 {
		return Move{}, ErrNoStatus
	}
	if mv, ok := m.emptyMonitor(a); ok {
		return mv, nil
	}
	doc, err := parseAfter(a.told, a.Body)
	if err != nil && a.First {
		return m.move(Move{Status: Status{State: InProgress}}), nil // no reason not to ask again
	}
	if err != nil {
		return Move{}, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	w := doc.word()
	if status := doc.Properties.Status; m.Itself && !doc.Status.set && status.set {
		w = status // of a proxy resource, which may have a provisioningState of its own
	}
	if !w.set {
		return Move{}, ErrNoStatus
	}
	mv := Move{Status: doc.status(a, w), Poll: headerOf(a, header), Result: m.monitorResult(a, doc)}
	doc.describe(a, &mv.Status)
	return m.move(mv), nil
}

// emptyMonitor reads a 200 without a body as the word "", where the caller knows it
// for one (quirk W6).
func (m armMemo) emptyMonitor(a *Answer) (mv Move, ok bool) {
	if _, known := a.Words[""]; !known || a.Code != http.StatusOK || !wire.IsEmpty(a.Body) {
		return Move{}, false
	}
	mv.Status.State, mv.Result = a.State(""), m.monitorResult(a, document{})
	return m.move(mv), true
}

// beginMonitor judges the first response. A resource that is already terminal
// is the end, whatever its headers say; a 202 is in progress whatever its body
// says.
func (m armMemo) beginMonitor(a *Answer, header string) (Move, error) {
	url := headerOf(a, header)
	if url == "" {
		return Move{}, ErrNotApplicable
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return Move{Status: Status{State: Succeeded}}, nil
	}
	mv, ended := begun(a)
	if ended {
		return mv, nil
	}
	mv.Poll = url
	return m.move(mv), nil
}

// monitorResult says where the result of a finished operation is. FinalStateVia
// decides where the rules of ARM leave a choice.
func (m armMemo) monitorResult(a *Answer, doc document) Result {
	if m.Strategy == OperationLocation {
		if a.FinalStateVia == FinalStateViaLocation && m.Location != "" {
			return Result{URL: m.Location}
		}
		if doc.ResourceLocation.set && a.Method != http.MethodDelete {
			return Result{URL: doc.ResourceLocation.text}
		}
	}
	switch {
	case a.Method == http.MethodDelete:
		return Result{}
	case a.Method == http.MethodPut, a.Method == http.MethodPatch:
		return Result{URL: a.Target}
	case a.FinalStateVia == FinalStateViaAzureAsyncOp, a.FinalStateVia == FinalStateViaOpLocation:
		return m.document(a)
	case a.FinalStateVia == FinalStateViaOriginalURI && a.Target != "":
		return Result{URL: a.Target}
	case m.Location != "":
		return Result{URL: m.Location}
	}
	return m.document(a)
}

// document is the status document as the result.
func (m armMemo) document(a *Answer) Result {
	if m.Member == "" {
		return Result{Body: a.Body}
	}
	result, _ := wire.Pointer(a.Body, "/"+escape.Replace(m.Member))
	return Result{Body: result}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3

// begun judges a first response that names where to poll, and reports whether it
// shows a resource that is already terminal. Else its body gives a word, but a
// terminal one next to a 202 would mislead.
func begun(a *Answer) (mv Move, ended bool) {
	mv.Status.State = InProgress
	doc, err := parseResource(lastTold{}, a.Body)
	w := doc.provisioningState()
	if err != nil || !w.set {
		return mv, false
	}
	switch terminal := a.State(w.text).Terminal(); {
	case terminal && (a.Code == http.StatusOK || a.Code == http.StatusCreated):
		return Move{Status: doc.status(a, w), Result: Result{Body: a.Body}}, true
	case !terminal:
		mv.Status.Word = w.text
	}
	return mv, false
}
