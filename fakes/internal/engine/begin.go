package engine

import (
	"net/http"
	"time"
)

// Begin answers a request that starts an operation.
func (ARM) Begin(s *Service, q *Request) (Answer, *Operation) {
	switch q.Method {
	case http.MethodPut, http.MethodPatch:
		return s.BeginWrite(q)
	case http.MethodDelete:
		return s.beginDelete(q)
	}
	return s.beginAction(q)
}

// BeginWrite answers a PUT or PATCH.
func (s *Service) BeginWrite(q *Request) (Answer, *Operation) {
	d := s.Dialect
	res, busy := s.Find(q.Target)
	if busy != nil {
		return d.Conflict(q, q.Target, busy), nil
	}
	if q.Method == http.MethodPatch && res == nil && !q.Upserts {
		return d.NotFound(q, q.Target), nil
	}
	body, state, err := ParseResource(q.Body)
	if err != nil {
		return d.Failure(q, http.StatusBadRequest, Error{Code: "InvalidRequestContent", Message: "The request content is not a JSON object: " + err.Error()}), nil
	}
	// The contract requires a 400 for a value that "does not match the value on
	// the server".
	if res != nil && state != "" && state != res.State {
		return d.Failure(q, http.StatusBadRequest, Error{Code: "InvalidRequestContent", Message: "provisioningState is read-only.", Target: "properties.provisioningState"}), nil
	}
	q.Creates = res == nil
	op := s.Start(q)
	if op.Refused() {
		return d.First(s, q, op), op
	}
	s.write(op, res, body)
	return d.First(s, q, op), op
}

// write changes or creates the resource of op. res is the resource before the
// write, or nil if the resource did not exist. If op fails, the method apply
// reverts the change.
func (s *Service) write(op *Operation, res *Resource, body Object) {
	op.Created = res == nil
	if res == nil {
		res = &Resource{Path: op.Target, Hidden: op.Plan.Hidden}
		s.Resources[Key(op.Target)] = res
	} else {
		op.before = res.Body
	}
	if op.Method == http.MethodPatch && !op.Created {
		body = merge(res.Body, body)
	}
	res.Body = body
}

// Superseded is the error of an operation that was canceled by another
// operation.
var Superseded = Error{Code: "Canceled", Message: "This operation was superseded by another"}

func (s *Service) beginDelete(q *Request) (Answer, *Operation) {
	res, busy := s.Find(q.Path)
	switch {
	case res == nil:
		return Answer{StatusCode: http.StatusNoContent}, nil
	case busy != nil && busy.Method == http.MethodDelete:
		return s.Dialect.Conflict(q, q.Path, busy), nil
	case busy != nil:
		s.End(busy, Canceled, Superseded, time.Now())
		res.Hidden = false
		s.Resources[Key(q.Path)] = res // End removes a hidden resource, so put it back
	}
	op := s.Start(q)
	return s.Dialect.First(s, q, op), op
}

// beginAction answers a POST, or a GET that starts an operation. The parent
// resource of an action must exist, unless it is a scope such as a resource
// group.
func (s *Service) beginAction(q *Request) (Answer, *Operation) {
	d := s.Dialect
	if parent, _ := Cut(q.Path); q.Method == http.MethodPost && d.IsCollection(q.Path) && !IsScope(parent) {
		res, busy := s.Visible(parent)
		if res == nil {
			return d.NotFound(q, parent), nil
		}
		if busy == nil {
			_, busy = s.Find(q.Path)
		}
		if busy != nil {
			return d.Conflict(q, q.Path, busy), nil
		}
	}
	op := s.Start(q)
	return d.First(s, q, op), op
}

// Start creates the operation for q, which must be valid.
func (s *Service) Start(q *Request) *Operation {
	op := &Operation{
		ID:     GUID("0", len(s.Operations)+1),
		Plan:   s.take(q),
		Method: q.Method,
		Target: q.Target,
		First:  q,
		Start:  time.Now(),
	}
	s.Operations[op.ID] = op
	op.Paths = s.Dialect.Paths(s, op)
	for view, path := range op.Paths {
		s.places[Key(path)] = place{op, view}
	}
	if !op.Refused() {
		s.Latest[Key(op.Target)] = op
	}
	return op
}

// Refused reports whether the operation fails in its first response and
// therefore changes nothing.
func (op *Operation) Refused() bool {
	return op.Plan.Style == Synchronous && op.Plan.Ending != Succeeded
}

// beginCode returns the status code of the first response of op.
func (op *Operation) beginCode() int {
	switch {
	case op.Plan.StatusCode != 0:
		return op.Plan.StatusCode
	case op.Method == http.MethodPut && op.Plan.Style != Location:
		return op.WriteCode()
	case op.Method == http.MethodPatch && op.Plan.Style == ProvisioningState:
		return http.StatusOK
	}
	return http.StatusAccepted
}

// WriteCode returns the status code of a response to a PUT or PATCH that
// contains the resource: 201 if op has created the resource, and otherwise 200.
func (op *Operation) WriteCode() int {
	if op.Created {
		return http.StatusCreated
	}
	return http.StatusOK
}

// First returns the first response of op.
func (d ARM) First(s *Service, q *Request, op *Operation) Answer {
	if op.Plan.Style == Synchronous {
		op.Reported = true
		s.End(op, op.Plan.Ending, op.Plan.Error, op.Start)
		a := op.final()
		if op.Ending == Succeeded && op.Plan.StatusCode != 0 {
			a.StatusCode = op.Plan.StatusCode
		}
		return a
	}
	a := Answer{StatusCode: op.beginCode(), Header: make(http.Header)}
	if res := s.Resources[Key(op.Target)]; res != nil && op.showsResource(a.StatusCode) {
		a = JSON(a.StatusCode, d.Show(s, res, op, q.Base))
	}
	for style, view := range map[Style]string{AzureAsyncOperation: StatusURL, OperationLocation: MonitorURL, Location: ResultURL} {
		if op.Plan.Style&style != 0 {
			a.Header.Set(headers[style], q.Link(op.Paths[view]))
		}
	}
	op.SetRetryAfter(a)
	s.acceptNotification(q, op, a)
	return a
}

// headers maps each style that uses a header to the name of that header.
var headers = map[Style]string{
	AzureAsyncOperation: "Azure-AsyncOperation",
	OperationLocation:   "Operation-Location",
	Location:            "Location",
}

// showsResource reports whether a first response of op with this status code
// contains the resource. According to the contract, "202 Accepted should return
// no response body".
func (op *Operation) showsResource(code int) bool {
	switch code {
	case http.StatusNoContent:
		return false
	case http.StatusAccepted:
		return op.Plan.Echo
	}
	return op.Method == http.MethodPut || op.Method == http.MethodPatch
}
