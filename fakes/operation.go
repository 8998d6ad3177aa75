package fakes

import (
	"net/http"
	"strings"
	"time"
)

// The views of an operation in the Resource Provider Contract: each is another
// URL. An operation has all of them, whatever its style tells the client.
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
	target  string // the path it was asked for
	created bool   // a PUT: the resource was not there before
	before  object // a PUT or PATCH: the resource as it was
	begun   *question
	paths   map[string]string // of its URLs, by view

	start    time.Time
	polls    int       // that found it in progress
	lastPoll time.Time // of those

	end      time.Time // zero while it runs
	ending   Ending
	endWord  string // for it
	failure  Error
	result   []byte // the resource as it was at the end
	told     bool   // a poll has told the end
	instance string // IBM Cloud: the deployment that it is about
	notify   string // where its end is to be told, or ""
}

// ID is the ID of an operation, or of none.
func (op *operation) ID() string {
	if op == nil {
		return ""
	}
	return op.id
}

func (op *operation) running() bool { return op != nil && op.end.IsZero() }

// status is the word that a reader is told.
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

// percent is how much of the planned polls and of the planned time is over.
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

// settle ends op if its plan is fulfilled. The end is the moment at which it
// was, also where nobody has asked since.
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

// end ends op and changes its resource accordingly.
func (s *Service) end(op *operation, ending Ending, failure Error, at time.Time) {
	op.end, op.ending = at, ending
	if ending != Succeeded {
		op.failure = madeUp(failure, ending)
	}
	op.endWord = s.speech().endWord(op)
	s.word(op)
	s.apply(op)
	s.tell(op)
}

// madeUp is an error for an ending that was planned without one.
func madeUp(e Error, ending Ending) Error {
	if e.Code != "" || e.Message != "" {
		return e
	}
	if ending == Canceled {
		return Error{Code: "Canceled", Message: "The operation was canceled."}
	}
	return Error{Code: "OperationFailed", Message: "The operation failed."}
}

// apply does to the resource what the ending of op means for it.
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

// Cancel cancels an operation that runs, named by its ID or by the path it was
// asked for, and reports whether there was one. What [IBMCloud] does has the path
// of the resource that it does it to.
func (s *Service) Cancel(name string) bool {
	return s.endNow(name, func(*operation) (Ending, Error) { return Canceled, Error{} })
}

// Finish lets an operation that runs end now, as its Plan says: an operation of
// Duration [Forever] ends when the test says so. It is named by its ID or by the
// path it was asked for. Finish reports whether there was one.
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

// expired says whether op ended so long ago that the service knows its URLs no
// more. An operation that runs is known however long it does.
func (s *Service) expired(op *operation) bool {
	if s.Expire <= 0 {
		return false
	}
	s.settle(op)
	return !op.running() && time.Since(op.end) >= s.Expire
}

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
