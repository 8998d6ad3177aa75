package quirks

import (
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// prefer sets the style of a plan, unless the plan has one.
func prefer(p *engine.Plan, s engine.Style) {
	if p.Style == 0 {
		p.Style = s
	}
}

// answerWith sets the status code of the first response, unless the plan has one.
func answerWith(p *engine.Plan, code int) {
	if p.StatusCode == 0 {
		p.StatusCode = code
	}
}

// takeState removes provisioningState from a resource and returns it.
func takeState(o engine.Object) (state any, there bool) {
	properties, _ := o["properties"].(engine.Object)
	state, there = properties["provisioningState"]
	delete(properties, "provisioningState")
	return state, there
}

// writes reports whether method writes a resource.
func writes(method string) bool { return method == http.MethodPut || method == http.MethodPatch }

// join combines several answer functions into one.
func join(answers ...func(*engine.Service, *engine.Request, *engine.Answer)) func(*engine.Service, *engine.Request, *engine.Answer) {
	return func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		for _, answer := range answers {
			answer(s, q, a)
		}
	}
}

// lag is how long some quirks keep showing the old state of the resource after
// the operation ends.
const lag = 5 * time.Minute

// A tally holds a count for each key.
type tally[K comparable] map[K]int

func (t tally[K]) next(k K) int {
	t[k]++
	return t[k]
}

// forPut sets the style (unless it is 0) and the status code of operations
// started by a PUT.
func forPut(style engine.Style, code int) func(*engine.Request, *engine.Plan) {
	return func(q *engine.Request, p *engine.Plan) {
		if q.Method != http.MethodPut {
			return
		}
		if style != 0 {
			p.Style = style
		}
		answerWith(p, code)
	}
}

// byLocation sets the style Location for operations that use one of the verbs,
// or for all operations if there are no verbs. It does not change synchronous
// operations.
func byLocation(verbs ...string) func(*engine.Request, *engine.Plan) {
	return func(q *engine.Request, p *engine.Plan) {
		if p.Style != engine.Synchronous && anyOf(verbs, q.Method) {
			p.Style = engine.Location
		}
	}
}

func anyOf(verbs []string, method string) bool {
	return len(verbs) == 0 || slices.Contains(verbs, method)
}

func deletes(op *engine.Operation) bool { return op.Method == http.MethodDelete }
