package quirks

import (
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// These are the types of the hooks Plan and Answer. See engine.Hooks for when the service calls
// them.
type (
	planHook   func(*engine.Request, *engine.Plan)
	answerHook func(*engine.Service, *engine.Request, *engine.Answer)
)

// lag is the time from the end of an operation until its resource is ready or gone, in the quirks
// of early.go and in DeleteReportedEarly.
const lag = 5 * time.Minute

// preferStyle returns a hook that sets an operation's style if the plan sets none. If methods are
// given, the hook affects only those methods.
func preferStyle(style engine.Style, methods ...string) planHook {
	return func(q *engine.Request, p *engine.Plan) {
		if p.Style == 0 && matches(methods, q.Method) {
			p.Style = style
		}
	}
}

// forceStyle returns a hook that replaces an operation's style, unless the operation is
// synchronous. If methods are given, the hook affects only those methods.
func forceStyle(style engine.Style, methods ...string) planHook {
	return func(q *engine.Request, p *engine.Plan) {
		if p.Style != engine.Synchronous && matches(methods, q.Method) {
			p.Style = style
		}
	}
}

// matches reports whether method is in the list methods or the list is empty.
func matches(methods []string, method string) bool {
	return len(methods) == 0 || slices.Contains(methods, method)
}

// preferStatusCode sets the status code of the first response unless the plan sets one.
func preferStatusCode(p *engine.Plan, code int) {
	if p.StatusCode == 0 {
		p.StatusCode = code
	}
}

// putWithoutURL removes the URL to poll from the first response to a PUT.
func putWithoutURL(q *engine.Request, p *engine.Plan) {
	if q.Method == http.MethodPut {
		p.Style = engine.ProvisioningState
	}
}

// withoutURL returns a hook that, for requests with the given method, sets the status code of the
// first response and removes the URL to poll.
func withoutURL(method string, code int) planHook {
	return func(q *engine.Request, p *engine.Plan) {
		if q.Method == method {
			p.Style = engine.ProvisioningState
			p.StatusCode = code
		}
	}
}

// reportsEnd reports whether q is a poll whose response shows the given ending.
func reportsEnd(q *engine.Request, ending engine.Ending) bool {
	return polls(q, "") && q.Op.Reported && q.Op.Ending == ending
}

func started(q *engine.Request) bool { return q.Kind == engine.Begin && q.Op != nil }

// polls reports whether q reads a URL of an operation that was started with the given method. The
// method "" matches every method.
func polls(q *engine.Request, method string) bool {
	reads := q.Kind == engine.Poll || q.Kind == engine.Result
	return reads && q.Op != nil && q.View != "" && (method == "" || q.Op.Method == method)
}

// readsResource reports whether q reads a resource. A poll of an operation without a URL also reads
// the resource.
func readsResource(q *engine.Request) bool {
	return q.Kind == engine.Read || q.Kind == engine.Poll && q.View == ""
}

// mayShowResource reports whether the response to q may contain the resource.
// It returns false if q requests a status document.
func mayShowResource(q *engine.Request) bool {
	return q.View == "" || q.View == engine.ResultURL
}

func writes(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch
}

func deletes(op *engine.Operation) bool { return op.Method == http.MethodDelete }

// lastSuccess returns the last operation on path if it succeeded, and nil otherwise.
func lastSuccess(s *engine.Service, path string) *engine.Operation {
	op := s.Latest[engine.Key(path)]
	s.Settle(op)
	if op == nil || !op.Succeeded() {
		return nil
	}
	return op
}

// busy returns the operation that is changing q's resource, or nil.
func busy(s *engine.Service, q *engine.Request) *engine.Operation {
	_, op := s.Find(q.Target)
	return op
}

// join returns a hook that calls the given hooks in order.
func join(hooks ...answerHook) answerHook {
	return func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		for _, hook := range hooks {
			hook(s, q, a)
		}
	}
}

// takeState removes and returns a resource's provisioningState. It reports whether the resource had
// one.
func takeState(o engine.Object) (state any, found bool) {
	properties, _ := o["properties"].(engine.Object)
	state, found = properties["provisioningState"]
	delete(properties, "provisioningState")
	return state, found
}

// replaceState replaces a resource's provisioningState if the resource has one.
func replaceState(o engine.Object, state any) {
	_, found := takeState(o)
	if found {
		o["properties"].(engine.Object)["provisioningState"] = state
	}
}

// A tally counts how often each key has occurred.
type tally[K comparable] map[K]int

// next increments the count for k and returns the new count.
func (t tally[K]) next(k K) int {
	t[k]++
	return t[k]
}
