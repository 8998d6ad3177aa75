package fakes

import (
	"net/http"
	"time"
)

// begin answers a request that starts an operation.
func (arm) begin(s *Service, q *question) (Answer, *operation) {
	switch q.method {
	case http.MethodPut, http.MethodPatch:
		return s.beginWrite(q)
	case http.MethodDelete:
		return s.beginDelete(q)
	}
	return s.beginAction(q)
}

// beginWrite answers a PUT or PATCH.
func (s *Service) beginWrite(q *question) (Answer, *operation) {
	d := s.speech()
	res, busy := s.find(q.target)
	if busy != nil {
		return d.conflict(q, q.target, busy), nil
	}
	if q.method == http.MethodPatch && res == nil && !q.upserts {
		return d.notFound(q, q.target), nil
	}
	body, state, err := parseResource(q.body)
	if err != nil {
		return d.failure(q, http.StatusBadRequest, Error{Code: "InvalidRequestContent", Message: "The request content is not a JSON object: " + err.Error()}), nil
	}
	// The contract: one that "does not match the value on the server" is a 400.
	if res != nil && state != "" && state != res.state {
		return d.failure(q, http.StatusBadRequest, Error{Code: "InvalidRequestContent", Message: "provisioningState is read-only.", Target: "properties.provisioningState"}), nil
	}
	q.creates = res == nil
	op := s.start(q)
	if op.refused() {
		return d.first(s, q, op), op
	}
	s.write(op, res, body)
	return d.first(s, q, op), op
}

// write changes or creates the resource of op, where res is the resource
// before, or nil. If op fails, apply reverts the change.
func (s *Service) write(op *operation, res *resource, body object) {
	op.created = res == nil
	if res == nil {
		res = &resource{path: op.target, hidden: s.speech().hides(op)}
		s.resources[key(op.target)] = res
	} else {
		op.before = res.body
	}
	if op.method == http.MethodPatch && !op.created {
		body = merge(res.body, body)
	}
	res.body = body
}

// superseded is the error of an operation that another one canceled.
var superseded = Error{Code: "Canceled", Message: "This operation was superseded by another"}

func (s *Service) beginDelete(q *question) (Answer, *operation) {
	res, busy := s.find(q.path)
	switch {
	case res == nil:
		return Answer{StatusCode: http.StatusNoContent}, nil
	case busy != nil && busy.method == http.MethodDelete:
		return s.speech().conflict(q, q.path, busy), nil
	case busy != nil:
		s.end(busy, Canceled, superseded, time.Now())
		res.hidden = false
		s.resources[key(q.path)] = res // even if it was being created and not visible
	}
	op := s.start(q)
	return s.speech().first(s, q, op), op
}

// beginAction answers a POST, and a GET that starts an operation. The resource
// above an action must exist, unless it is a scope such as a resource group.
func (s *Service) beginAction(q *question) (Answer, *operation) {
	d := s.speech()
	if parent, _ := cut(q.path); q.method == http.MethodPost && d.collection(q.path) && !isScope(parent) {
		res, busy := s.visible(parent)
		if res == nil {
			return d.notFound(q, parent), nil
		}
		if busy == nil {
			_, busy = s.find(q.path)
		}
		if busy != nil {
			return d.conflict(q, q.path, busy), nil
		}
	}
	op := s.start(q)
	return d.first(s, q, op), op
}

// start creates the operation of a valid request.
func (s *Service) start(q *question) *operation {
	op := &operation{
		id:     guid("0", len(s.operations)+1),
		plan:   s.take(q),
		method: q.method,
		target: q.target,
		begun:  q,
		start:  time.Now(),
	}
	s.operations[op.id] = op
	op.paths = s.speech().places(s, op)
	for view, path := range op.paths {
		s.places[key(path)] = place{op, view}
	}
	if !op.refused() {
		s.latest[key(op.target)] = op
	}
	return op
}

// refused reports whether the operation fails in its first response, so that it
// changes nothing.
func (op *operation) refused() bool {
	return op.plan.Style == Synchronous && op.plan.Ending != Succeeded
}

// beginCode returns the status code of the first response of op.
func (op *operation) beginCode() int {
	switch {
	case op.plan.StatusCode != 0:
		return op.plan.StatusCode
	case op.method == http.MethodPut && op.plan.Style != Location:
		return op.writeCode()
	case op.method == http.MethodPatch && op.plan.Style == ProvisioningState:
		return http.StatusOK
	}
	return http.StatusAccepted
}

// writeCode returns the status code for a PUT or PATCH whose resource is in the
// response.
func (op *operation) writeCode() int {
	if op.created {
		return http.StatusCreated
	}
	return http.StatusOK
}

// first returns the first response of op.
func (d arm) first(s *Service, q *question, op *operation) Answer {
	if op.plan.Style == Synchronous {
		op.told = true
		s.end(op, op.plan.Ending, op.plan.Error, op.start)
		a := op.final()
		if op.ending == Succeeded && op.plan.StatusCode != 0 {
			a.StatusCode = op.plan.StatusCode
		}
		return a
	}
	a := Answer{StatusCode: op.beginCode(), Header: make(http.Header)}
	if res := s.resources[key(op.target)]; res != nil && op.showsResource(a.StatusCode) {
		a = jsonAnswer(a.StatusCode, d.show(s, res, op, q.base))
	}
	for style, view := range map[Style]string{AzureAsyncOperation: statuses, OperationLocation: monitors, Location: results} {
		if op.plan.Style&style != 0 {
			a.Header.Set(headers[style], q.link(op.paths[view]))
		}
	}
	op.hint(a)
	s.offer(q, op, a)
	return a
}

// headers has the header of each style that uses one.
var headers = map[Style]string{
	AzureAsyncOperation: "Azure-AsyncOperation",
	OperationLocation:   "Operation-Location",
	Location:            "Location",
}

// showsResource reports whether the first response of op contains the resource:
// "202 Accepted should return no response body".
func (op *operation) showsResource(code int) bool {
	switch code {
	case http.StatusNoContent:
		return false
	case http.StatusAccepted:
		return op.plan.Echo
	}
	return op.method == http.MethodPut || op.method == http.MethodPatch
}
