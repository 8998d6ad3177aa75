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
		return d.beginPost(s, q)
	case http.MethodDelete:
		return d.beginDelete(s, q)
	case http.MethodGet: // a GET starts an operation only if a plan has the method GET
		op := s.Start(q)
		return d.First(s, q, op), op
	}
	q.Upserts = inDeployment(s, q.Path) // a PATCH may create a part of a deployment, such as its configuration
	return s.BeginWrite(q)
}

// beginPost answers a POST, which creates a resource or invokes an action. The parent of a new
// resource must exist.
func (d dialect) beginPost(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	if !d.creates(q.Path) {
		return d.beginAction(s, q)
	}
	parent, _ := engine.Cut(q.Path)
	if parent != prefix(q.Path) {
		if res, _ := s.Visible(parent); res == nil {
			return d.NotFound(q, parent), nil
		}
	}
	q.Target = q.Path + "/" + engine.GUID("a", s.Started+1)
	return s.BeginWrite(q)
}

func (d dialect) beginDelete(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	res, busy := s.Find(q.Path)
	if res == nil && !inDeployment(s, q.Path) {
		return d.NotFound(q, q.Path), nil
	}
	if busy != nil {
		return d.Conflict(q, q.Path, busy), nil
	}
	if res != nil && res.State == removed {
		return d.Failure(q, http.StatusGone, engine.Error{Code: "gone", Message: "The resource has been removed."}), nil
	}
	op := s.Start(q)
	return d.First(s, q, op), op
}

// beginAction answers a POST that invokes an action. The operation acts on the action's parent,
// such as /v1/widgets/w1 for /v1/widgets/w1/restart.
func (d dialect) beginAction(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	if d.IsCollection(q.Path) {
		q.Target, _ = engine.Cut(q.Path)
	}
	res, busy := s.Visible(q.Target)
	if res == nil && !inDeployment(s, q.Path) {
		return d.NotFound(q, q.Target), nil
	}
	if busy != nil {
		return d.Conflict(q, q.Target, busy), nil
	}
	op := s.Start(q)
	return d.First(s, q, op), op
}

// deployment returns the name of the Cloud Databases deployment that contains path, or "" if none
// does. The name may be a CRN, which contains a slash.
func deployment(s *engine.Service, path string) string {
	k := engine.Key(path)
	if !strings.HasPrefix(k, deployments+"/") {
		return ""
	}
	for i := len(deployments) + 1; i <= len(k); i++ {
		if i < len(k) && k[i] != '/' {
			continue
		}
		res := s.Resources[k[:i]]
		if res != nil && !res.Hidden {
			return res.Path[len(deployments)+1:]
		}
	}
	return ""
}

// inDeployment reports whether path is the path of a deployment or of a part of one.
func inDeployment(s *engine.Service, path string) bool { return deployment(s, path) != "" }

// First returns the response to the request that started op.
func (d dialect) First(s *engine.Service, q *engine.Request, op *engine.Operation) engine.Answer {
	if op.Plan.Style == engine.Synchronous {
		op.Reported = true
		s.End(op, op.Plan.Ending, op.Plan.Error, time.Now())
		return d.final(q, op)
	}

	code := beginCode(op)
	if code == http.StatusNoContent {
		return engine.Answer{StatusCode: code}
	}
	if usesOperation(op.Plan.Style) {
		a := d.firstOperation(code, op)
		op.SetRetryAfter(a)
		return a
	}
	res := s.Resources[engine.Key(op.Target)]
	if res == nil {
		return engine.Answer{StatusCode: code}
	}
	a := engine.JSON(code, d.Show(s, res, op, q.Base))
	op.SetRetryAfter(a)
	return a
}

// firstOperation returns a first response that contains a task or an operation resource.
func (d dialect) firstOperation(code int, op *engine.Operation) engine.Answer {
	style := op.Plan.Style
	if style.Has(Task) {
		return engine.JSON(code, engine.Encode(d.task(op)))
	}

	a := engine.JSON(code, engine.Encode(d.operation(op)))
	href := d.href(op, op.Paths()[operations])
	if style.Has(engine.Location) {
		a.Header.Set("Location", href)
	}
	if style.Has(ContentLocation) {
		a.Header.Set("Content-Location", href)
	}
	return a
}

// beginCode returns the status code of op's first response. VPC returns a 204 for a DELETE, as if
// the resource were already gone.
func beginCode(op *engine.Operation) int {
	const vpc = ResourceStatus | LifecycleState | ProvisioningStatus
	style := op.Plan.Style
	if op.Plan.StatusCode != 0 {
		return op.Plan.StatusCode
	}
	if usesOperation(style) || style.Has(LastOperation) {
		return http.StatusAccepted
	}
	if op.Method == http.MethodDelete && style.Has(vpc) {
		return http.StatusNoContent
	}
	if changeKind(op.First) == creating {
		return http.StatusCreated
	}
	if op.Method == http.MethodPatch || op.Method == http.MethodPut {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// final returns the response to the request that started the synchronous operation op.
func (d dialect) final(q *engine.Request, op *engine.Operation) engine.Answer {
	if op.Ending != engine.Succeeded {
		return d.Failure(q, op.Plan.FailureCode, *op.Failure)
	}

	code := op.Plan.StatusCode
	if op.Result != nil {
		return engine.JSON(cmp.Or(code, op.WriteCode()), op.Result)
	}
	if op.Plan.Result != nil {
		return engine.JSON(cmp.Or(code, http.StatusOK), engine.Encode(op.Plan.Result))
	}
	return engine.Answer{StatusCode: cmp.Or(code, http.StatusNoContent)}
}

// Cancel cancels q.Op. If the operation has already ended, a DELETE of an operation resource still
// succeeds, but a DELETE of last_operation gets a 409.
func (d dialect) Cancel(s *engine.Service, q *engine.Request) engine.Answer {
	op := q.Op
	s.Settle(op)
	if q.Method != http.MethodDelete || q.View == tasks {
		return d.NotFound(q, q.Path)
	}

	wasRunning := op.Running()
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
