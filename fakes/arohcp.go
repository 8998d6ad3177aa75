package fakes

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// AROHCP returns a service that answers as the frontend of Azure Red Hat
// OpenShift with hosted control planes (ARO-HCP) does. It behaves like the zero
// Service, except that:
//
//   - The URLs of an operation are .../locations/{location}/hcpOperationStatuses/{id}
//     and .../hcpOperationResults/{id}. The location is the resource's, or eastus.
//     Scheme and host come from the Referer, which ARM sets to the URL that its
//     caller used, and the query is the caller's.
//   - A PATCH is answered with 202 and the resource.
//   - The status document has only id, name, status, startTime, endTime and error,
//     and no response about an operation has a Retry-After: Percent, Operations
//     and RetryAfter of a [Plan] have no effect.
//   - The result URL of a failed or canceled operation answers 500
//     InternalServerError. Only the status document has the error.
//   - An operation is visible only to the identity that started it. For any other
//     the status is 404 without a body, and the result is 404 ResourceNotFound.
//   - Both URLs stop working seven days after the operation ended.
//   - An operation cannot be canceled by its URL. A DELETE of the resource
//     supersedes it.
//   - A cluster has two actions, requestAdminCredential and revokeCredentials.
//     Several requests for a credential may run at once, and a revocation cancels
//     them. While a revocation runs, both actions are refused with 409 and
//     Retry-After: 10. Each 409 of an action names the cluster.
//   - A path or method without a route is 404 NotFound: an unknown action, and
//     anything but a GET of a status or result URL.
//   - A missing api-version is 400 InvalidParameter, and one that the frontend does
//     not know (2024-06-10-preview is the first) is 400 InvalidResourceType.
//   - A PUT without a body is 400 InvalidRequestContent.
//   - A resource in a cluster, such as a node pool, cannot be changed while the
//     cluster is Provisioning or Deleting: 409.
//
// Default, Identity, Expire and Notify can be set as for any Service. To reject a
// request as invalid, use a Plan with Style [Synchronous], Ending Failed,
// FailureCode 400 and the Error.
func AROHCP() *Service {
	return &Service{dialect: arohcp{}, Identity: homeIdentity, Expire: 7 * 24 * time.Hour}
}

// homeIdentity returns the identity that ARM puts in the headers of a request.
func homeIdentity(r *http.Request) string {
	return r.Header.Get("X-Ms-Home-Tenant-Id") + "/" + r.Header.Get("X-Ms-Client-Object-Id")
}

// arohcp is the dialect of the Resource Provider Contract with the differences
// of ARO-HCP.
type arohcp struct{ arm }

// region is the location of resources that do not specify one.
const region = "eastus"

func (arohcp) understand(_ *Service, q *question, r *http.Request) {
	if u, err := url.Parse(r.Referer()); err == nil && u.Host != "" && u.Scheme != "" {
		q.base = u.Scheme + "://" + u.Host
	} else if proto := r.Header.Get("X-Forwarded-Proto"); proto == "http" || proto == "https" {
		q.base = proto + "://" + r.Host
	}
}

// hcpVersions are the API versions that the frontend accepts.
var hcpVersions = []string{"2024-06-10-preview", "2025-12-23-preview", "2026-06-30-preview", "2026-09-01-preview", "2026-10-01-preview"}

// refuse answers what the frontend refuses before it looks at a resource: first
// its routes decide, then the api-version, then the caller's identity.
func (d arohcp) refuse(_ *Service, q *question) (Answer, bool) {
	_, version, _ := splitQuery(q.query, "api-version")
	switch {
	case !d.routed(q):
		return failure(http.StatusNotFound, Error{Code: "NotFound", Message: "The requested path could not be found."}), true
	case version == "":
		return failure(http.StatusBadRequest, Error{Code: "InvalidParameter", Message: "The request is missing required parameter 'api-version'."}), true
	case !slices.Contains(hcpVersions, version):
		// The message names the type of a cluster, even for a node pool.
		return failure(http.StatusBadRequest, Error{
			Code:    "InvalidResourceType",
			Message: "The resource type 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters' could not be found API version '" + version + "'.",
		}), true
	case q.stranger() && q.view == statuses:
		return Answer{StatusCode: http.StatusNotFound}, true
	case q.stranger():
		return d.notFound(q, q.path), true
	}
	return Answer{}, false
}

// routed reports whether the frontend has a route for q. The URLs of an operation
// can only be read, and a cluster has two actions.
func (arohcp) routed(q *question) bool {
	parent, name := cut(q.path)
	collection, kind := cut(parent)
	switch {
	case q.kind == "" || q.kind == Cancel:
		return false
	case strings.EqualFold(kind, "hcpOperationStatuses") || strings.EqualFold(kind, "hcpOperationResults"):
		return q.method == http.MethodGet // also where the operation is unknown
	case q.kind == Begin && q.method == http.MethodPost:
		above, _ := cut(collection)
		return isScope(above) && (strings.EqualFold(name, requestCredential) || strings.EqualFold(name, revokeCredentials))
	}
	return true
}

func (d arohcp) plan(p Plan, q *question) Plan {
	if len(p.Words) == 0 {
		p.Words = d.words(q)
	}
	p = p.complete(q.method)
	p.Echo = p.Echo || q.method == http.MethodPatch
	p.Percent, p.Operations, p.RetryAfter = false, nil, 0
	return p
}

// words returns the statuses of an operation in progress if the contract has
// others (wire-quirks.md, section B, "States").
func (arohcp) words(q *question) []string {
	path := key(q.path)
	switch {
	case q.method == http.MethodPut && strings.HasSuffix(key(typeOf(path)), "/externalauths"):
		return []string{"Accepted", "AwaitingSecret"} // it waits for a secret
	case q.method == http.MethodPost && strings.HasSuffix(path, key(revokeCredentials)):
		return []string{"Accepted", "Deleting"}
	case q.method == http.MethodPost:
		return []string{"Accepted", "Provisioning"}
	}
	return nil
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

// location returns the location of the resource that op acts on.
func (s *Service) location(op *operation) string {
	parent, _ := cut(op.target)
	for _, path := range []string{op.target, parent} {
		if res := s.resources[key(path)]; res != nil {
			name, _ := res.body["location"].(string)
			return cmp.Or(name, region)
		}
	}
	body, _, _ := parseResource(op.begun.body) // an invalid body was refused earlier
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
	message := "Resource is already deleting"
	if q.method != http.MethodDelete {
		message = fmt.Sprintf("Cannot update resource while resource is %q", strings.ToLower(busy.status()))
	}
	return failure(http.StatusConflict, Error{Code: "Conflict", Message: message, Target: path})
}

// segmentAfter returns the segment of path that follows the segment name.
func segmentAfter(path, name string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, name) {
			return parts[i+1]
		}
	}
	return ""
}
