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
func (p protocol) Step(a strategy.Answer) (mv strategy.Move, err error) {
	if a.Method == http.MethodDelete {
		err = p.checkDeletion(&a, &mv)
	} else {
		err = interpret(p, &a, &mv)
	}
	return mv, err
}

// checkDeletion lets CrossCheck decide what a response to a DELETE means.
func (p protocol) checkDeletion(a *strategy.Answer, mv *strategy.Move) (err error) {
	*mv, err = check.CrossCheck(unchecked(p), check.Check{}).Step(*a)
	return err
}

// Name returns the name of the strategy, as it appears in tokens and when Options are printed.
func (p protocol) Name() string { return string(p) }

// unchecked is a protocol that does not wrap itself in CrossCheck for a DELETE.
type unchecked protocol

// Step implements [strategy.Strategy].
func (p unchecked) Step(a strategy.Answer) (mv strategy.Move, err error) {
	err = interpret(protocol(p), &a, &mv)
	return mv, err
}

// Name returns the name of the strategy.
func (p unchecked) Name() string { return string(p) }

// interpret fills in the Move for a response. If it returns an error, the Move is empty.
func interpret(p protocol, a *strategy.Answer, mv *strategy.Move) error {
	var s step
	err := s.run(a, mv, p)
	if err != nil {
		*mv = strategy.Move{}
	}
	return err
}

// A step interprets one response and fills in a Move. Its methods take pointers to the Answer and the
// Move, because the stack of each goroutine that polls would grow with every copy, and as separate
// arguments, because both would move to the heap as fields of the step.
type step struct {
	memo  memo
	isNew bool // whether the memo differs from the one in the Answer
}

// run interprets the response according to p or, after the first response, to the memo.
func (s *step) run(a *strategy.Answer, mv *strategy.Move, p protocol) error {
	if a.Lost != "" {
		return nil // there is no other URL to read
	}

	if a.First {
		s.isNew = true
		s.memo.Strategy = p
		if p == ARM {
			s.memo.Strategy = choose(a)
		}
		return s.begin(a, mv)
	}

	var err error
	s.memo, err = readMemo(a.Memo)
	if err != nil {
		return errOtherMemo
	}
	return s.follow(a, mv)
}

// begin interprets the first response.
func (s *step) begin(a *strategy.Answer, mv *strategy.Move) error {
	if s.memo.Strategy != "" {
		return s.follow(a, mv)
	}

	if a.Code == http.StatusAccepted {
		return fmt.Errorf("%w: 202 to %s without a header that names an operation", lroerrors.ErrNoOperation, a.Method)
	}
	return s.resultInHand(a, mv)
}

// follow passes a response to the strategy that the first response chose.
func (s *step) follow(a *strategy.Answer, mv *strategy.Move) error {
	switch s.memo.Strategy {
	case AzureAsyncOperation:
		return s.monitor(a, mv, headerAsync)
	case OperationLocation:
		return s.monitor(a, mv, headerOpLocation)
	case Location:
		return s.location(a, mv)
	case ProvisioningState:
		return s.resource(a, mv)
	}
	return errOtherMemo
}

var errOtherMemo = fmt.Errorf("%w: the token was made with a strategy that is not one of Azure Resource Manager's", strategy.ErrNotApplicable)

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

// headerOf returns the first value of a header, whose name is in canonical form.
func headerOf(a *strategy.Answer, name string) string {
	values := a.Header[name]
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSpace(values[0])
}

// A memo is what the strategies remember of the responses so far.
type memo struct {
	Strategy protocol `json:"strategy"`
	Location string   `json:"location,omitempty"` // absolute URL of the result
	Member   string   `json:"member,omitempty"`   // the member of the status document that holds the result; set only in memos from azcore's tokens
	Itself   bool     `json:"itself,omitempty"`   // the first request was a GET of the operation's own URL
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

// remember stores the memo in the Move, for the next Step.
func (s *step) remember(a *strategy.Answer, mv *strategy.Move) {
	mv.Memo = a.Memo
	if s.isNew {
		mv.Memo = s.memo.text()
	}
}

// succeed ends the operation without a result.
func succeed(mv *strategy.Move) { mv.Status.State = strategy.Succeeded }

// start interprets a first response whose header says where to poll. If the response to a PUT or
// PATCH is a 200 or 201 whose body shows a terminal state, the operation has ended. For other
// verbs, and for a 202, start ignores a terminal state, because the body may be older than the
// operation.
func (s *step) start(a *strategy.Answer, mv *strategy.Move, header string, inline bool) error {
	poll := headerOf(a, header)
	if poll == "" {
		return strategy.ErrNotApplicable
	}

	if a.Code == http.StatusNoContent {
		if inline || a.Method == http.MethodDelete {
			succeed(mv)
			return nil
		}
	}

	doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
	word := document.Text(doc.ResourceState())
	isTerminal := word != "" && a.State(word).Terminal()
	if isTerminal && isUpdate(a.Method) && isOKOrCreated(a.Code) {
		mv.Status = doc.StatusOf(a, word)
		mv.Result.Body = a.Body
		return nil
	}

	mv.Status.State = strategy.InProgress
	if !isTerminal { // a terminal word would be misleading, because the operation is in progress
		mv.Status.Word = word
	}
	mv.Poll = poll
	mv.Inline = inline
	s.remember(a, mv)
	return nil
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
func (s *step) resultInHand(a *strategy.Answer, mv *strategy.Move) error {
	succeed(mv)
	if jsonread.IsEmpty(a.Body) {
		return nil
	}

	if json.Valid(a.Body) {
		mv.Result.Body = a.Body
		return nil
	}

	// The body does not matter if the caller needs no result.
	if isPage(a.Body) || needsResult(a) {
		return strategy.ErrNotJSON
	}
	return nil
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
