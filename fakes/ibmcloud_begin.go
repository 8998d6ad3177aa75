package fakes

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// begin answers a request that starts an operation.
func (d ibm) begin(s *Service, q *question) (Answer, *operation) {
	switch q.method {
	case http.MethodPost:
		if !d.creates(q.path) {
			return d.act(s, q)
		}
		if parent, _ := cut(q.path); parent != prefix(q.path) {
			if res, _ := s.visible(parent); res == nil {
				return d.notFound(q, parent), nil
			}
		}
		q.target = q.path + "/" + guid("a", len(s.operations)+1)
		return s.beginWrite(q)
	case http.MethodDelete:
		return d.delete(s, q)
	case http.MethodGet: // where a plan says so
		op := s.start(q)
		return d.first(s, q, op), op
	}
	_, q.upserts = s.deployment(q.path) // a part of a deployment, such as its configuration, always exists
	return s.beginWrite(q)
}

func (d ibm) delete(s *Service, q *question) (Answer, *operation) {
	res, busy := s.find(q.path)
	_, task := s.deployment(q.path)
	switch {
	case res == nil && !task:
		return d.notFound(q, q.path), nil
	case busy != nil:
		return d.conflict(q, q.path, busy), nil
	case res != nil && res.state == removed:
		return d.failure(q, http.StatusGone, Error{Code: "gone", Message: "The resource has been removed."}), nil
	}
	op := s.start(q)
	return d.first(s, q, op), op
}

// act answers a POST that creates nothing. It acts on the resource above, and
// where resources show a status, that resource shows it.
func (d ibm) act(s *Service, q *question) (Answer, *operation) {
	if d.collection(q.path) {
		q.target, _ = cut(q.path)
	}
	res, busy := s.visible(q.target)
	_, task := s.deployment(q.path)
	switch {
	case res == nil && !task:
		return d.notFound(q, q.target), nil
	case busy != nil:
		return d.conflict(q, q.target, busy), nil
	}
	op := s.start(q)
	return d.first(s, q, op), op
}

// deployment returns the name of the deployment of Cloud Databases that path is
// in. The name may be a CRN, which contains a slash.
func (s *Service) deployment(path string) (name string, ok bool) {
	for k, res := range s.resources {
		if !under(path, k) || !strings.HasPrefix(k, deployments+"/") || res.hidden {
			continue
		}
		if found := res.path[len(deployments)+1:]; !ok || len(found) < len(name) {
			name, ok = found, true
		}
	}
	return name, ok
}

// first returns the first response of op.
func (d ibm) first(s *Service, q *question, op *operation) Answer {
	style := op.plan.Style
	if style == Synchronous {
		op.told = true
		s.end(op, op.plan.Ending, op.plan.Error, time.Now())
		return d.final(q, op)
	}
	code, res := d.beginCode(op), s.resources[key(op.target)]
	if code == http.StatusNoContent || res == nil && !style.operates() {
		return Answer{StatusCode: code}
	}
	a := jsonAnswer(code, nil)
	switch {
	case style.has(Task):
		a.Body = encode(d.task(op))
	case style.operates():
		a.Body = encode(d.operation(op))
		href := op.href(op.paths[operations])
		if style.has(Location) {
			a.Header.Set("Location", href)
		}
		if style.has(ContentLocation) {
			a.Header.Set("Content-Location", href)
		}
	default:
		a.Body = d.show(s, res, op, q.base)
	}
	op.hint(a)
	return a
}

// beginCode returns the status code of the first response of op. VPC answers a
// DELETE as if the resource were already gone.
func (ibm) beginCode(op *operation) int {
	const vpc = ResourceStatus | LifecycleState | ProvisioningStatus
	style := op.plan.Style
	switch {
	case op.plan.StatusCode != 0:
		return op.plan.StatusCode
	case style.operates() || style.has(LastOperation):
		return http.StatusAccepted
	case op.method == http.MethodDelete && style.has(vpc):
		return http.StatusNoContent
	case op.begun.doing() == creating:
		return http.StatusCreated
	case op.method == http.MethodPatch || op.method == http.MethodPut:
		return http.StatusOK
	}
	return http.StatusAccepted
}

// final returns the response of a synchronous operation.
func (d ibm) final(q *question, op *operation) Answer {
	code := op.plan.StatusCode
	switch {
	case op.ending != Succeeded:
		return d.failure(q, op.plan.FailureCode, op.failure)
	case op.result != nil && op.created:
		return jsonAnswer(cmp.Or(code, http.StatusCreated), op.result)
	case op.result != nil:
		return jsonAnswer(cmp.Or(code, http.StatusOK), op.result)
	case op.plan.Result != nil:
		return jsonAnswer(cmp.Or(code, http.StatusOK), encode(op.plan.Result))
	}
	return Answer{StatusCode: cmp.Or(code, http.StatusNoContent)}
}

// cancel cancels an operation. A DELETE of its URL is idempotent; a DELETE of
// last_operation is not.
func (d ibm) cancel(s *Service, q *question) Answer {
	op := q.op
	s.settle(op)
	wasRunning := op.running()
	if q.method != http.MethodDelete || q.view == tasks {
		return d.notFound(q, q.path)
	}
	if wasRunning {
		s.end(op, Canceled, Error{}, time.Now())
	}
	if q.view != undo {
		return Answer{StatusCode: http.StatusNoContent}
	}
	res := s.resources[key(op.target)]
	if !wasRunning || res == nil {
		return d.failure(q, http.StatusConflict, Error{Code: "conflict", Message: "The last operation has ended."})
	}
	return jsonAnswer(http.StatusAccepted, d.show(s, res, nil, q.base))
}
