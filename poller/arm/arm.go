package arm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// A protocol is a strategy of Azure Resource Manager. Its text is stored in tokens.
type protocol string

// The strategies of Azure Resource Manager. ARM, the default, chooses one of the others. If it
// chooses the wrong one for a service, set the Strategy in Options. For a DELETE, every strategy
// wraps itself in [check.CrossCheck] with the zero [check.Check].
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
	ARM protocol = "arm"

	// AzureAsyncOperation polls the operation resource at the URL in the
	// Azure-AsyncOperation header (asynchronous API reference, "Azure-AsyncOperation
	// Resource format").
	AzureAsyncOperation protocol = "azure-async-operation"

	// OperationLocation polls the status monitor at the URL in the Operation-Location
	// header. The monitor may name the URL of the result in resourceLocation.
	OperationLocation protocol = "operation-location"

	// Location polls the URL in the Location header until it returns the response that
	// a synchronous call would have returned (asynchronous API reference, "202
	// Accepted and Location Headers").
	Location protocol = "location"

	// ProvisioningState polls the resource until its provisioningState is
	// terminal (asynchronous API reference, "ProvisioningState property").
	ProvisioningState protocol = "provisioning-state"
)

const (
	headerAsync      = "Azure-Asyncoperation" // canonical form
	headerOpLocation = "Operation-Location"
	headerLocation   = "Location"
)

var _ strategy.Strategy = ARM

// Step implements [strategy.Strategy].
func (p protocol) Step(a strategy.Answer) (strategy.Move, error) {
	if a.Method == http.MethodDelete {
		return check.CrossCheck(unchecked(p), check.Check{}).Step(a)
	}
	return unchecked(p).Step(a)
}

// Name returns the name of the strategy, as it appears in tokens and when Options are printed.
func (p protocol) Name() string { return string(p) }

// unchecked is a protocol that does not wrap itself in CrossCheck for a DELETE.
type unchecked protocol

// Step implements [strategy.Strategy].
func (p unchecked) Step(a strategy.Answer) (strategy.Move, error) {
	if a.Lost != "" {
		return strategy.Move{}, nil // there is no other URL to read
	}

	if a.First {
		chosen := protocol(p)
		if chosen == ARM {
			chosen = choose(&a)
		}
		return memo{Strategy: chosen}.begin(&a)
	}

	m, err := readMemo(a.Memo)
	if err != nil {
		return strategy.Move{}, errOtherMemo
	}
	return m.step(&a)
}

// Name returns the name of the strategy.
func (p unchecked) Name() string { return string(p) }

// choose picks the strategy for the first response. It only checks whether a header is present, so
// the URL in the header may be invalid. It returns "" if the response names no operation.
func choose(a *strategy.Answer) protocol {
	if headerOf(a, headerAsync) != "" {
		return AzureAsyncOperation
	}
	if headerOf(a, headerOpLocation) != "" {
		return OperationLocation
	}

	// A Location on a 200 or 201 names the resource.
	if a.Code == http.StatusAccepted && headerOf(a, headerLocation) != "" {
		return Location
	}

	if isUpdate(a.Method) {
		return ProvisioningState
	}
	return ""
}

// isUpdate reports whether a method creates or updates the resource at the URL of its request.
func isUpdate(method string) bool {
	switch method {
	case http.MethodPut, http.MethodPatch:
		return true
	}
	return false
}

func isSuccess(code int) bool { return code/100 == 2 }

// succeeded returns the Move that ends an operation without a result.
func succeeded() strategy.Move {
	return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}}
}

// inProgress returns the status of an operation about which nothing else is known.
func inProgress() strategy.Status {
	return strategy.Status{State: strategy.InProgress}
}

// headerOf returns the first value of a header, whose name is in canonical form.
func headerOf(a *strategy.Answer, name string) string {
	values := a.Header[name]
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSpace(values[0])
}

// begin interprets the first response.
func (m memo) begin(a *strategy.Answer) (strategy.Move, error) {
	if m.Strategy != "" {
		return m.step(a)
	}
	if a.Code == http.StatusAccepted {
		return strategy.Move{}, fmt.Errorf("%w: 202 to %s without a header that names an operation", lroerrors.ErrNoOperation, a.Method)
	}
	return resultInHand(a)
}

// step passes a response to the strategy that the first response chose.
func (m memo) step(a *strategy.Answer) (strategy.Move, error) {
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
	return strategy.Move{}, errOtherMemo
}

var errOtherMemo = fmt.Errorf("%w: the token was made with a strategy that is not one of Azure Resource Manager's", strategy.ErrNotApplicable)

// A memo is what the strategies remember of the responses so far.
type memo struct {
	Strategy protocol `json:"strategy"`
	Location string   `json:"location,omitempty"` // absolute URL of the result
	Member   string   `json:"member,omitempty"`   // the member of the status document that holds the result; set only in memos from azcore's tokens
	Itself   bool     `json:"itself,omitempty"`   // the first request was a GET of the operation's own URL

	changed bool // whether the memo differs from the one in the Answer
}

// readMemo decodes a memo. It does not use encoding/json, which would allocate more in each poll
// than the rest of the strategy does.
func readMemo(text json.RawMessage) (memo, error) {
	var name, location, member, itself json.RawMessage
	_, err := jsonread.Fill(text,
		jsonread.Field{Name: "strategy", To: &name},
		jsonread.Field{Name: "location", To: &location},
		jsonread.Field{Name: "member", To: &member},
		jsonread.Field{Name: "itself", To: &itself},
	)
	m := memo{
		Strategy: protocolOf(name),
		Location: document.Text(location),
		Member:   document.Text(member),
		Itself:   string(itself) == "true",
	}
	return m, err
}

// protocolOf returns the protocol with the name in a memo, or "" if there is no such protocol.
func protocolOf(name json.RawMessage) protocol {
	for _, p := range []protocol{AzureAsyncOperation, Location, ProvisioningState, OperationLocation} {
		if len(name) == len(p)+len(`""`) && string(name[1:len(name)-1]) == string(p) {
			return p
		}
	}
	return ""
}

// text encodes the memo.
func (m memo) text() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail, because the fields are strings and a bool
	return b
}

// move returns mv with the memo for the next Step.
func (m memo) move(a *strategy.Answer, mv strategy.Move) strategy.Move {
	mv.Memo = a.Memo
	if a.First || m.changed {
		mv.Memo = m.text()
	}

	return mv
}

// start interprets a first response whose header says where to poll. If the response to a PUT or
// PATCH is a 200 or 201 whose body shows a terminal state, the operation has ended. For other
// verbs, and for a 202, start ignores a terminal state, because the body may be older than the
// operation.
func (m memo) start(a *strategy.Answer, header string, inline bool) (strategy.Move, error) {
	poll := headerOf(a, header)
	if poll == "" {
		return strategy.Move{}, strategy.ErrNotApplicable
	}

	if a.Code == http.StatusNoContent {
		if inline || a.Method == http.MethodDelete {
			return succeeded(), nil
		}
	}

	mv := strategy.Move{
		Status: inProgress(),
		Poll:   poll,
		Inline: inline,
	}
	doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
	word := document.Text(doc.ResourceState())
	if word == "" {
		return m.move(a, mv), nil
	}

	if !a.State(word).Terminal() {
		mv.Status.Word = word
		return m.move(a, mv), nil
	}

	if isUpdate(a.Method) && isOKOrCreated(a.Code) {
		ended := strategy.Move{
			Status: doc.StatusOf(a, word),
			Result: strategy.Result{Body: a.Body},
		}
		return ended, nil
	}

	// The operation is in progress, so a terminal word would be misleading.
	return m.move(a, mv), nil
}

func isOKOrCreated(code int) bool {
	switch code {
	case http.StatusOK, http.StatusCreated:
		return true
	}
	return false
}

// readsItself reports whether the first request already read the operation itself, that is, whether
// it was a GET and the response names no other URL.
func readsItself(a *strategy.Answer, header string) bool {
	if !a.First || a.Method != http.MethodGet {
		return false
	}

	return headerOf(a, header) == ""
}

// resultInHand ends the operation with the body of the response as its result.
func resultInHand(a *strategy.Answer) (strategy.Move, error) {
	if jsonread.IsEmpty(a.Body) {
		return succeeded(), nil
	}

	if json.Valid(a.Body) {
		mv := succeeded()
		mv.Result.Body = a.Body
		return mv, nil
	}

	// The body does not matter if the caller needs no result.
	if isPage(a.Body) || needsResult(a) {
		return strategy.Move{}, strategy.ErrNotJSON
	}
	return succeeded(), nil
}

// needsResult reports whether the body of a first response may be a result that the caller needs.
func needsResult(a *strategy.Answer) bool {
	switch a.Method {
	case http.MethodDelete:
		return false
	case http.MethodPost:
		return !a.NoResult
	}
	return true
}

// isPage reports whether a body is an HTML page. Such a page probably comes from a gateway and
// says nothing about the operation.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }
