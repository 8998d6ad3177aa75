package fakes

import (
	"net/http"
	"strings"
	"time"
)

// What quirks do to plans and answers.

// prefer is for a quirk of one style: a plan that names none has that one.
func (p *Plan) prefer(s Style) {
	if p.Style == 0 {
		p.Style = s
	}
}

// begins is for a quirk of the status that begins an operation.
func (p *Plan) begins(code int) {
	if p.StatusCode == 0 {
		p.StatusCode = code
	}
}

// object is the body of a, and whether it is a JSON object.
func (a *Answer) object() (object, bool) {
	v, err := decode(a.Body)
	if err != nil {
		return nil, false
	}
	o, ok := v.(object)
	return o, ok
}

// change changes the members of a body that is a JSON object.
func (a *Answer) edit(change func(object)) {
	if o, ok := a.object(); ok {
		change(o)
		a.Body = encode(o)
	}
}

// takeState takes its provisioningState out of a resource.
func takeState(o object) (state any, there bool) {
	properties, _ := o["properties"].(object)
	state, there = properties["provisioningState"]
	delete(properties, "provisioningState")
	return state, there
}

// stateless takes the provisioningState out of the resource in an answer.
func stateless(_ *Service, q *question, a *Answer) {
	if q.view == "" || q.view == results {
		a.edit(func(o object) { takeState(o) })
	}
}

// relink changes the URLs that the headers of an answer give.
func (a *Answer) relink(names []string, change func(link string) string) {
	for _, name := range names {
		if link := a.Header.Get(name); link != "" {
			a.Header.Set(name, change(link))
		}
	}
}

var linking = []string{"Azure-AsyncOperation", "Operation-Location", "Location"}

// set sets a header of an answer that may have none.
func (a *Answer) set(name, value string) {
	if a.Header == nil {
		a.Header = make(http.Header)
	}
	a.Header.Set(name, value)
}

// is says whether q is a request of that kind and method.
func (q *question) is(kind Kind, method string) bool { return q.kind == kind && q.method == method }

// asks says whether q asks one of the URLs of an operation that a request of
// that method began.
func (q *question) asks(method string) bool {
	return q.op != nil && q.view != "" && (q.kind == Poll || q.kind == Result) && (method == "" || q.op.method == method)
}

// asTold is the operation of q as the answer has told it: it may have ended with
// that answer, if it was the last in progress.
func (q *question) asTold() *operation {
	op := *q.op
	if !op.told {
		op.end, op.ending = time.Time{}, ""
	}
	return &op
}

// underway is the answer to q of an operation that does not end, and whose end
// has not been told.
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

// okay ends a DELETE at its Location with 200 and no body, not with 204.
func okay(_ *Service, q *question, a *Answer) {
	if q.asks(http.MethodDelete) && q.view == results && a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
}

// busy is the operation that is changing what q is about, or nil.
func (s *Service) busy(q *question) *operation {
	op := s.latest[key(q.target)]
	s.settle(op)
	if !op.running() {
		return nil
	}
	return op
}

// writes says whether a method is of one that writes a resource.
func writes(method string) bool { return method == http.MethodPut || method == http.MethodPatch }

// join makes one behaviour's answer of several.
func join(answers ...func(*Service, *question, *Answer)) func(*Service, *question, *Answer) {
	return func(s *Service, q *question, a *Answer) {
		for _, answer := range answers {
			answer(s, q, a)
		}
	}
}

// withoutVersion is a URL without its api-version, and whether it had one.
func withoutVersion(link string) (string, bool) {
	path, query, _ := strings.Cut(link, "?")
	rest, _, had := splitQuery(query, "api-version")
	if rest == "" {
		return path, had
	}
	return path + "?" + rest, had
}
