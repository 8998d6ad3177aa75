package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
)

// An armStrategy is a strategy of Azure Resource Manager. Its text is stored in tokens.
type armStrategy string

// The strategies of Azure Resource Manager. ARM, the default, chooses one of the others. If it
// chooses the wrong one for a service, set Options.Strategy. For a DELETE, every strategy wraps
// itself in [CrossCheck] with the zero [Check].
//
// All strategies except ARM can also follow an operation if you know only a URL: call Begin with a
// GET of that URL. The poller then treats the response as the first status and keeps reading the
// URL. Use AzureAsyncOperation, OperationLocation or Location for a URL saved from the header of
// that name, ProvisioningState for the URL of the resource after a PUT, and AzureAsyncOperation for
// the proxy resource "…/latest" of an operation whose own URL was lost (asynchronous API reference,
// "Long running operations running more than a day").
const (
	// ARM, the default, chooses the strategy from the first response. In order of precedence, it
	// follows an Azure-AsyncOperation header, an Operation-Location header, a Location header on a
	// 202, or, for PUT and PATCH, the resource itself. Any other response is the result, unless it
	// is an HTML page, which comes from a gateway.
	ARM armStrategy = "arm"

	// AzureAsyncOperation polls the operation resource at the URL in the
	// Azure-AsyncOperation header (asynchronous API reference, "Azure-AsyncOperation
	// Resource format").
	AzureAsyncOperation armStrategy = "azure-async-operation"

	// OperationLocation polls the status monitor at the URL in the Operation-Location
	// header. The monitor may name the URL of the result in resourceLocation.
	OperationLocation armStrategy = "operation-location"

	// Location polls the URL in the Location header until it returns the response that
	// a synchronous call would have returned (asynchronous API reference, "202
	// Accepted and Location Headers").
	Location armStrategy = "location"

	// ProvisioningState polls the resource until its provisioningState is
	// terminal (asynchronous API reference, "ProvisioningState property").
	ProvisioningState armStrategy = "provisioning-state"
)

var _ Strategy = ARM

// Step implements [Strategy].
func (s armStrategy) Step(a Answer) (Move, error) {
	if a.Method == http.MethodDelete {
		return CrossCheck(bareARM(s), Check{}).Step(a)
	}
	return bareARM(s).Step(a)
}

// A bareARM is an armStrategy that does not wrap itself in CrossCheck for a DELETE.
type bareARM armStrategy

// Step implements [Strategy].
func (s bareARM) Step(a Answer) (Move, error) {
	switch {
	case a.Lost != "":
		return Move{}, nil
	case a.First:
		name := armStrategy(s)
		if name == ARM {
			name = chooseARM(&a)
		}
		return armMemo{Strategy: name}.step(&a)
	}
	m, err := readMemo(a.Memo)
	if err != nil {
		return Move{}, errOtherMemo
	}
	a.memo = m
	return m.step(&a)
}

var errOtherMemo = fmt.Errorf("%w: the token was made with a strategy that is not one of Azure Resource Manager's", ErrNotApplicable)

// armMemo is the memo of the ARM strategies.
type armMemo struct {
	Strategy armStrategy `json:"strategy"`
	Location string      `json:"location,omitempty"` // absolute URL of the result
	Member   string      `json:"member,omitempty"`   // the member of the status document that holds the result; set only in memos from azcore's tokens
	Itself   bool        `json:"itself,omitempty"`   // the first request was a GET of the operation's own URL
}

// usualMemo is the text of the memo that most operations have.
const usualMemo = `{"strategy":"azure-async-operation"}`

// readMemo decodes a memo. It does not use encoding/json, which would allocate more in each poll
// than the rest of the strategy does.
func readMemo(memo json.RawMessage) (armMemo, error) {
	if string(memo) == usualMemo {
		return armMemo{Strategy: AzureAsyncOperation}, nil
	}
	var strategy, location, member, itself json.RawMessage
	_, err := jsonread.Fill(memo, jsonread.Field{Name: "strategy", To: &strategy}, jsonread.Field{Name: "location", To: &location},
		jsonread.Field{Name: "member", To: &member}, jsonread.Field{Name: "itself", To: &itself})
	return armMemo{armStrategy(text(strategy)), text(location), text(member), string(itself) == "true"}, err
}

// text encodes the memo.
func (m armMemo) text() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail, because the fields are strings and a bool
	return b
}

// move returns mv with the memo for the next Step.
func (m armMemo) move(a *Answer, mv Move) Move {
	if mv.Memo = a.Memo; a.First || m != a.memo {
		mv.Memo = m.text()
	}
	return mv
}

// chooseARM picks the strategy for the first response. It only checks whether a header is
// present, so the URL in the header may be invalid.
func chooseARM(a *Answer) armStrategy {
	switch {
	case headerOf(a, headerAsync) != "":
		return AzureAsyncOperation
	case headerOf(a, headerOpLocation) != "":
		return OperationLocation
	case a.Code == http.StatusAccepted && headerOf(a, headerLocation) != "":
		return Location
	case a.Method == http.MethodPut || a.Method == http.MethodPatch:
		return ProvisioningState
	}
	return "" // no strategy, because the response names no operation
}

// readsItself reports whether the first request already read the operation itself, that is, whether
// it was a GET and the response names no other URL.
func readsItself(a *Answer, header string) bool {
	return a.First && a.Method == http.MethodGet && headerOf(a, header) == ""
}

func (m armMemo) step(a *Answer) (Move, error) {
	switch m.Strategy {
	case AzureAsyncOperation:
		return m.stepMonitor(a, headerAsync)
	case OperationLocation:
		return m.stepMonitor(a, headerOpLocation)
	case Location:
		return m.stepLocation(a)
	case ProvisioningState:
		return m.stepResource(a)
	}
	switch {
	case m.Strategy != "" || !a.First:
		return Move{}, errOtherMemo
	case a.Code == http.StatusAccepted:
		return Move{}, fmt.Errorf("%w: 202 to %s without a header that names an operation", lroerrors.ErrNoOperation, a.Method)
	}
	return resultInHand(a)
}

// resultInHand ends the operation with the body of the response as its result.
func resultInHand(a *Answer) (Move, error) {
	mv := Move{Status: Status{State: Succeeded}}
	if jsonread.IsEmpty(a.Body) {
		return mv, nil
	}
	if !json.Valid(a.Body) {
		if (a.Method == http.MethodDelete || a.Method == http.MethodPost && a.none) && !isPage(a.Body) {
			return mv, nil // the caller needs no result, so the body does not matter
		}
		return Move{}, errNotJSON
	}
	mv.Result.Body = a.Body
	return mv, nil
}

// isPage reports whether a body is an HTML page. Such a page probably comes from a gateway and
// says nothing about the operation.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

var errNotJSON = errors.New("the body is not JSON")

const (
	headerAsync      = "Azure-Asyncoperation" // canonical form
	headerOpLocation = "Operation-Location"
	headerLocation   = "Location"
)

func headerOf(a *Answer, name string) string {
	return strings.TrimSpace(exchange.FirstValue(a.Header, name))
}

// stepMonitor follows a status monitor: the resource that Azure-AsyncOperation or
// Operation-Location points to. header is the name of that header.
func (m armMemo) stepMonitor(a *Answer, header string) (Move, error) {
	if loc, err := a.Resolve(headerOf(a, headerLocation)); err == nil && loc != "" {
		m.Location = loc // an invalid Location is ignored, because the status does not depend on it
	}
	if a.First && !readsItself(a, header) {
		return m.start(a, header, false)
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
	doc, err := parse(a.Body)
	if err != nil && a.First {
		return m.move(a, Move{Status: Status{State: InProgress}}), nil // poll again, because this body says nothing
	}
	if err != nil {
		return Move{}, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	word := doc.word()
	if status := text(doc.propertiesStatus); m.Itself && text(doc.Status) == "" && status != "" {
		word = status // properties.status takes precedence over the provisioningState of a proxy resource
	}
	if word == "" {
		return Move{}, ErrNoStatus
	}
	mv := Move{Status: doc.status(a, word), Poll: headerOf(a, header), Result: m.monitorResult(a, &doc)}
	doc.describe(a, &mv.Status)
	return m.move(a, mv), nil
}

// emptyMonitor interprets a 200 without a body as the word "", if Options.Words has an entry for
// that word (quirk W6).
func (m armMemo) emptyMonitor(a *Answer) (mv Move, ok bool) {
	if _, known := a.Words[""]; !known || a.Code != http.StatusOK || !jsonread.IsEmpty(a.Body) {
		return Move{}, false
	}
	mv.Status.State, mv.Result = a.State(""), m.monitorResult(a, &document{})
	return m.move(a, mv), true
}

// monitorResult returns the result or its URL. See [FinalStateVia] for the rules.
func (m armMemo) monitorResult(a *Answer, doc *document) Result {
	if m.Strategy == OperationLocation {
		if a.FinalStateVia == FinalStateViaLocation && m.Location != "" {
			return Result{URL: m.Location}
		}
		if at := text(doc.ResourceLocation); at != "" && a.Method != http.MethodDelete {
			return Result{URL: at}
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

// document returns the status document as the result.
func (m armMemo) document(a *Answer) Result {
	if m.Member == "" {
		return Result{Body: a.Body}
	}
	result, _ := jsonread.Pointer(a.Body, "/"+escape.Replace(m.Member))
	return Result{Body: result}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3

// start interprets a first response whose header says where to poll. If the response to a PUT or
// PATCH is a 200 or 201 whose body shows a terminal state, the operation has ended. For other
// verbs, and for a 202, start ignores a terminal state, because the body may be older than the
// operation.
func (m armMemo) start(a *Answer, header string, inline bool) (Move, error) {
	mv := Move{Status: Status{State: InProgress}, Poll: headerOf(a, header), Inline: inline}
	if mv.Poll == "" {
		return Move{}, ErrNotApplicable
	}
	if a.Code == http.StatusNoContent && (inline || a.Method == http.MethodDelete) {
		return Move{Status: Status{State: Succeeded}}, nil
	}
	doc, err := parse(a.Body)
	word := text(doc.provisioningState())
	switch terminal := a.State(word).Terminal(); {
	case err != nil || word == "":
	case terminal && (a.Method == http.MethodPut || a.Method == http.MethodPatch) && (a.Code == http.StatusOK || a.Code == http.StatusCreated):
		return Move{Status: doc.status(a, word), Result: Result{Body: a.Body}}, nil
	case !terminal: // a terminal word would be misleading, because the operation is in progress
		mv.Status.Word = word
	}
	return m.move(a, mv), nil
}
