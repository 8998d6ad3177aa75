package engine

import (
	"cmp"
	"net/http"
	"time"
)

// ARM is the dialect of the Resource Provider Contract.
type ARM struct{}

// Parse does nothing, because the engine itself parses what the contract defines.
func (ARM) Parse(*Service, *Request, *http.Request) {}

// Refuse returns a 404 if another caller started the operation.
func (d ARM) Refuse(_ *Service, q *Request) (Answer, bool) {
	if !q.Foreign() {
		return Answer{}, false
	}
	return d.NotFound(q, q.Path), true
}

// Plan returns p with its zero values replaced by the contract's defaults for q's method.
func (ARM) Plan(p Plan, q *Request) Plan { return p.Complete(q.Method) }

// Paths returns the paths of op's URLs. Each path starts with the result of Scope for op's target.
func (ARM) Paths(_ *Service, op *Operation) map[string]string {
	root := Scope(op.Target)
	return map[string]string{
		StatusURL:  root + "/operationsStatuses/" + op.ID,
		ResultURL:  root + "/operationResults/" + op.ID,
		MonitorURL: root + "/operations/" + op.ID,
	}
}

// EndWord returns the status of op after its end: the plan's EndWord if it is set and op ended as
// planned, and the Ending otherwise.
func (ARM) EndWord(op *Operation) string {
	if op.Ending == op.Plan.Ending {
		return cmp.Or(op.Plan.EndWord, string(op.Ending))
	}
	return string(op.Ending)
}

// Failure returns an error response in the contract's format.
func (ARM) Failure(_ *Request, code int, e Error) Answer { return Failure(code, e) }

// NotFound returns a 404.
func (ARM) NotFound(_ *Request, path string) Answer {
	return Failure(http.StatusNotFound, Error{Code: "ResourceNotFound", Message: "The resource '" + path + "' was not found.", Target: path})
}

// Conflict returns a 409 whose message contains the status of the operation in progress.
func (ARM) Conflict(_ *Request, path string, busy *Operation) Answer {
	return Failure(http.StatusConflict, Error{Code: "Conflict", Message: "The resource is busy: " + busy.Status(), Target: path})
}

// IsCollection reports whether path has an odd number of segments. Types and names alternate, and a
// collection's path ends with a type.
func (ARM) IsCollection(path string) bool { return Segments(path)%2 == 1 }

// Listing returns the contract's page format, with the members value and nextLink.
func (ARM) Listing(string) Listing {
	return Listing{Items: "/value", Link: "/nextLink", Param: skipToken}
}

// IDHeaders returns ARM's headers for the request ID and the correlation ID.
func (ARM) IDHeaders() (request, trace string) {
	return "X-Ms-Request-Id", "X-Ms-Correlation-Request-Id"
}

// Show returns the response body for a GET of res. op is the operation in
// progress on res, or nil.
func (ARM) Show(_ *Service, res *Resource, op *Operation, _ string) []byte {
	o := res.Object()
	o["id"] = res.Path
	o["type"] = TypeOf(res.Path)
	_, o["name"] = Cut(res.Path)
	SetProperty(o, "provisioningState", res.Status(op))
	return Encode(o)
}

// Look answers a GET of one of q.Op's URLs or, if the client polls the resource instead, a GET of
// the resource.
func (ARM) Look(s *Service, q *Request) Answer {
	op := q.Op
	switch q.View {
	case StatusURL:
		return JSON(http.StatusOK, Encode(op.StatusDocument()))
	case MonitorURL:
		return JSON(http.StatusOK, Encode(op.monitorDocument()))
	case ResultURL:
		if !op.Running() {
			return op.final()
		}
		a := Answer{StatusCode: http.StatusAccepted, Header: make(http.Header)}
		a.Header.Set("Location", op.First.Link(op.Paths()[ResultURL]))
		return a
	}
	// Do not call s.Read while op is in progress. s.Read can end op, so that the last poll that
	// should report progress would report the end instead.
	if res := s.Resources[Key(op.Target)]; res != nil && op.Running() {
		return s.show(q, res, op)
	}
	return s.Read(q)
}

// Cancel cancels q.Op. If the operation has already ended, a POST gets a 409, but a DELETE still
// gets a 204.
func (ARM) Cancel(s *Service, q *Request) Answer {
	s.Settle(q.Op)
	wasRunning := q.Op.Running()
	if wasRunning {
		s.End(q.Op, Canceled, Error{}, time.Now())
	}
	if q.Method == http.MethodDelete {
		return Answer{StatusCode: http.StatusNoContent}
	}
	if wasRunning {
		return Answer{StatusCode: http.StatusAccepted}
	}
	return Failure(http.StatusConflict, Error{Code: "OperationNotCancelable", Message: "The operation has ended: " + q.Op.Status()})
}
