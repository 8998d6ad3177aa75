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

// Quirk lets the service have a quirk of a real one, for the resources at path,
// for all below it, and for the operations on these; "" for all. Plans count as
// before, but where the quirk itself is about how an operation is told or ends.
// Quirks add up. One that is not of the constants panics.
func (s *Service) Quirk(q Quirk, path string) {
	make, ok := behaviours()[q]
	if !ok {
		panic(fmt.Sprintf("fakes: there is no quirk %q", string(q)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quirks = append(s.quirks, quirk{path, make()})
}

// Quirks returns all there are, in the order of their names.
func Quirks() []Quirk { return slices.Sorted(maps.Keys(behaviours())) }

// behaviours makes those of each quirk anew, for they may count.
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

// A behaviour is what a quirk does. Its functions are called with the mutex of
// the Service held; nil does nothing.
type behaviour struct {
	classify func(s *Service, q *question)                // sees what else q asks for; called more than once, so it must not count
	instead  func(s *Service, q *question) (Answer, bool) // answers in place of s, to which there then was no q
	plan     func(q *question, p *Plan)                   // changes the plan of an operation that q begins
	end      func(op *operation)                          // changes the word for how an operation has ended
	answer   func(s *Service, q *question, a *Answer)     // changes what s answered to q; q.op is the operation it was about, also one that q began
}

// A quirk is a behaviour that was switched on.
type quirk struct {
	path string
	behaviour
}

// about says whether q is about what the quirk was switched on for.
func (u quirk) about(q *question) bool {
	return under(q.path, u.path) || q.op != nil && under(q.op.target, u.path)
}

// reclassify lets the quirks see in q what no service has by the contract.
func (s *Service) reclassify(q *question) {
	for _, quirk := range s.quirks {
		if quirk.classify != nil && quirk.about(q) {
			quirk.classify(s, q)
		}
	}
}

// preempt lets the quirks answer in place of the service.
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

// quirky lets the quirks change the plan of the operation that q begins.
func (s *Service) quirky(q *question, p Plan) Plan {
	for _, quirk := range s.quirks {
		if quirk.plan != nil && under(q.path, quirk.path) {
			quirk.plan(q, &p)
		}
	}
	return p
}

// word lets the quirks change the word for how op has ended.
func (s *Service) word(op *operation) {
	for _, quirk := range s.quirks {
		if quirk.end != nil && under(op.target, quirk.path) {
			quirk.end(op)
		}
	}
}

// twist lets the quirks change an answer.
func (s *Service) twist(q *question, a Answer) Answer {
	for _, quirk := range s.quirks {
		if quirk.answer != nil && quirk.about(q) {
			quirk.answer(s, q, &a)
		}
	}
	return a
}

// lag is how long after the end of an operation a resource is not yet what it
// was made, where a quirk says so.
const lag = 5 * time.Minute

// A tally counts for each key anew.
type tally[K comparable] map[K]int

func (t tally[K]) next(k K) int {
	t[k]++
	return t[k]
}
