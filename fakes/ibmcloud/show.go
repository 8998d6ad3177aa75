package ibmcloud

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
	"github.com/lro-go/lro/fakes/internal/patch"
)

// Show returns the response body for a GET of res. If the style of the resource's last operation
// reports the status in the resource, the body includes that status.
func (d dialect) Show(s *engine.Service, res *engine.Resource, _ *engine.Operation, base string) []byte {
	o := res.Object()
	_, name := engine.Cut(res.Path)
	o["id"] = name
	o["href"] = base + (&url.URL{Path: res.Path}).EscapedPath()
	parent, _ := engine.Cut(res.Path)
	if engine.Key(parent) == instances {
		identifyInstance(o, name, res.Path)
	}

	last := s.Latest[engine.Key(res.Path)]
	if last == nil || usesOperation(last.Plan.Style) {
		return engine.Encode(o)
	}
	o[wordingOf(last.Plan.Style).member] = last.Status()
	if last.Plan.Style.Has(LastOperation) {
		o["last_operation"] = d.lastOperation(last)
		return engine.Encode(o)
	}
	if !last.Running() && !last.Succeeded() {
		d.explain(o, last)
	}
	return engine.Encode(o)
}

// identifyInstance sets the id, guid, url and default state of a Resource Controller instance, and
// removes the href that other resources have.
func identifyInstance(o engine.Object, guid, path string) {
	delete(o, "href")
	o["id"] = crn(guid, ":")
	o["guid"] = guid
	o["url"] = path
	if o["state"] == nil {
		o["state"] = "active"
	}
}

// explain adds the reason for op's failure to the resource o, if the style has a member for the
// reason.
func (d dialect) explain(o engine.Object, op *engine.Operation) {
	reasons := d.reasons(*op.Failure)
	style := op.Plan.Style
	switch {
	case style.Has(ResourceStatus):
		o["status_reasons"] = reasons
	case style.Has(LifecycleState):
		o["lifecycle_reasons"] = reasons
	case style.Has(AppStatus):
		o["status_details"] = engine.Object{"reason": reasons[0].Code}
	}
}

// operation returns the operation resource for op, in the handbook's format.
func (d dialect) operation(op *engine.Operation) engine.Object {
	o := engine.Object{"id": op.ID, "href": d.href(op, op.Paths()[operations]), "status": op.Status()}
	if op.Plan.Percent {
		o["percent_complete"] = op.Percent(time.Now())
	}
	if op.Running() {
		return o
	}

	if !op.Succeeded() {
		// A failure or a planned cancellation has an error. A cancellation by a client does not.
		if op.Ending == engine.Failed || op.Plan.Ending == engine.Canceled {
			o["errors"] = d.errors(*op.Failure)
			o["trace"] = op.First.ID
		}
		return o
	}
	if op.Method != http.MethodDelete && op.Method != http.MethodGet {
		patch.Set(o, cmp.Or(d.opts.Target, "/resource/href"), d.href(op, op.Target))
	}
	if op.Plan.Result != nil {
		o["result"] = op.Plan.Result
	}
	return o
}

// lastOperation returns the last_operation member of a Resource Controller instance.
func (d dialect) lastOperation(op *engine.Operation) engine.Object {
	o := engine.Object{
		"type":        changeKind(op.First),
		"state":       "succeeded",
		"description": "Completed",
		"async":       true,
		"cancelable":  op.Running(),
		"poll":        op.Running(),
	}
	if op.Running() {
		o["state"] = "in progress"
		o["description"] = "Started"
		o["poll_after"] = int64(9)
		if op.Plan.RetryAfter > 0 {
			o["poll_after"] = engine.WholeSeconds(op.Plan.RetryAfter)
		}
		return o
	}

	if !op.Succeeded() {
		o["state"] = "failed"
		o["description"] = op.Failure.Message
		o["reason_code"] = d.reasons(*op.Failure)[0].Code
	}
	return o
}

// task returns the Cloud Databases task for op.
func (dialect) task(op *engine.Operation) engine.Object {
	o := engine.Object{
		"id":               crn(op.Memo, "task:"+op.ID),
		"status":           op.Status(),
		"progress_percent": op.Percent(time.Now()),
		"deployment_id":    op.Memo,
		"description":      "The " + changeKind(op.First) + " of " + op.Target,
	}
	if !op.Running() && op.Ending != engine.Succeeded {
		o["description"] = op.Failure.Message
	}
	return engine.Object{"task": o}
}

// A failure is an error in the handbook's format.
type failure struct {
	Code     string  `json:"code"`
	Message  string  `json:"message"`
	MoreInfo string  `json:"more_info,omitempty"`
	Target   *target `json:"target,omitempty"`
}

type target struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// handbookCodes maps error codes of package fakes to codes in the handbook's style.
var handbookCodes = map[string]string{
	"InvalidRequestContent": "invalid_request_content",
	"InvalidSkipToken":      "invalid_start",
	"MethodNotAllowed":      "method_not_allowed",
	"OperationFailed":       "operation_failed",
	"Canceled":              "canceled",
}

// errors returns the entries of the errors array that describe e and its Details.
func (d dialect) errors(e engine.Error) []failure {
	var list []failure
	if e.Code != "" || e.Message != "" {
		entry := failure{Code: cmp.Or(handbookCodes[e.Code], e.Code), Message: e.Message}
		if d.opts.MoreInfo != "" {
			entry.MoreInfo = d.opts.MoreInfo + entry.Code
		}
		if e.Target != "" {
			entry.Target = &target{Type: "field", Name: e.Target}
		}
		list = append(list, entry)
	}
	for _, detail := range e.Details {
		list = append(list, d.errors(detail)...)
	}
	return list
}

// reasons returns entries that describe e and its Details, for a member of a resource such as
// status_reasons. Unlike the entries of an error response, they have no targets.
func (d dialect) reasons(e engine.Error) []failure {
	list := d.errors(e)
	for i := range list {
		list[i].Target = nil
	}
	return list
}

// Failure returns an error response in the handbook's format.
func (d dialect) Failure(q *engine.Request, code int, e engine.Error) engine.Answer {
	return engine.JSON(code, engine.Encode(struct {
		Trace      string    `json:"trace"`
		Errors     []failure `json:"errors"`
		StatusCode int       `json:"status_code"`
	}{q.ID, d.errors(e), code}))
}

// NotFound returns a 404.
func (d dialect) NotFound(q *engine.Request, path string) engine.Answer {
	return d.Failure(q, http.StatusNotFound, engine.Error{Code: "not_found", Message: "The resource '" + path + "' was not found."})
}

// Conflict returns a 409 whose message contains the status of the operation in progress.
func (d dialect) Conflict(q *engine.Request, path string, busy *engine.Operation) engine.Answer {
	return d.Failure(q, http.StatusConflict, engine.Error{Code: "conflict", Message: "The resource '" + path + "' is busy: " + busy.Status()})
}

// href returns the URL of path for a response about op. The URL is relative if Options.Relative is
// true.
func (d dialect) href(op *engine.Operation, path string) string {
	href := (&url.URL{Path: path}).EscapedPath()
	if d.opts.Relative {
		return href
	}
	return op.First.Base + href
}

// Look answers a GET of one of q.Op's URLs or, if the client polls the resource instead, a GET of
// the resource.
func (d dialect) Look(s *engine.Service, q *engine.Request) engine.Answer {
	op := q.Op
	switch q.View {
	case operations:
		return engine.JSON(http.StatusOK, engine.Encode(d.operation(op)))
	case tasks:
		return engine.JSON(http.StatusOK, engine.Encode(d.task(op)))
	}
	// Do not call s.Read while op is in progress. s.Read can end op, so that the last poll that
	// should report progress would report the end instead.
	if res := s.Resources[engine.Key(op.Target)]; res != nil && op.Running() {
		return engine.JSON(http.StatusOK, d.Show(s, res, op, q.Base))
	}
	return s.Read(q)
}
