package engine

import (
	"cmp"
	"net/http"
)

// A Dialect defines what differs between kinds of services: URLs, first
// responses, statuses, resources and errors. Embed [ARM] to change only some of
// these. In all methods, q is the request to answer.
type Dialect interface {
	// Parse reads the parts of a request that are specific to this dialect.
	Parse(s *Service, q *Request, r *http.Request)

	// Refuse runs before all other checks. It returns true if it rejects q.
	Refuse(s *Service, q *Request) (Answer, bool)

	// Plan returns p with its zero values replaced by the defaults for q.
	Plan(p Plan, q *Request) Plan

	// Begin answers a request that starts an operation.
	Begin(s *Service, q *Request) (Answer, *Operation)

	// Paths returns the path of the URL for each view of op.
	Paths(s *Service, op *Operation) map[string]string

	// First returns the first response of op. If op is synchronous, there are
	// no others.
	First(s *Service, q *Request, op *Operation) Answer

	// Look returns the response to a GET of one of the URLs of q.Op.
	Look(s *Service, q *Request) Answer

	// EndWord returns the status of op after it has ended.
	EndWord(op *Operation) string

	// Cancel cancels q.Op.
	Cancel(s *Service, q *Request) Answer

	// Show returns the response body for a GET of res. op is the operation in
	// progress on res, or nil. The URLs in the body start with base.
	Show(s *Service, res *Resource, op *Operation, base string) []byte

	// Failure, NotFound and Conflict return error responses.
	Failure(q *Request, code int, e Error) Answer
	NotFound(q *Request, path string) Answer
	Conflict(q *Request, path string, busy *Operation) Answer

	// IsCollection reports whether path can be the path of a collection, and
	// Listing returns the default format of the pages of that collection.
	IsCollection(path string) bool
	Listing(path string) Listing

	// IDHeaders returns the names of the response headers that contain the request ID and the
	// trace ID.
	IDHeaders() (request, trace string)
}

// ARM is the dialect of the Resource Provider Contract.
type ARM struct{}

// Parse does nothing, because the engine itself parses what the contract defines.
func (ARM) Parse(*Service, *Request, *http.Request) {}

// Refuse returns a 404 if the caller did not start the operation.
func (d ARM) Refuse(_ *Service, q *Request) (Answer, bool) {
	if !q.Foreign() {
		return Answer{}, false
	}
	return d.NotFound(q, q.Path), true
}

// Plan sets the defaults that the contract defines for the method of q.
func (ARM) Plan(p Plan, q *Request) Plan { return p.Complete(q.Method) }

// Paths puts all URLs of op below the provider namespace of its resource.
func (ARM) Paths(_ *Service, op *Operation) map[string]string {
	root := Scope(op.Target)
	return map[string]string{
		StatusURL:  root + "/operationsStatuses/" + op.ID,
		ResultURL:  root + "/operationResults/" + op.ID,
		MonitorURL: root + "/operations/" + op.ID,
	}
}

// EndWord uses the EndWord of the plan only for the planned ending. If a client
// canceled the operation, the status is Canceled.
func (ARM) EndWord(op *Operation) string {
	if op.Ending == op.Plan.Ending {
		return cmp.Or(op.Plan.EndWord, string(op.Ending))
	}
	return string(op.Ending)
}

// Failure returns an OData error.
func (ARM) Failure(_ *Request, code int, e Error) Answer { return Failure(code, e) }

// NotFound returns a 404.
func (ARM) NotFound(_ *Request, path string) Answer {
	return Failure(http.StatusNotFound, Error{Code: "ResourceNotFound", Message: "The resource '" + path + "' was not found.", Target: path})
}

// Conflict returns a 409 whose message contains the status of the operation in progress.
func (ARM) Conflict(_ *Request, path string, busy *Operation) Answer {
	return Failure(http.StatusConflict, Error{Code: "Conflict", Message: "The resource is busy: " + busy.Status(), Target: path})
}

// IsCollection reports whether path has an odd number of segments. Types and names alternate, and
// the path of a collection ends with a type.
func (ARM) IsCollection(path string) bool { return Segments(path)%2 == 1 }

// Listing returns the format of pages that contain value and nextLink.
func (ARM) Listing(string) Listing {
	return Listing{Items: "/value", Link: "/nextLink", Param: skipToken}
}

// IDHeaders returns ARM's headers for the request ID and the correlation ID.
func (ARM) IDHeaders() (request, trace string) {
	return "X-Ms-Request-Id", "X-Ms-Correlation-Request-Id"
}
