package arm

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// The strategies of Azure Resource Manager. Auto, the default, chooses one of the others. If the
// status of a DELETE or of a creation can no longer be read, every strategy also reads the resource
// (see [check.CrossCheck]).
//
// If you know only a URL, call Begin with a GET of that URL, and set Options.Strategy. Choose the
// strategy named after the header that contained the URL, or ProvisioningState for the resource's
// URL after a PUT. For the proxy resource "…/latest" of an operation whose own URL was lost, choose
// AsyncOperation (asynchronous API reference, "Long running operations running more than a day").
var (
	// Auto follows the first of these headers in the first response: Azure-AsyncOperation,
	// Operation-Location, or the Location of a 202. Otherwise, it follows the resource of a PUT or
	// PATCH. With any other verb, the response is the result, unless it is a 202 or an HTML page.
	Auto strategy.Strategy = auto

	// AsyncOperation polls the operation resource at the URL in the Azure-AsyncOperation header
	// (asynchronous API reference, "Azure-AsyncOperation Resource format").
	AsyncOperation strategy.Strategy = asyncOperation

	// OperationLocation polls the status monitor at the URL in the Operation-Location header. The
	// monitor may give the result's URL in resourceLocation.
	OperationLocation strategy.Strategy = operationLocation

	// Location polls the URL in the Location header until the URL returns the response of a
	// synchronous call (asynchronous API reference, "202 Accepted and Location Headers").
	Location strategy.Strategy = location

	// ProvisioningState polls the resource until its provisioningState is terminal (asynchronous
	// API reference, "ProvisioningState property"). Pass it to Resume and Advance, too.
	ProvisioningState strategy.Strategy = provisioningState
)

const (
	headerAsync      = "Azure-Asyncoperation" // canonical form
	headerOpLocation = "Operation-Location"
	headerLocation   = "Location"
)

// Step implements [strategy.Strategy].
func (p protocol) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := p.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (p protocol) StepIn(a strategy.Answer, in strategy.Situation) (mv strategy.Move, way strategy.Detour, err error) {
	err = p.stepIn(&a, in, &mv, &way)
	return mv, way, err
}

// stepIn interprets a response. After a DELETE, it passes every response to CrossCheck. After other
// requests, it does so only if the status cannot be read or is overdue.
func (p protocol) stepIn(a *strategy.Answer, in strategy.Situation, mv *strategy.Move, way *strategy.Detour) error {
	if a.Method == http.MethodDelete {
		return p.check(a, in, mv, way)
	}
	if in.Lost != "" {
		return p.lost(a, in, mv, way)
	}
	err := interpret(p, a, in, mv, way)
	if errors.Is(err, errOtherMemo) && isChecking(a.Memo) {
		return p.check(a, in, mv, way)
	}
	if errors.Is(err, document.ErrOverdue) && isUpdate(a.Method) {
		in.Lost = lroerrors.ReasonPatience
		_ = p.startCheck(a, in, mv, way) // cannot fail, because CrossCheck only chooses what to read next
	}
	return err
}

// ProtocolName returns the strategy's name, as it appears in tokens and printed Options.
func (p protocol) ProtocolName() string { return string(p) }

// interpret fills in the Move for a response. On error, it leaves the Move empty.
func interpret(p protocol, a *strategy.Answer, in strategy.Situation, mv *strategy.Move, way *strategy.Detour) error {
	s := step{in: in}
	err := s.run(a, mv, p)
	if err != nil {
		*mv = strategy.Move{}
		return err
	}
	*way = s.way
	return nil
}

// A step interprets one response and fills in a Move. Its methods take pointers to the Answer and
// the Move. Copies of both would grow the stack of each goroutine, and if a step had them as
// fields, they would escape to the heap.
type step struct {
	in    strategy.Situation
	memo  memo
	isNew bool // whether memo differs from the Answer's Memo
	way   strategy.Detour
}

// run interprets the first response according to p, and later responses according to the memo.
func (s *step) run(a *strategy.Answer, mv *strategy.Move, p protocol) error {
	if a.First {
		s.isNew = true
		s.memo.Strategy = p
		if p == auto {
			s.memo.Strategy = choose(a)
		}
		return s.begin(a, mv)
	}

	var err error
	s.memo, err = readMemo(a.Memo)
	if err != nil {
		return errOtherMemo
	}
	if s.memo.Failed {
		return s.reason(a, mv)
	}
	isResource := s.in.Result || s.memo.Early > 0
	if isResource {
		err = s.settle(a, mv)
	} else {
		err = s.poll(a, mv)
	}
	if mv.Status.State == strategy.Failed {
		s.memo.findReason(a, mv, &s.way)
	}
	return err
}

// poll interprets a response from the status URL. It discards a terminal state that the first
// response reported, because the status URL takes precedence.
func (s *step) poll(a *strategy.Answer, mv *strategy.Move) error {
	s.isNew = len(s.memo.Ended) > 0
	s.memo.Ended = nil
	return s.follow(a, mv)
}

// follow interprets a response according to the strategy in the memo.
func (s *step) follow(a *strategy.Answer, mv *strategy.Move) error {
	switch s.memo.Strategy {
	case asyncOperation:
		return s.monitor(a, mv, headerAsync)
	case operationLocation:
		return s.monitor(a, mv, headerOpLocation)
	case location:
		return s.location(a, mv)
	case provisioningState:
		return s.resource(a, mv)
	}
	return errOtherMemo
}

var errOtherMemo = fmt.Errorf("%w: the token was made with a strategy that is not one of Azure Resource Manager's", strategy.ErrNotApplicable)

// headerOf returns the first value of a header. name must be in canonical form.
func headerOf(a *strategy.Answer, name string) string {
	values := a.Header[name]
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSpace(values[0])
}

// remember stores the memo in the Move for the next Step.
func (s *step) remember(a *strategy.Answer, mv *strategy.Move) {
	mv.Memo = a.Memo
	if s.isNew {
		mv.Memo = s.memo.text()
	}
}

func succeed(mv *strategy.Move) { mv.Status.State = strategy.Succeeded }

// monitor follows the status monitor whose URL is in the given header, Azure-AsyncOperation or
// Operation-Location.
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

// rememberLocation stores the URL in the Location header, because the result may be there. It
// ignores an invalid URL, because the status does not depend on it.
func (s *step) rememberLocation(a *strategy.Answer) {
	ref := headerOf(a, headerLocation)
	if ref == "" {
		return
	}

	url, err := a.Resolve(ref)
	if err != nil || url == s.memo.Location {
		return
	}
	s.memo.Location = url
	s.isNew = true
}

// isEmptyStatus reports whether the response is a 200 whose empty body is the status, because the
// caller's Words have an entry for the empty word (quirk W6).
func isEmptyStatus(a *strategy.Answer) bool {
	if a.Code != http.StatusOK || !jsonread.IsEmpty(a.Body) {
		return false
	}

	_, known := a.Words[""]
	return known
}

// readMonitor interprets the status document in a 2xx response.
func (s *step) readMonitor(a *strategy.Answer, mv *strategy.Move, header string) error {
	doc, err := document.Parse(a.Body)
	if err != nil && a.First {
		mv.Status.State = strategy.InProgress // poll again, because this body says nothing about the operation
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

	mv.Status = doc.OperationStatus(a, word)
	doc.Describe(a, &mv.Status)
	mv.Poll = headerOf(a, header)
	mv.Result = s.monitorResult(a, &doc)
	if isUpdate(a.Method) && mv.Status.State == strategy.Succeeded {
		s.way.InterpretResult = mv.Result.URL != ""
	}
	s.remember(a, mv)
	return nil
}

// monitorWord returns the status word in the document. If the first request was a GET of the
// status, the document may be a proxy resource, so properties.status takes precedence over
// provisioningState.
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
	if s.memo.Strategy == operationLocation {
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

// operationResult returns the result's URL for Operation-Location, or "" if there is none. It
// prefers the Location header if FinalStateVia requires that. Otherwise, it uses the document's
// resourceLocation, except after a DELETE.
func (s *step) operationResult(a *strategy.Answer, doc *document.Document) string {
	if a.FinalStateVia == strategy.FinalStateViaLocation && s.memo.Location != "" {
		return s.memo.Location
	}

	if a.Method == http.MethodDelete {
		return ""
	}
	return document.Text(doc.ResourceLocation)
}

// postResult returns a POST's result, or its URL, according to FinalStateVia.
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

// documentAsResult returns the status document or, if the memo names a member, that member's value.
// Only azcore tokens name a member.
func (s *step) documentAsResult(a *strategy.Answer) strategy.Result {
	if s.memo.Member == "" {
		return strategy.Result{Body: a.Body}
	}

	body, _ := a.Lookup("/" + pointerEscape.Replace(s.memo.Member))
	return strategy.Result{Body: body}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3
