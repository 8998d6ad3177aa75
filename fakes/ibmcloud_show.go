package fakes

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// show returns the resource as a GET shows it, including the status of its last
// operation.
func (d ibm) show(s *Service, res *resource, _ *operation, base string) []byte {
	o := maps.Clone(res.body)
	_, name := cut(res.path)
	o["id"], o["href"] = name, base+(&url.URL{Path: res.path}).EscapedPath()
	last := s.latest[key(res.path)]
	parent, _ := cut(res.path)
	if key(parent) == instances {
		delete(o, "href")
		o["id"], o["guid"], o["url"] = crn(name, ":"), name, res.path
		if o["state"] == nil {
			o["state"] = "active"
		}
	}
	if last == nil || last.plan.Style.operates() {
		return encode(o)
	}
	o[last.plan.Style.wording().member] = last.status()
	if last.plan.Style.has(LastOperation) {
		o["last_operation"] = d.lastOperation(last)
	} else if !last.running() && last.ending != Succeeded {
		d.explain(o, last)
	}
	return encode(o)
}

// explain adds the reason of a failure to a resource, for the services that
// report one.
func (d ibm) explain(o object, op *operation) {
	switch style := op.plan.Style; {
	case style.has(ResourceStatus):
		o["status_reasons"] = d.errors(op.failure, false)
	case style.has(LifecycleState):
		o["lifecycle_reasons"] = d.errors(op.failure, false)
	case style.has(AppStatus):
		o["status_details"] = object{"reason": d.errors(op.failure, false)[0].Code}
	}
}

// operation returns the operation resource of the handbook.
func (d ibm) operation(op *operation) object {
	o := object{"id": op.id, "href": op.href(op.paths[operations]), "status": op.status()}
	if op.plan.Percent {
		o["percent_complete"] = op.percent(time.Now())
	}
	switch {
	case op.running():
	case op.ending != Succeeded:
		if op.ending == Failed || op.plan.Ending == Canceled {
			o["errors"], o["trace"] = d.errors(op.failure, true), op.begun.id
		}
	case op.method != http.MethodDelete && op.method != http.MethodGet:
		put(o, orElse(op.plan.Target, "/resource/href"), op.href(op.target))
	}
	if op.done() && op.plan.Result != nil {
		o["result"] = op.plan.Result
	}
	return o
}

// lastOperation returns the member last_operation of an instance of Resource
// Controller.
func (d ibm) lastOperation(op *operation) object {
	o := object{"type": op.begun.doing(), "async": true, "description": "Completed", "cancelable": false, "poll": false}
	switch {
	case op.running():
		o["state"], o["description"], o["cancelable"], o["poll"], o["poll_after"] = "in progress", "Started", true, true, 9
		if op.plan.RetryAfter > 0 {
			o["poll_after"] = wholeSeconds(op.plan.RetryAfter)
		}
	case op.ending == Succeeded:
		o["state"] = "succeeded"
	default:
		o["state"], o["description"], o["reason_code"] = "failed", op.failure.Message, d.errors(op.failure, false)[0].Code
	}
	return o
}

// task returns a task of Cloud Databases.
func (ibm) task(op *operation) object {
	o := object{
		"id":               crn(op.instance, "task:"+op.id),
		"status":           op.status(),
		"progress_percent": op.percent(time.Now()),
		"deployment_id":    op.instance,
		"description":      "The " + op.begun.doing() + " of " + op.target,
	}
	if !op.running() && op.ending != Succeeded {
		o["description"] = op.failure.Message
	}
	return object{"task": o}
}

// An ibmError is an error in the format of the handbook.
type ibmError struct {
	Code     string     `json:"code"`
	Message  string     `json:"message"`
	MoreInfo string     `json:"more_info,omitempty"`
	Target   *ibmTarget `json:"target,omitempty"`
}

type ibmTarget struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// snake has the spelling of the handbook for the error codes of this package.
var snake = map[string]string{
	"InvalidRequestContent": "invalid_request_content",
	"InvalidSkipToken":      "invalid_start",
	"MethodNotAllowed":      "method_not_allowed",
	"OperationFailed":       "operation_failed",
	"Canceled":              "canceled",
}

// errors returns the entries of an Error and its Details.
func (d ibm) errors(e Error, targets bool) []ibmError {
	var list []ibmError
	if e.Code != "" || e.Message != "" {
		one := ibmError{Code: cmp.Or(snake[e.Code], e.Code), Message: e.Message, MoreInfo: e.MoreInfo}
		if targets && e.Target != "" {
			one.Target = &ibmTarget{Type: orElse(e.TargetType, "field"), Name: e.Target}
		}
		list = append(list, one)
	}
	for _, detail := range e.Details {
		list = append(list, d.errors(detail, targets)...)
	}
	return list
}

// failure returns an error response of the handbook.
func (d ibm) failure(q *question, code int, e Error) Answer {
	return jsonAnswer(code, encode(struct {
		Trace      string     `json:"trace"`
		Errors     []ibmError `json:"errors"`
		StatusCode int        `json:"status_code"`
	}{q.id, d.errors(e, true), code}))
}

func (d ibm) notFound(q *question, path string) Answer {
	return d.failure(q, http.StatusNotFound, Error{Code: "not_found", Message: "The resource '" + path + "' was not found."})
}

func (d ibm) conflict(q *question, path string, busy *operation) Answer {
	return d.failure(q, http.StatusConflict, Error{Code: "conflict", Message: "The resource '" + path + "' is busy: " + busy.status()})
}

// href returns the URL of path as the responses about op write it.
func (op *operation) href(path string) string {
	href := (&url.URL{Path: path}).EscapedPath()
	if op.plan.Relative {
		return href
	}
	return op.begun.base + href
}

// look returns the response of one URL of an operation.
func (d ibm) look(s *Service, q *question) Answer {
	op := q.op
	switch q.view {
	case operations:
		return jsonAnswer(http.StatusOK, encode(d.operation(op)))
	case tasks:
		return jsonAnswer(http.StatusOK, encode(d.task(op)))
	}
	// s.read would be wrong here, as in arm.look.
	if res := s.resources[key(op.target)]; res != nil && op.running() {
		return jsonAnswer(http.StatusOK, d.show(s, res, op, q.base))
	}
	return s.read(q)
}
