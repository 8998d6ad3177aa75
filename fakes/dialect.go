package fakes

import (
	"cmp"
	"net/http"
)

// A dialect is what one kind of service does in its own way: URLs, first
// responses, statuses, resources and errors. The Service itself keeps
// operations, plans, faults and the log, and it does so in the same way for
// every dialect.
//
// All methods are called with the mutex of the Service held.
type dialect interface {
	understand(s *Service, q *question, r *http.Request) // reads what only this dialect finds in a request
	refuse(s *Service, q *question) (Answer, bool)       // refuses a request before anything else is checked
	plan(p Plan, q *question) Plan                       // replaces zero values with the defaults
	places(s *Service, op *operation) map[string]string  // the paths of op, by view
	begin(s *Service, q *question) (Answer, *operation)
	hides(op *operation) bool                            // whether the resource is invisible until op has created it
	endWord(op *operation) string                        // the status of op after it has ended
	keeps(op *operation) bool                            // whether the resource stays readable after op has deleted it
	first(s *Service, q *question, op *operation) Answer // the first response of op, or its only one if synchronous
	look(s *Service, q *question) Answer                 // the response of one URL of an operation
	show(s *Service, res *resource, op *operation, base string) []byte
	cancel(s *Service, q *question) Answer
	failure(q *question, code int, e Error) Answer
	notFound(q *question, path string) Answer
	conflict(q *question, path string, busy *operation) Answer
	collection(path string) bool  // whether path has the form of a collection
	listing(path string) Listing  // the default Listing of a collection
	ids() (request, trace string) // the names of the headers with the IDs of a request
}

// speech returns the dialect of s.
func (s *Service) speech() dialect {
	if s.dialect == nil {
		return arm{}
	}
	return s.dialect
}

// arm is the dialect of the Resource Provider Contract, and of the zero Service.
type arm struct{}

func (arm) understand(*Service, *question, *http.Request) {}

func (d arm) refuse(_ *Service, q *question) (Answer, bool) {
	if !q.stranger() {
		return Answer{}, false
	}
	return d.notFound(q, q.path), true
}

func (arm) plan(p Plan, q *question) Plan { return p.complete(q.method) }

func (arm) places(_ *Service, op *operation) map[string]string {
	root := scope(op.target)
	return map[string]string{
		statuses: root + "/operationsStatuses/" + op.id,
		results:  root + "/operationResults/" + op.id,
		monitors: root + "/operations/" + op.id,
	}
}

// "The resource should not be visible until the async operation completes."
func (arm) hides(op *operation) bool {
	return op.plan.Style == Location && op.beginCode() == http.StatusAccepted
}

// endWord uses the EndWord of the plan only for the planned ending. If a client
// canceled the operation, the status is Canceled.
func (arm) endWord(op *operation) string {
	if op.ending == op.plan.Ending {
		return cmp.Or(op.plan.EndWord, string(op.ending))
	}
	return string(op.ending)
}

func (arm) keeps(*operation) bool { return false }

func (arm) failure(_ *question, code int, e Error) Answer { return failure(code, e) }

func (arm) notFound(_ *question, path string) Answer {
	return failure(http.StatusNotFound, Error{Code: "ResourceNotFound", Message: "The resource '" + path + "' was not found.", Target: path})
}

func (arm) conflict(_ *question, path string, busy *operation) Answer {
	return failure(http.StatusConflict, Error{Code: "Conflict", Message: "The resource is busy: " + busy.status(), Target: path})
}

func (arm) collection(path string) bool { return segments(path)%2 == 1 }

func (arm) listing(string) Listing {
	return Listing{Items: "/value", Link: "/nextLink", Param: skipToken}
}

func (arm) ids() (request, trace string) { return "X-Ms-Request-Id", "X-Ms-Correlation-Request-Id" }
