package fakes

import (
	"encoding/json"
	"maps"
	"time"
)

// lag is how long after the end of an operation a resource is not yet what it
// was made, where a quirk says so.
const lag = 5 * time.Minute

// A tally counts for each key anew.
type tally[K comparable] map[K]int

func (t tally[K]) next(k K) int {
	t[k]++
	return t[k]
}

// asksResource says whether q asks for a resource, be it to learn of an
// operation without a URL.
func (q *question) asksResource() bool {
	return q.kind == Read || q.kind == Poll && q.view == ""
}

// begins says whether q began an operation.
func (q *question) begins() bool { return q.kind == Begin && q.op != nil }

// succeeded is the last operation on the resource at path if it has ended well,
// else nil.
func (s *Service) succeeded(path string) *operation {
	op := s.latest[key(path)]
	s.settle(op)
	if op == nil || !op.done() {
		return nil
	}
	return op
}

// property sets a property of the resource o, or takes it away where it is nil.
func property(o object, name string, value any) {
	properties := object{}
	if given, ok := o["properties"].(object); ok {
		maps.Copy(properties, given)
	}
	properties[name] = value
	if value == nil {
		delete(properties, name)
	}
	o["properties"] = properties
}

// isJSON says whether a has a body of JSON.
func (a *Answer) isJSON() bool { return json.Valid(a.Body) }
