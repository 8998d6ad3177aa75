package engine

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// AddPlan adds a plan for the operations that a request with this method starts at path or below
// it. An empty method means every method except GET. If times is not 0, the plan applies to only
// that many operations.
func (s *Service) AddPlan(method, path string, times int, p Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, &plan{Plan: p, method: method, path: path, times: times})
}

// planFor returns the most specific plan that matches a request with this method and path, or nil
// if no plan matches.
func (s *Service) planFor(method, path string) *plan {
	var chosen *plan
	for _, p := range s.plans {
		if !p.matches(method, path) {
			continue
		}
		if chosen == nil || p.isMoreSpecificThan(chosen) {
			chosen = p
		}
	}
	return chosen
}

// usePlan returns the plan for the operation that q starts, and counts this use of the plan.
func (s *Service) usePlan(q *Request) Plan {
	chosen := s.Default
	if p := s.planFor(q.Method, q.Path); p != nil {
		p.used++
		chosen = p.Plan
	}
	return s.Dialect.Plan(s.editPlan(q, chosen), q)
}

// Start starts the operation that q requests. Call it only after q has passed all checks.
func (s *Service) Start(q *Request) *Operation {
	s.forget()
	s.Started++
	first := *q
	op := &Operation{
		ID:     GUID("0", s.Started),
		Plan:   s.usePlan(q),
		Method: q.Method,
		Target: q.Target,
		First:  &first,
		Start:  time.Now(),
	}
	op.Paths = func() map[string]string { return s.Dialect.Paths(s, op) }
	s.Operations[op.ID] = op
	s.Open[op] = struct{}{}
	op.Paths()
	first.Header, first.Body = nil, nil // free the memory, because a service may keep many operations
	if !op.Refused() {
		s.Latest[Key(op.Target)] = op
	}
	return op
}

// forget removes the operations whose URLs have expired. If s.Keep is positive, it also removes the
// operations that ended first, so that at most s.Keep ended operations remain.
func (s *Service) forget() {
	for len(s.ended) > 0 {
		op := s.ended[0]
		isSurplus := s.Keep > 0 && len(s.ended) > s.Keep
		if !isSurplus && !s.expired(op) {
			return
		}
		s.ended[0] = nil // release the operation's memory
		s.ended = s.ended[1:]
		s.drop(op)
	}
}

// drop removes op from s.Operations and s.Latest. op must have ended.
func (s *Service) drop(op *Operation) {
	delete(s.Operations, op.ID)
	k := Key(op.Target)
	if s.Latest[k] == op {
		delete(s.Latest, k)
	}
}

// Rename changes the ID of op, and with it the URLs that contain the ID.
func (s *Service) Rename(op *Operation, id string) {
	delete(s.Operations, op.ID)
	op.ID = id
	s.Operations[id] = op
}

// Poll answers a GET of a URL at which clients poll q.Op.
func (s *Service) Poll(q *Request) Answer {
	op := q.Op
	s.Settle(op)
	if op.Running() {
		op.polls++
		op.lastPoll = time.Now()
	} else {
		op.Reported = true
	}

	a := s.Dialect.Look(s, q)
	if op.Running() {
		op.SetRetryAfter(a)
		s.Settle(op) // ends the operation if this was the last poll to report progress
	}
	return a
}

// Settle ends op if the planned number of polls has been answered and the planned Duration has
// passed. The operation's end is the time at which both conditions were first met, even if no
// client read the status then.
func (s *Service) Settle(op *Operation) {
	if op.due() {
		s.End(op, op.Plan.Ending, op.Plan.Error, op.dueTime())
	}
}

// End ends op and updates its resource.
func (s *Service) End(op *Operation, ending Ending, failure Error, at time.Time) {
	op.End = at
	op.Ending = ending
	delete(s.Open, op)
	s.ended = append(s.ended, op)
	if ending != Succeeded {
		op.Failure = failure.orDefault(ending)
	}
	op.EndWord = s.Dialect.EndWord(op)
	s.editEnd(op)
	s.updateResource(op)
	op.before = nil
	s.notifyEnd(op)
}

// updateResource removes op's resource, or sets the resource's final state and reverts an update
// that did not succeed. Call it after op has ended.
func (s *Service) updateResource(op *Operation) {
	k := Key(op.Target)
	res := s.Resources[k]
	if res == nil || s.Latest[k] != op {
		return
	}
	deletes := op.Method == http.MethodDelete
	if !deletes && !op.writes() {
		return
	}
	succeeded := op.Ending == Succeeded
	deleted := deletes && succeeded && !op.Plan.Kept
	neverCreated := !deletes && !succeeded && res.Hidden
	if deleted || neverCreated {
		s.Remove(op.Target)
		return
	}

	if !deletes {
		// The contract says that the properties of a failed update "should be reverted to their
		// previous state".
		if !succeeded && op.before != nil {
			res.Body = op.before
		}
		res.Hidden = false
	}
	res.State = op.Status()
	op.Result = s.Dialect.Show(s, res, nil, op.First.Base)
}

// EndNow ends the operation with the given ID or path, and reports whether the operation was in
// progress. The given function chooses the ending and the error.
func (s *Service) EndNow(name string, outcome func(Plan) (Ending, Error)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.named(name)
	if !op.Running() {
		return false
	}
	ending, failure := outcome(op.Plan)
	s.End(op, ending, failure, time.Now())
	return true
}

// ForgetNow forgets the operation with the given ID or path if it has ended. It returns false if
// the operation is in progress or does not exist.
func (s *Service) ForgetNow(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.named(name)
	if op == nil || op.Running() {
		return false
	}
	s.ended = slices.DeleteFunc(s.ended, func(other *Operation) bool { return other == op })
	s.drop(op)
	return true
}

// Each calls visit for every operation whose URLs have not expired, in no particular order.
func (s *Service) Each(visit func(*Operation)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, op := range s.Operations {
		s.Settle(op)
		if !s.expired(op) {
			visit(op)
		}
	}
}

// named finds an operation by its ID. If no operation has that ID, it uses the argument as a path
// and returns the last operation on that path, or nil.
func (s *Service) named(name string) *Operation {
	op := s.Operations[strings.ToLower(name)]
	if op == nil {
		op = s.Latest[Key(name)]
	}
	s.Settle(op)
	return op
}

// expired reports whether op's URLs have stopped working. An operation in progress never expires.
func (s *Service) expired(op *Operation) bool {
	if s.Expire <= 0 {
		return false
	}
	s.Settle(op)
	return !op.Running() && time.Since(op.End) >= s.Expire
}
