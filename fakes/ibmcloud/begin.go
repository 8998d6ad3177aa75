package ibmcloud

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Begin answers a request that starts an operation.
func (d dialect) Begin(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	switch q.Method {
	case http.MethodPost:
		if !d.creates(q.Path) {
			return d.act(s, q)
		}
		if parent, _ := engine.Cut(q.Path); parent != prefix(q.Path) {
			if res, _ := s.Visible(parent); res == nil {
				return d.NotFound(q, parent), nil
			}
		}
		q.Target = q.Path + "/" + engine.GUID("a", len(s.Operations)+1)
		return s.BeginWrite(q)
	case http.MethodDelete:
		return d.delete(s, q)
	case http.MethodGet: // this GET starts an operation, because a plan says so
		op := s.Start(q)
		return d.First(s, q, op), op
	}
	_, q.Upserts = deployment(s, q.Path) // a part of a deployment, such as its configuration, always exists
	return s.BeginWrite(q)
}

func (d dialect) delete(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	res, busy := s.Find(q.Path)
	_, task := deployment(s, q.Path)
	switch {
	case res == nil && !task:
		return d.NotFound(q, q.Path), nil
	case busy != nil:
		return d.Conflict(q, q.Path, busy), nil
	case res != nil && res.State == removed:
		return d.Failure(q, http.StatusGone, engine.Error{Code: "gone", Message: "The resource has been removed."}), nil
	}
	op := s.Start(q)
	return d.First(s, q, op), op
}

// act answers a POST that does not create a resource. The operation acts on the parent resource. If
// the style reports the status in a resource, the parent resource reports it.
func (d dialect) act(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	if d.IsCollection(q.Path) {
		q.Target, _ = engine.Cut(q.Path)
	}
	res, busy := s.Visible(q.Target)
	_, task := deployment(s, q.Path)
	switch {
	case res == nil && !task:
		return d.NotFound(q, q.Target), nil
	case busy != nil:
		return d.Conflict(q, q.Target, busy), nil
	}
	op := s.Start(q)
	return d.First(s, q, op), op
}

// deployment returns the name of the Cloud Databases deployment that contains
// path. The name may be a CRN, which contains a slash.
func deployment(s *engine.Service, path string) (name string, ok bool) {
	for k, res := range s.Resources {
		if !engine.Under(path, k) || !strings.HasPrefix(k, deployments+"/") || res.Hidden {
			continue
		}
		if found := res.Path[len(deployments)+1:]; !ok || len(found) < len(name) {
			name, ok = found, true
		}
	}
	return name, ok
}

// First returns the first response of op.
func (d dialect) First(s *engine.Service, q *engine.Request, op *engine.Operation) engine.Answer {
	style := op.Plan.Style
	if style == engine.Synchronous {
		op.Reported = true
		s.End(op, op.Plan.Ending, op.Plan.Error, time.Now())
		return d.final(q, op)
	}
	code, res := d.beginCode(op), s.Resources[engine.Key(op.Target)]
	if code == http.StatusNoContent || res == nil && !operates(style) {
		return engine.Answer{StatusCode: code}
	}
	a := engine.JSON(code, nil)
	switch {
	case style.Has(Task):
		a.Body = engine.Encode(d.task(op))
	case operates(style):
		a.Body = engine.Encode(d.operation(op))
		href := d.href(op, op.Paths[operations])
		if style.Has(engine.Location) {
			a.Header.Set("Location", href)
		}
		if style.Has(ContentLocation) {
			a.Header.Set("Content-Location", href)
		}
	default:
		a.Body = d.Show(s, res, op, q.Base)
	}
	op.SetRetryAfter(a)
	return a
}

// beginCode returns the status code of the first response of op. VPC answers a
// DELETE as if the resource were already gone.
func (dialect) beginCode(op *engine.Operation) int {
	const vpc = ResourceStatus | LifecycleState | ProvisioningStatus
	style := op.Plan.Style
	switch {
	case op.Plan.StatusCode != 0:
		return op.Plan.StatusCode
	case operates(style) || style.Has(LastOperation):
		return http.StatusAccepted
	case op.Method == http.MethodDelete && style.Has(vpc):
		return http.StatusNoContent
	case doing(op.First) == creating:
		return http.StatusCreated
	case op.Method == http.MethodPatch || op.Method == http.MethodPut:
		return http.StatusOK
	}
	return http.StatusAccepted
}

// final returns the response of a synchronous operation.
func (d dialect) final(q *engine.Request, op *engine.Operation) engine.Answer {
	code := op.Plan.StatusCode
	switch {
	case op.Ending != engine.Succeeded:
		return d.Failure(q, op.Plan.FailureCode, op.Failure)
	case op.Result != nil && op.Created:
		return engine.JSON(cmp.Or(code, http.StatusCreated), op.Result)
	case op.Result != nil:
		return engine.JSON(cmp.Or(code, http.StatusOK), op.Result)
	case op.Plan.Result != nil:
		return engine.JSON(cmp.Or(code, http.StatusOK), engine.Encode(op.Plan.Result))
	}
	return engine.Answer{StatusCode: cmp.Or(code, http.StatusNoContent)}
}

// Cancel cancels an operation. A DELETE of the operation's URL is idempotent, but a DELETE of
// last_operation is not.
func (d dialect) Cancel(s *engine.Service, q *engine.Request) engine.Answer {
	op := q.Op
	s.Settle(op)
	wasRunning := op.Running()
	if q.Method != http.MethodDelete || q.View == tasks {
		return d.NotFound(q, q.Path)
	}
	if wasRunning {
		s.End(op, engine.Canceled, engine.Error{}, time.Now())
	}
	if q.View != undo {
		return engine.Answer{StatusCode: http.StatusNoContent}
	}
	res := s.Resources[engine.Key(op.Target)]
	if !wasRunning || res == nil {
		return d.Failure(q, http.StatusConflict, engine.Error{Code: "conflict", Message: "The last operation has ended."})
	}
	return engine.JSON(http.StatusAccepted, d.Show(s, res, nil, q.Base))
}
