package engine

import (
	"net/http"
	"strings"
	"time"
)

// The views of an operation in the Resource Provider Contract. Each has its own
// URL. Every operation has all three URLs; its style determines which of them
// the client gets.
const (
	StatusURL  = "statuses" // Azure-AsyncOperation
	ResultURL  = "results"  // Location
	MonitorURL = "monitors" // Operation-Location
)

// A place is a URL of an operation.
type place struct {
	op   *Operation
	view string
}

// An Operation is one long-running operation. The mutex of its Service guards
// it.
type Operation struct {
	ID      string
	Plan    Plan
	Method  string
	Target  string // the path of the resource or the action
	Created bool   // whether the operation created the resource
	before  Object // the resource before a PUT or PATCH
	First   *Request
	Paths   map[string]string // the paths of its URLs, by view

	Start    time.Time
	polls    int       // the number of polls answered while the operation was in progress
	lastPoll time.Time // the time of the last such poll

	End      time.Time // zero while the operation is in progress
	Ending   Ending
	EndWord  string // the status that reports the end
	Failure  Error
	Result   []byte // the resource at the end
	Reported bool   // whether a response has reported the end
	Memo     string // used only for IBM Cloud: the ID of the deployment
	notify   string // the URI for the notification, or ""
}

// Running reports whether op is in progress. It returns false for a nil op.
func (op *Operation) Running() bool { return op != nil && op.End.IsZero() }

// Status returns the status that responses report for op.
func (op *Operation) Status() string {
	if !op.Running() {
		return op.EndWord
	}
	words, n := op.Plan.Words, max(op.polls-1, 0)
	if op.Plan.Cycle {
		n %= len(words)
	}
	return words[min(n, len(words)-1)]
}

// Percent returns the progress of op, from 0 to 100. It compares the number of
// polls and the time since the start with the Polls and the Duration of the
// plan.
func (op *Operation) Percent(now time.Time) float64 {
	if !op.Running() {
		return 100
	}
	done := 1.0
	if op.Plan.Polls > 0 {
		done = float64(op.polls) / float64(op.Plan.Polls+1)
	}
	if op.Plan.Duration > 0 {
		done = min(done, float64(now.Sub(op.Start))/float64(op.Plan.Duration))
	}
	return float64(int(100 * min(done, 0.99)))
}

// Settle ends op if the planned number of polls has been answered and the
// planned Duration has passed. The end time is the moment at which both
// conditions were met, even if no client read the status at that moment.
func (s *Service) Settle(op *Operation) {
	if !op.Running() || op.polls < op.Plan.Polls || time.Since(op.Start) < op.Plan.Duration {
		return
	}
	end := op.Start.Add(op.Plan.Duration)
	if end.Before(op.lastPoll) {
		end = op.lastPoll
	}
	s.End(op, op.Plan.Ending, op.Plan.Error, end)
}

// End ends op and updates its resource.
func (s *Service) End(op *Operation, ending Ending, failure Error, at time.Time) {
	op.End, op.Ending = at, ending
	if ending != Succeeded {
		op.Failure = madeUp(failure, ending)
	}
	op.EndWord = s.Dialect.EndWord(op)
	s.word(op)
	s.apply(op)
	s.notifyEnd(op)
}

// madeUp returns e, or a default error if e is empty.
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
func (s *Service) apply(op *Operation) {
	k := Key(op.Target)
	res := s.Resources[k]
	if res == nil || s.Latest[k] != op {
		return
	}
	success := op.Ending == Succeeded
	switch {
	case op.Method == http.MethodDelete:
		if success && !op.Plan.Kept {
			s.Remove(op.Target)
			return
		}
	case op.Method == http.MethodPut, op.Method == http.MethodPatch, op.Created:
		if !success && res.Hidden {
			s.Remove(op.Target)
			return
		}
		// According to the contract, the properties of a failed update "should
		// be reverted to their previous state".
		if !success && op.before != nil {
			res.Body = op.before
		}
		res.Hidden = false
	default:
		return
	}
	res.State = op.Status()
	op.Result = s.Dialect.Show(s, res, nil, op.First.Base)
}

// CancelNow cancels an operation in progress and reports whether there was one.
func (s *Service) CancelNow(name string) bool {
	return s.endNow(name, func(*Operation) (Ending, Error) { return Canceled, Error{} })
}

// FinishNow ends an operation in progress with the Ending of its Plan, and
// reports whether there was one.
func (s *Service) FinishNow(name string) bool {
	return s.endNow(name, func(op *Operation) (Ending, Error) { return op.Plan.Ending, op.Plan.Error })
}

// endNow finds an operation by its ID or by the path of its first request. If
// the operation is in progress, endNow calls how, ends the operation with the
// returned values, and returns true.
func (s *Service) endNow(name string, how func(*Operation) (Ending, Error)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.Operations[strings.ToLower(name)]
	if op == nil {
		op = s.Latest[Key(name)]
	}
	s.Settle(op)
	if !op.Running() {
		return false
	}
	ending, failure := how(op)
	s.End(op, ending, failure, time.Now())
	return true
}

// expired reports whether the URLs of op have stopped working. An operation in
// progress never expires.
func (s *Service) expired(op *Operation) bool {
	if s.Expire <= 0 {
		return false
	}
	s.Settle(op)
	return !op.Running() && time.Since(op.End) >= s.Expire
}

// LastSuccess returns the last operation on the resource at path if it has
// succeeded, and otherwise nil.
func (s *Service) LastSuccess(path string) *Operation {
	op := s.Latest[Key(path)]
	s.Settle(op)
	if op == nil || !op.Succeeded() {
		return nil
	}
	return op
}

// Busy returns the operation that is changing the resource of q, or nil.
func (s *Service) Busy(q *Request) *Operation {
	op := s.Latest[Key(q.Target)]
	s.Settle(op)
	if !op.Running() {
		return nil
	}
	return op
}

// Rename changes the ID of op, and changes its URLs accordingly.
func (s *Service) Rename(op *Operation, id string) {
	delete(s.Operations, op.ID)
	for view, path := range op.Paths {
		delete(s.places, Key(path))
		op.Paths[view] = strings.ReplaceAll(path, op.ID, id)
		s.places[Key(op.Paths[view])] = place{op, view}
	}
	op.ID = id
	s.Operations[id] = op
}
