package fakes

import (
	"cmp"
	"net/http"
)

// A dialect is how a service speaks: what is its own about URLs, first answers,
// statuses, resources and errors. What becomes of an operation, which plan and
// which fault is meant, and what is logged is the Service's, in every dialect.
//
// All of it is called with the mutex of the Service held.
type dialect interface {
	understand(s *Service, q *question, r *http.Request) // what only this dialect sees in a request
	refuse(s *Service, q *question) (Answer, bool)       // whatever it asks for
	plan(p Plan, q *question) Plan                       // replaces zero values by what they mean
	places(s *Service, op *operation) map[string]string  // the paths of op, by view
	begin(s *Service, q *question) (Answer, *operation)
	hides(op *operation) bool                            // whether what op creates is unseen before its end
	endWord(op *operation) string                        // for the ending of op
	keeps(op *operation) bool                            // whether what op deletes can still be read
	first(s *Service, q *question, op *operation) Answer // begins op, or is all there is of a synchronous one
	look(s *Service, q *question) Answer                 // what one URL of an operation shows
	show(s *Service, res *resource, op *operation, base string) []byte
	cancel(s *Service, q *question) Answer
	failure(q *question, code int, e Error) Answer
	notFound(q *question, path string) Answer
	conflict(q *question, path string, busy *operation) Answer
	collection(path string) bool  // whether path is by its form one of many resources
	listing(path string) Listing  // how a list tells its pages where nobody said
	ids() (request, trace string) // the names of the headers with the IDs of a request
}

// speech is the dialect of s.
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

// The service's own word is for the planned ending, not for one that a client
// brought about.
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
