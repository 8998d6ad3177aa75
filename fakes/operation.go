package fakes

import (
	"net/http"
	"strings"
	"time"
)

// The views of an operation in the Resource Provider Contract. Each is another
// URL. Every operation has all of them, but its style decides which ones the
// client gets.
const (
	statuses = "statuses" // Azure-AsyncOperation
	results  = "results"  // Location
	monitors = "monitors" // Operation-Location
)

// A place is a URL of an operation.
type place struct {
	op   *operation
	view string
}

// An operation is guarded by the mutex of its Service.
type operation struct {
	id      string
	plan    Plan
	method  string
	target  string // the path of the resource or the action
	created bool   // a PUT created the resource
	before  object // the resource before a PUT or PATCH
	begun   *question
	paths   map[string]string // of its URLs, by view

	start    time.Time
	polls    int       // while it was in progress
	lastPoll time.Time // of those

	end      time.Time // zero while it runs
	ending   Ending
	endWord  string // the status that reports it
	failure  Error
	result   []byte // the resource at the end
	told     bool   // a response has reported the end
	instance string // the deployment, in IBM Cloud
	notify   string // the URI for the notification, or ""
}

// ID returns the ID of op, or "" if op is nil.
func (op *operation) ID() string {
	if op == nil {
		return ""
	}
	return op.id
}

func (op *operation) running() bool { return op != nil && op.end.IsZero() }

// status returns the status of op as the service writes it.
func (op *operation) status() string {
	if !op.running() {
		return op.endWord
	}
	words, n := op.plan.Words, max(op.polls-1, 0)
	if op.plan.round {
		n %= len(words)
	}
	return words[min(n, len(words)-1)]
}

// percent returns how much of the planned polls and of the planned duration is
// over.
func (op *operation) percent(now time.Time) float64 {
	if !op.running() {
		return 100
	}
	done := 1.0
	if op.plan.Polls > 0 {
		done = float64(op.polls) / float64(op.plan.Polls+1)
	}
	if op.plan.Duration > 0 {
		done = min(done, float64(now.Sub(op.start))/float64(op.plan.Duration))
	}
	return float64(int(100 * min(done, 0.99)))
}

// settle ends op if its plan is fulfilled. The end time is the moment when that
// happened, even if nothing read the status then.
func (s *Service) settle(op *operation) {
	if !op.running() || op.polls < op.plan.Polls || time.Since(op.start) < op.plan.Duration {
		return
	}
	end := op.start.Add(op.plan.Duration)
	if end.Before(op.lastPoll) {
		end = op.lastPoll
	}
	s.end(op, op.plan.Ending, op.plan.Error, end)
}

// end ends op and updates its resource.
func (s *Service) end(op *operation, ending Ending, failure Error, at time.Time) {
	op.end, op.ending = at, ending
	if ending != Succeeded {
		op.failure = madeUp(failure, ending)
	}
	op.endWord = s.speech().endWord(op)
	s.word(op)
	s.apply(op)
	s.sendEnd(op)
}

// madeUp returns the error of an operation that was planned without one.
func madeUp(e Error, ending Ending) Error {
	if e.Code != "" || e.Message != "" {
		return e
	}
	if ending == Canceled {
		return Error{Code: "Canceled", Message: "The operation was canceled."}
	}
	return Error{Code: "OperationFailed", Message: "The operation failed."}
}

// apply updates the resource after op has ended.
func (s *Service) apply(op *operation) {
	k := key(op.target)
	res := s.resources[k]
	if res == nil || s.latest[k] != op {
		return
	}
	success := op.ending == Succeeded
	switch {
	case op.method == http.MethodDelete:
		if success && !s.speech().keeps(op) {
			s.remove(op.target)
			return
		}
	case op.method == http.MethodPut, op.method == http.MethodPatch, op.created:
		if !success && res.hidden {
			s.remove(op.target)
			return
		}
		// The contract: properties of a failed update "should be reverted to
		// their previous state".
		if !success && op.before != nil {
			res.body = op.before
		}
		res.hidden = false
	default:
		return
	}
	res.state = op.status()
	op.result = s.speech().show(s, res, nil, op.begun.base)
}

// Cancel cancels an operation in progress and reports whether there was one.
// The name is the ID of the operation or the path of the request that started
// it. In [IBMCloud] an action is named by the path of its resource.
func (s *Service) Cancel(name string) bool {
	return s.endNow(name, func(*operation) (Ending, Error) { return Canceled, Error{} })
}

// Finish ends an operation in progress now, as its Plan says, and reports
// whether there was one. Use it for an operation with the Duration [Forever].
// The name is the ID of the operation or the path of the request that started
// it.
func (s *Service) Finish(name string) bool {
	return s.endNow(name, func(op *operation) (Ending, Error) { return op.plan.Ending, op.plan.Error })
}

func (s *Service) endNow(name string, how func(*operation) (Ending, Error)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.operations[strings.ToLower(name)]
	if op == nil {
		op = s.latest[key(name)]
	}
	s.settle(op)
	if !op.running() {
		return false
	}
	ending, failure := how(op)
	s.end(op, ending, failure, time.Now())
	return true
}

// expired reports whether the URLs of op have stopped working. An operation in
// progress never expires.
func (s *Service) expired(op *operation) bool {
	if s.Expire <= 0 {
		return false
	}
	s.settle(op)
	return !op.running() && time.Since(op.end) >= s.Expire
}

// succeeded returns the last operation on the resource at path if it has
// succeeded, and otherwise nil.
func (s *Service) succeeded(path string) *operation {
	op := s.latest[key(path)]
	s.settle(op)
	if op == nil || !op.done() {
		return nil
	}
	return op
}
