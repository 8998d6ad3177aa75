package quirks

import (
	"net/http"
	"strings"
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

// stateless removes provisioningState from the resource in a response.
func stateless(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.View == "" || q.View == engine.ResultURL {
		a.Edit(func(o engine.Object) { takeState(o) })
	}
}

// relink changes the URLs in the named headers of a response.
func relink(a *engine.Answer, names []string, change func(link string) string) {
	for _, name := range names {
		if link := a.Header.Get(name); link != "" {
			a.Header.Set(name, change(link))
		}
	}
}

var linking = []string{"Azure-AsyncOperation", "Operation-Location", "Location"}

// asReported returns a copy of the operation of q in the state that the response reports. At the
// last poll that reports progress, the operation itself has already ended.
func asReported(q *engine.Request) *engine.Operation {
	op := *q.Op
	if !op.Reported {
		op.End, op.Ending = time.Time{}, ""
	}
	return &op
}

// underway returns the response to q as if the operation were still in
// progress.
func underway(s *engine.Service, q *engine.Request) engine.Answer {
	q.Op.Reported = false
	op := *q.Op
	op.End, op.Ending = time.Time{}, ""
	again := *q
	again.Op = &op
	a := s.Dialect.Look(s, &again)
	op.SetRetryAfter(a)
	return a
}

// okay makes the Location of a DELETE report the end with 200 and no body instead of 204.
func okay(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Polls(http.MethodDelete) && q.View == engine.ResultURL && a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
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

// withoutVersion removes api-version from a URL, and reports whether it had
// one.
func withoutVersion(link string) (string, bool) {
	path, query, _ := strings.Cut(link, "?")
	rest, _, had := engine.SplitQuery(query, "api-version")
	if rest == "" {
		return path, had
	}
	return path + "?" + rest, had
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
