package engine

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/patch"
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

// BeginWrite answers a PUT or PATCH, or a POST that creates a resource.
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
	// The contract requires a 400 for a provisioningState that "does not match the value on the
	// server".
	if res != nil && state != "" && state != res.State {
		return d.Failure(q, http.StatusBadRequest, Error{Code: "InvalidRequestContent", Message: "provisioningState is read-only.", Target: "properties.provisioningState"}), nil
	}

	if a, unmet := s.unmet(q, res, nil); unmet {
		return a, nil
	}

	q.Creates = res == nil
	op := s.Start(q)
	if !op.Refused() {
		s.write(op, res, body)
	}
	return d.First(s, q, op), op
}

// write creates or changes the resource of op. res is the resource before the write, or nil. If op
// changes a resource and does not succeed, updateResource restores the old body.
func (s *Service) write(op *Operation, res *Resource, body Object) {
	op.Created = res == nil
	if op.Created {
		s.Store(&Resource{Path: op.Target, Body: Encode(body), Hidden: op.Plan.Hidden})
		return
	}
	op.before = res.Body
	if op.Method == http.MethodPatch {
		body = patch.Merge(res.Object(), body)
	}
	res.Body = Encode(body)
}

// Superseded is the error of an operation that another operation has
// superseded.
var Superseded = Error{Code: "Canceled", Message: "This operation was superseded by another"}

// beginDelete answers a DELETE, which supersedes any operation that creates or changes the
// resource.
func (s *Service) beginDelete(q *Request) (Answer, *Operation) {
	res, busy := s.Find(q.Path)
	if res == nil {
		return Answer{StatusCode: http.StatusNoContent}, nil
	}
	if busy != nil && busy.Method == http.MethodDelete {
		return s.Dialect.Conflict(q, q.Path, busy), nil
	}
	if a, unmet := s.unmet(q, res, busy); unmet {
		return a, nil
	}
	if busy != nil {
		s.End(busy, Canceled, Superseded, time.Now())
		res.Hidden = false
		s.Store(res) // End removes a hidden resource, so put it back
	}
	op := s.Start(q)
	return s.Dialect.First(s, q, op), op
}

// beginAction answers a POST, or a GET that starts an operation.
func (s *Service) beginAction(q *Request) (Answer, *Operation) {
	if a, refused := s.refuseAction(q); refused {
		return a, nil
	}
	op := s.Start(q)
	return s.Dialect.First(s, q, op), op
}

// refuseAction refuses an action if its resource is missing or busy, or if the same action is in
// progress. It never refuses an action on a scope such as a resource group.
func (s *Service) refuseAction(q *Request) (Answer, bool) {
	parent, _ := Cut(q.Path)
	if q.Method != http.MethodPost || !s.Dialect.IsCollection(q.Path) || IsScope(parent) {
		return Answer{}, false
	}
	res, busy := s.Visible(parent)
	if res == nil {
		return s.Dialect.NotFound(q, parent), true
	}
	if busy == nil {
		_, busy = s.Find(q.Path)
	}
	if busy != nil {
		return s.Dialect.Conflict(q, q.Path, busy), true
	}
	return Answer{}, false
}

// beginCode returns the status code of op's first response.
func (op *Operation) beginCode() int {
	if op.Plan.StatusCode != 0 {
		return op.Plan.StatusCode
	}
	if op.Method == http.MethodPut && op.Plan.Style != Location {
		return op.WriteCode()
	}
	if op.Method == http.MethodPatch && op.Plan.Style == ProvisioningState {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// pollingURLs lists the headers in which a first response sends a URL to poll.
var pollingURLs = []struct {
	style  Style
	header string
	view   string
}{
	{AzureAsyncOperation, "Azure-AsyncOperation", StatusURL},
	{OperationLocation, "Operation-Location", MonitorURL},
	{Location, "Location", ResultURL},
}

// First returns the response to the request that started op.
func (ARM) First(s *Service, q *Request, op *Operation) Answer {
	if op.Plan.Style == Synchronous {
		return s.finishSynchronous(op)
	}

	a := Answer{StatusCode: op.beginCode(), Header: make(http.Header)}
	if res := s.Resources[Key(op.Target)]; res != nil && op.showsResource(a.StatusCode) {
		a = s.tagged(JSON(a.StatusCode, s.Dialect.Show(s, res, op, q.Base)))
	}
	for _, u := range pollingURLs {
		if op.Plan.Style.Has(u.style) {
			a.Header.Set(u.header, q.Link(op.Paths()[u.view]))
		}
	}
	op.SetRetryAfter(a)
	s.acceptNotification(q, op, a)
	return a
}

// finishSynchronous ends the synchronous operation op and returns its only response.
func (s *Service) finishSynchronous(op *Operation) Answer {
	op.Reported = true
	s.End(op, op.Plan.Ending, op.Plan.Error, op.Start)
	a := op.final()
	if op.Ending == Succeeded && op.writes() {
		a = s.tagged(a)
	}
	if op.Ending == Succeeded && op.Plan.StatusCode != 0 {
		a.StatusCode = op.Plan.StatusCode
	}
	return a
}

// showsResource reports whether the first response of op, with the given status code, contains the
// resource. A 202 does so only with Echo, because the contract says "202 Accepted should return no
// response body".
func (op *Operation) showsResource(code int) bool {
	switch code {
	case http.StatusNoContent:
		return false
	case http.StatusAccepted:
		return op.Plan.Echo
	}
	return op.Method == http.MethodPut || op.Method == http.MethodPatch
}
