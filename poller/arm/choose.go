package arm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// choose returns the strategy for the first response, or "" if the response names no operation. It
// does not validate URLs in headers.
func choose(a *strategy.Answer) protocol {
	if headerOf(a, headerAsync) != "" {
		return asyncOperation
	}
	if headerOf(a, headerOpLocation) != "" {
		return operationLocation
	}

	// A Location is an operation's URL only in a 202.
	if a.Code == http.StatusAccepted && headerOf(a, headerLocation) != "" {
		return location
	}

	if isUpdate(a.Method) {
		return provisioningState
	}
	return ""
}

// isUpdate reports whether a method creates or updates the resource at the request's URL.
func isUpdate(method string) bool {
	switch method {
	case http.MethodPut, http.MethodPatch:
		return true
	}
	return false
}

func isSuccess(code int) bool { return code/100 == 2 }

// begin interprets the first response.
func (s *step) begin(a *strategy.Answer, mv *strategy.Move) error {
	if s.memo.Strategy != "" {
		return s.follow(a, mv)
	}

	if a.Code == http.StatusAccepted {
		return fmt.Errorf("%w: 202 to %s without a header that names an operation", lroerrors.ErrNoOperation, a.Method)
	}
	return s.bodyAsResult(a, mv)
}

// start interprets a first response that has the URL to poll in the given header. A terminal state
// in the body of a 200 or 201 to a PUT or PATCH ends the operation. If the given header is
// Azure-AsyncOperation, the poller first reads that URL once, because the status there takes
// precedence. In other responses, the body may be older than the operation, so start ignores a
// terminal state.
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
	showsResource := isUpdate(a.Method) && isOKOrCreated(a.Code)
	if isTerminal && showsResource && header != headerAsync {
		mv.Status = doc.StatusOf(a, word)
		mv.Result.Body = a.Body
		return nil
	}
	if isTerminal && showsResource {
		s.memo.Ended = endingOf(a.Body, word)
		s.way.Once = true
		mv.Now = true
	}
	s.rememberCreation(a, word)

	mv.Status.State = strategy.InProgress
	if !isTerminal { // a terminal word would contradict the State
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

// readsItself reports whether the first request was a read of the operation itself, that is, a GET
// whose response lacks the given header.
func readsItself(a *strategy.Answer, header string) bool {
	if a.Method != http.MethodGet {
		return false
	}

	return headerOf(a, header) == ""
}

// bodyAsResult ends the operation with the response's body as the result.
func (s *step) bodyAsResult(a *strategy.Answer, mv *strategy.Move) error {
	succeed(mv)
	if jsonread.IsEmpty(a.Body) {
		return nil
	}

	if json.Valid(a.Body) {
		mv.Result.Body = a.Body
		return nil
	}

	// A body that is not JSON is an error if the caller needs a result or the body is HTML.
	if isPage(a.Body) || needsResult(a) {
		return strategy.ErrNotJSON
	}
	return nil
}

// needsResult reports whether the caller may need the body of the first response as the result.
func needsResult(a *strategy.Answer) bool {
	switch a.Method {
	case http.MethodDelete:
		return false
	case http.MethodPost:
		return !a.NoResult
	}
	return true
}

// isPage reports whether a body is an HTML page, which probably comes from a gateway and says
// nothing about the operation.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }
