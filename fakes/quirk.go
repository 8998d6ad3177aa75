package fakes

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Quirk is a way in which a real service departs from the contract. Its value names
// its row in docs/quirks.md. [Service.Quirk] turns one on.
type Quirk string

// Quirk turns a quirk on for the resource at path, for all resources below it,
// and for their operations; an empty path means all resources. Plans still
// apply, except where the quirk itself decides how an operation reports its
// status or ends. Several quirks can be on at once. An unknown Quirk panics.
func (s *Service) Quirk(q Quirk, path string) {
	make, ok := behaviours()[q]
	if !ok {
		panic(fmt.Sprintf("fakes: there is no quirk %q", string(q)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quirks = append(s.quirks, quirk{path, make()})
}

// Quirks returns all quirks, sorted.
func Quirks() []Quirk { return slices.Sorted(maps.Keys(behaviours())) }

// behaviours returns a constructor for each quirk. Each call creates a new
// behaviour, because a behaviour may have counters.
func behaviours() map[Quirk]func() behaviour {
	all := maps.Clone(quirksOfBeginnings)
	maps.Copy(all, quirksUntold)
	maps.Copy(all, quirksOfURLs)
	maps.Copy(all, quirksOfStatuses)
	maps.Copy(all, quirksOfEndings)
	maps.Copy(all, quirksOfLostStatuses)
	maps.Copy(all, quirksOfReplicas)
	maps.Copy(all, quirksOfRefusals)
	maps.Copy(all, quirksOfEarlySuccess)
	maps.Copy(all, quirksOfErrors)
	maps.Copy(all, quirksOfTheWire)
	maps.Copy(all, quirksOfWords)
	return all
}

// A behaviour implements a quirk. Its functions are called with the mutex of
// the Service held. A nil function does nothing.
type behaviour struct {
	classify func(s *Service, q *question)                // changes the Kind of q; it is called more than once for a request, so it must not count
	instead  func(s *Service, q *question) (Answer, bool) // answers instead of s, which then does not see q
	plan     func(q *question, p *Plan)                   // changes the plan of the operation that q starts
	end      func(op *operation)                          // changes the status of an operation that has ended
	answer   func(s *Service, q *question, a *Answer)     // changes the response to q; q.op is its operation, even if q has just started it
}

// A quirk is a behaviour that is turned on.
type quirk struct {
	path string
	behaviour
}

// about reports whether the quirk is turned on for the resource or the
// operation of q.
func (u quirk) about(q *question) bool {
	return under(q.path, u.path) || q.op != nil && under(q.op.target, u.path)
}

// reclassify lets the quirks change the Kind of q.
func (s *Service) reclassify(q *question) {
	for _, quirk := range s.quirks {
		if quirk.classify != nil && quirk.about(q) {
			quirk.classify(s, q)
		}
	}
}

// preempt lets the quirks answer instead of the service.
func (s *Service) preempt(q *question) (Answer, bool) {
	for _, quirk := range s.quirks {
		if quirk.instead == nil || !quirk.about(q) {
			continue
		}
		if a, ok := quirk.instead(s, q); ok {
			return a, true
		}
	}
	return Answer{}, false
}

// quirky lets the quirks change the plan of the operation that q starts.
func (s *Service) quirky(q *question, p Plan) Plan {
	for _, quirk := range s.quirks {
		if quirk.plan != nil && under(q.path, quirk.path) {
			quirk.plan(q, &p)
		}
	}
	return p
}

// word lets the quirks change the status of op, which has ended.
func (s *Service) word(op *operation) {
	for _, quirk := range s.quirks {
		if quirk.end != nil && under(op.target, quirk.path) {
			quirk.end(op)
		}
	}
}

// twist lets the quirks change a response.
func (s *Service) twist(q *question, a Answer) Answer {
	for _, quirk := range s.quirks {
		if quirk.answer != nil && quirk.about(q) {
			quirk.answer(s, q, &a)
		}
	}
	return a
}

// lag is how long after the end of an operation some quirks still show the old
// state of the resource.
const lag = 5 * time.Minute

// A tally counts separately for each key.
type tally[K comparable] map[K]int

func (t tally[K]) next(k K) int {
	t[k]++
	return t[k]
}
