package poller

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// stepMonitor follows a status monitor: the operation resource of
// Azure-AsyncOperation, or that of Operation-Location. header names its URL.
func (m armMemo) stepMonitor(a Answer, header string) (Move, error) {
	if loc, err := resolveRef(a.URL, headerOf(a, headerLocation)); err == nil && loc != "" {
		m.Location = loc // a bad second header is no reason to fail
	}
	if a.First && !asksItself(a, header) {
		return m.beginMonitor(a, header)
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return Move{Status: Status{State: Succeeded}}, nil // quirk W46
	}
	if a.Code < 200 || a.Code > 299 {
		return Move{}, ErrNoStatus
	}
	doc, err := parse(a.Body)
	if err != nil {
		return Move{}, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	w := doc.word()
	if !w.set && a.Method == http.MethodGet {
		w = doc.Properties.Status // the proxy resource is a resource
	}
	if !w.set {
		return Move{}, ErrNoStatus
	}
	mv := Move{Status: doc.status(a, w), Poll: headerOf(a, header), Result: m.monitorResult(a, doc)}
	doc.describe(a, &mv.Status)
	return m.move(mv), nil
}

// beginMonitor judges the first response. A resource that is already terminal
// is the end, whatever its headers say; a 202 is in progress whatever its body
// says.
func (m armMemo) beginMonitor(a Answer, header string) (Move, error) {
	url := headerOf(a, header)
	if url == "" {
		return Move{}, ErrNotApplicable
	}
	if a.Code == http.StatusNoContent && a.Method == http.MethodDelete {
		return Move{Status: Status{State: Succeeded}}, nil
	}
	if mv, ended := endedAtOnce(a); ended {
		return mv, nil
	}
	return m.move(Move{Status: begun(a), Poll: url}), nil
}

// monitorResult says where the result of a finished operation is. FinalStateVia
// decides where the rules of ARM leave a choice.
func (m armMemo) monitorResult(a Answer, doc document) Result {
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
func (m armMemo) document(a Answer) Result {
	if m.Member == "" {
		return Result{Body: a.Body}
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(a.Body, &members) // parsed before
	return Result{Body: members[m.Member]}
}

// endedAtOnce reports whether a first 200 or 201 shows a resource that is
// already terminal.
func endedAtOnce(a Answer) (Move, bool) {
	if a.Code != http.StatusOK && a.Code != http.StatusCreated {
		return Move{}, false
	}
	doc, err := parse(a.Body)
	state := doc.provisioningState()
	if err != nil || !state.set || !a.State(state.text).Terminal() {
		return Move{}, false
	}
	return Move{Status: doc.status(a, state), Result: Result{Body: a.Body}}, true
}

// begun is the status of a first response that names where to poll. Its body
// gives a word, but a terminal one next to a 202 would mislead.
func begun(a Answer) Status {
	s := Status{State: InProgress}
	if doc, err := parse(a.Body); err == nil {
		if w := doc.provisioningState(); w.set && !a.State(w.text).Terminal() {
			s.Word = w.text
		}
	}
	return s
}
