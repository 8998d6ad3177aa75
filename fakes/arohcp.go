package fakes

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// AROHCP returns a service that answers as the frontend of Azure Red Hat
// OpenShift with hosted control planes (ARO-HCP) does. It is the plain Service
// but for these:
//
//   - The URLs of an operation are .../locations/{location}/hcpOperationStatuses/{id}
//     and .../hcpOperationResults/{id}. The location is that of the resource, or
//     else eastus. Scheme and host are those of the Referer, which ARM sets to
//     the URL that its caller used, and the query is the caller's.
//   - A PATCH is answered 202 with the resource.
//   - The status document has id, name, status, startTime, endTime and error and
//     nothing else, and no answer about an operation has Retry-After: Percent,
//     Operations and RetryAfter of a [Plan] do nothing. That a POST is refused
//     because the same one is running has one, of ten seconds.
//   - The result of what failed or was canceled is 500 InternalServerError.
//     Only the status tells what happened.
//   - An operation is known to the identity that began it: for another one the
//     status is 404 without a body, and the result 404 ResourceNotFound.
//   - Seven days after its end it is known to nobody.
//   - A request without an api-version is refused.
//   - An operation cannot be canceled by its URL: a DELETE of the resource
//     supersedes it.
//
// Default, Identity, Expire and Notify may be changed as those of any Service. A
// request that the service finds invalid is a Plan of Style [Synchronous] with an
// Ending of Failed, a FailureCode of 400 and the Error.
func AROHCP() *Service {
	return &Service{dialect: arohcp{}, Identity: homeIdentity, Expire: 7 * 24 * time.Hour}
}

// homeIdentity is whom ARM says that a request comes from.
func homeIdentity(r *http.Request) string {
	return r.Header.Get("X-Ms-Home-Tenant-Id") + "/" + r.Header.Get("X-Ms-Client-Object-Id")
}

// arohcp is the contract with the ways of one service.
type arohcp struct{ arm }

// region is for resources without a location.
const region = "eastus"

func (arohcp) understand(_ *Service, q *question, r *http.Request) {
	if u, err := url.Parse(r.Referer()); err == nil && u.Host != "" && u.Scheme != "" {
		q.base = u.Scheme + "://" + u.Host
	} else if proto := r.Header.Get("X-Forwarded-Proto"); proto == "http" || proto == "https" {
		q.base = proto + "://" + r.Host
	}
}

func (d arohcp) refuse(s *Service, q *question) (Answer, bool) {
	if _, version, _ := splitQuery(q.query, "api-version"); version == "" {
		return failure(http.StatusBadRequest, Error{Code: "InvalidParameter", Message: "The request is missing required parameter 'api-version'."}), true
	}
	if q.stranger() && q.view == statuses {
		return Answer{StatusCode: http.StatusNotFound}, true
	}
	if q.stranger() {
		return d.notFound(q, q.path), true
	}
	return Answer{}, false
}

func (arohcp) plan(p Plan, q *question) Plan {
	// Only an ExternalAuth waits for a secret.
	if q.method == http.MethodPut && len(p.Words) == 0 && strings.HasSuffix(strings.ToLower(typeOf(q.path)), "/externalauths") {
		p.Words = []string{"Accepted", "AwaitingSecret"}
	}
	p = p.complete(q.method)
	p.Echo = p.Echo || q.method == http.MethodPatch
	p.Percent, p.Operations, p.RetryAfter = false, nil, 0
	return p
}

func (arohcp) places(s *Service, op *operation) map[string]string {
	root := scope(op.target)
	here := root + "/locations/" + s.location(op)
	return map[string]string{
		statuses: here + "/hcpOperationStatuses/" + op.id,
		results:  here + "/hcpOperationResults/" + op.id,
		monitors: root + "/operations/" + op.id,
	}
}

// location is where the resource of op is.
func (s *Service) location(op *operation) string {
	parent, _ := cut(op.target)
	for _, path := range []string{op.target, parent} {
		if res := s.resources[key(path)]; res != nil {
			name, _ := res.body["location"].(string)
			return cmp.Or(name, region)
		}
	}
	body, _, _ := parseResource(op.begun.body) // a body that is none has been refused
	name, _ := body["location"].(string)
	return cmp.Or(name, region)
}

func (d arohcp) look(s *Service, q *question) Answer {
	op := q.op
	switch {
	case q.view == statuses:
		doc := op.statusDocument()
		doc.Properties = nil
		return jsonAnswer(http.StatusOK, encode(doc))
	case q.view == results && op.running():
		return Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {q.link(op.paths[results])}}}
	case q.view == results && op.ending != Succeeded:
		return failure(http.StatusInternalServerError, Error{Code: "InternalServerError", Message: "Internal server error."})
	}
	return d.arm.look(s, q)
}

// cancel is what the service has no route for.
func (arohcp) cancel(_ *Service, q *question) Answer {
	return failure(http.StatusMethodNotAllowed, Error{Code: "MethodNotAllowed", Message: q.method + " is not allowed."})
}

func (arohcp) notFound(_ *question, path string) Answer {
	_, kind, _ := strings.Cut(typeOf(path), "/")
	_, name := cut(path)
	return failure(http.StatusNotFound, Error{
		Code:    "ResourceNotFound",
		Message: "The resource '" + kind + "/" + name + "' under resource group '" + segmentAfter(path, "resourceGroups") + "' was not found.",
		Target:  path,
	})
}

func (arohcp) conflict(q *question, path string, busy *operation) Answer {
	e := Error{Code: "Conflict", Target: path}
	again := q.method == http.MethodPost && key(busy.target) == key(path)
	switch {
	case again:
		var action string
		e.Target, action = cut(path)
		e.Message = "The action " + action + " is already running"
		if strings.EqualFold(action, "revokeCredentials") {
			e.Message = "Credentials are already being revoked"
		}
	case q.method == http.MethodDelete:
		e.Message = "Resource is already deleting"
	default:
		e.Message = `Cannot update resource while resource is "` + strings.ToLower(busy.status()) + `"`
	}
	a := failure(http.StatusConflict, e)
	if again {
		a.Header.Set("Retry-After", "10")
	}
	return a
}

// segmentAfter is the segment of path that follows the one of that name.
func segmentAfter(path, name string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, name) {
			return parts[i+1]
		}
	}
	return ""
}
