package fakes

import (
	"net/http"
	"strings"
	"time"
)

// What quirks do to plans and answers.

// prefer sets the style of a plan that names none.
func (p *Plan) prefer(s Style) {
	if p.Style == 0 {
		p.Style = s
	}
}

// begins sets the status code of the first response, unless the plan has one.
func (p *Plan) begins(code int) {
	if p.StatusCode == 0 {
		p.StatusCode = code
	}
}

// object returns the body of a, and whether it is a JSON object.
func (a *Answer) object() (object, bool) {
	v, err := decode(a.Body)
	if err != nil {
		return nil, false
	}
	o, ok := v.(object)
	return o, ok
}

// edit changes the members of a body that is a JSON object.
func (a *Answer) edit(change func(object)) {
	if o, ok := a.object(); ok {
		change(o)
		a.Body = encode(o)
	}
}

// takeState removes provisioningState from a resource and returns it.
func takeState(o object) (state any, there bool) {
	properties, _ := o["properties"].(object)
	state, there = properties["provisioningState"]
	delete(properties, "provisioningState")
	return state, there
}

// stateless removes provisioningState from the resource in a response.
func stateless(_ *Service, q *question, a *Answer) {
	if q.view == "" || q.view == results {
		a.edit(func(o object) { takeState(o) })
	}
}

// relink changes the URLs in the named headers of a response.
func (a *Answer) relink(names []string, change func(link string) string) {
	for _, name := range names {
		if link := a.Header.Get(name); link != "" {
			a.Header.Set(name, change(link))
		}
	}
}

var linking = []string{"Azure-AsyncOperation", "Operation-Location", "Location"}

// set sets a header of a response that may have no headers.
func (a *Answer) set(name, value string) {
	if a.Header == nil {
		a.Header = make(http.Header)
	}
	a.Header.Set(name, value)
}

// is reports whether q has this kind and method.
func (q *question) is(kind Kind, method string) bool { return q.kind == kind && q.method == method }

// asks reports whether q reads one of the URLs of an operation that a request
// with this method started. "" matches every method.
func (q *question) asks(method string) bool {
	return q.op != nil && q.view != "" && (q.kind == Poll || q.kind == Result) && (method == "" || q.op.method == method)
}

// asTold returns the operation of q as the response reports it. After the last
// poll in progress, the operation itself has already ended.
func (q *question) asTold() *operation {
	op := *q.op
	if !op.told {
		op.end, op.ending = time.Time{}, ""
	}
	return &op
}

// underway returns the response to q as if the operation were still in
// progress.
func (s *Service) underway(q *question) Answer {
	q.op.told = false
	op := *q.op
	op.end, op.ending = time.Time{}, ""
	again := *q
	again.op = &op
	a := s.speech().look(s, &again)
	op.hint(a)
	return a
}

// okay ends a DELETE at its Location with 200 and no body instead of 204.
func okay(_ *Service, q *question, a *Answer) {
	if q.asks(http.MethodDelete) && q.view == results && a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
}

// busy returns the operation that is changing the resource of q, or nil.
func (s *Service) busy(q *question) *operation {
	op := s.latest[key(q.target)]
	s.settle(op)
	if !op.running() {
		return nil
	}
	return op
}

// writes reports whether method writes a resource.
func writes(method string) bool { return method == http.MethodPut || method == http.MethodPatch }

// join combines several answer functions into one.
func join(answers ...func(*Service, *question, *Answer)) func(*Service, *question, *Answer) {
	return func(s *Service, q *question, a *Answer) {
		for _, answer := range answers {
			answer(s, q, a)
		}
	}
}

// withoutVersion removes api-version from a URL, and reports whether it had
// one.
func withoutVersion(link string) (string, bool) {
	path, query, _ := strings.Cut(link, "?")
	rest, _, had := splitQuery(query, "api-version")
	if rest == "" {
		return path, had
	}
	return path + "?" + rest, had
}
