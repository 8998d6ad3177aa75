package engine

import "net/http"

// A Dialect defines how a kind of service differs from others: its URLs, first responses, statuses,
// resources and errors. To change only some of these, embed [ARM]. In all methods, q is the request
// to answer.
type Dialect interface {
	// Parse sets the fields of q that depend on the dialect.
	Parse(s *Service, q *Request, r *http.Request)

	// Refuse returns a response and true if it answers q itself, usually with an error. It runs
	// before all other checks.
	Refuse(s *Service, q *Request) (Answer, bool)

	// Plan returns p adapted to the dialect, with the defaults for q in place of zero values.
	Plan(p Plan, q *Request) Plan

	// Begin answers a request to start an operation. It returns the operation, or nil if no
	// operation has started.
	Begin(s *Service, q *Request) (Answer, *Operation)

	// Paths returns the URL path for each view of op. Each path ends with the ID of op, or is
	// directly below its target. The engine first calls Paths when op starts. In that first call,
	// op.First still has its body, and Paths may store in op.Memo what it needs later.
	Paths(s *Service, op *Operation) map[string]string

	// First returns the response to the request that started op. If op is synchronous, this is its
	// only response.
	First(s *Service, q *Request, op *Operation) Answer

	// Look answers a GET of one of q.Op's URLs or, if the client polls the resource instead, a GET
	// of the resource.
	Look(s *Service, q *Request) Answer

	// EndWord returns the status that op reports after it has ended.
	EndWord(op *Operation) string

	// Cancel cancels q.Op.
	Cancel(s *Service, q *Request) Answer

	// Show returns the response body for a GET of res. op is the operation in progress on res, or
	// nil. Absolute URLs in the body start with base.
	Show(s *Service, res *Resource, op *Operation, base string) []byte

	// Failure returns an error response with the given status code. NotFound returns a 404, and
	// Conflict returns a 409.
	Failure(q *Request, code int, e Error) Answer
	NotFound(q *Request, path string) Answer
	Conflict(q *Request, path string, busy *Operation) Answer

	// IsCollection reports whether path can be a collection's path. Listing returns that
	// collection's default page format.
	IsCollection(path string) bool
	Listing(path string) Listing

	// IDHeaders returns the names of the response headers for the request ID and the trace ID.
	IDHeaders() (request, trace string)
}
