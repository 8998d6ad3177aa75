// Package arohcp simulates the frontend of Azure Red Hat OpenShift with hosted
// control planes (ARO-HCP).
//
//	svc := arohcp.New()
//	svc.Default = fakes.Plan{Duration: 20 * time.Minute}
//	client := fakes.Client(svc)
//
// The service behaves like the zero [fakes.Service], with these differences:
//
//   - The URLs of an operation are .../locations/{location}/hcpOperationStatuses/{id} and
//     .../hcpOperationResults/{id}. The location is the one in the resource, or eastus. The URLs
//     have the query of the request. Their scheme and host come from the Referer header, in which
//     ARM puts the URL that the client requested. They stop working seven days after the operation
//     has ended.
//   - The response to a PATCH is a 202 with the resource as its body.
//   - The status document has only id, name, status, startTime, endTime and error. No response
//     about an operation has a Retry-After. The fields Percent, Operations and RetryAfter of a
//     [fakes.Plan] therefore have no effect.
//   - The result URL of a failed or canceled operation returns 500 InternalServerError. Only the
//     status document has the error.
//   - An operation is visible only to the identity that started it. For any other identity, the
//     status URL returns 404 without a body, and the result URL returns 404 ResourceNotFound.
//   - An operation cannot be canceled through its URL, but a DELETE of the resource supersedes it.
//   - A cluster has two actions, requestAdminCredential and revokeCredentials. Several requests for
//     a credential may run at once, and a revocation cancels them. While a revocation is running,
//     both actions are refused with 409 and Retry-After: 10. Each 409 for an action names the cluster.
//   - A request for which the frontend has no route gets 404 NotFound. Examples are an unknown
//     action, and any method except GET at a status or result URL.
//   - A request without an api-version gets 400 InvalidParameter. If the frontend does not know the
//     version (2024-06-10-preview is the oldest that it knows), the request gets 400
//     InvalidResourceType. A PUT without a body gets 400 InvalidRequestContent.
//   - A change to a resource in a cluster, such as a node pool, gets 409 while the cluster is
//     Provisioning or Deleting.
//
// Default, Identity, Expire and Notify can be set as for any Service. To reject a request as
// invalid, use a Plan with Style [fakes.Synchronous], Ending Failed, FailureCode 400 and an Error.
//
// The package knows only these differences. [New] returns a [fakes.Service], which does the rest.
package arohcp

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
)

// New returns a service without resources.
func New() *fakes.Service {
	svc := fakes.New(dialect{})
	svc.Identity = homeIdentity
	svc.Expire = 7 * 24 * time.Hour
	return svc
}

// homeIdentity returns the identity that ARM puts in the headers of a request.
func homeIdentity(r *http.Request) string {
	return r.Header.Get("X-Ms-Home-Tenant-Id") + "/" + r.Header.Get("X-Ms-Client-Object-Id")
}

// A dialect is the ARO-HCP variant of the Resource Provider Contract.
type dialect struct{ engine.ARM }

// region is the location of resources that do not specify one.
const region = "eastus"

// Parse sets the scheme and host of the URLs in the response. It takes both from Referer.
// Without a Referer, it takes the scheme from X-Forwarded-Proto.
func (dialect) Parse(_ *engine.Service, q *engine.Request, r *http.Request) {
	u, err := url.Parse(r.Referer())
	if err == nil && u.Host != "" && u.Scheme != "" {
		q.Base = u.Scheme + "://" + u.Host
		return
	}
	proto := r.Header.Get("X-Forwarded-Proto")
	if proto == "http" || proto == "https" {
		q.Base = proto + "://" + r.Host
	}
}

// hcpVersions are the API versions that the frontend accepts.
var hcpVersions = []string{"2024-06-10-preview", "2025-12-23-preview", "2026-06-30-preview", "2026-09-01-preview", "2026-10-01-preview"}

// Refuse answers the requests that the frontend rejects before it looks at a
// resource. It checks the route, then the api-version, then the caller's
// identity.
func (d dialect) Refuse(_ *engine.Service, q *engine.Request) (engine.Answer, bool) {
	if !routed(q) {
		return engine.Failure(http.StatusNotFound, engine.Error{Code: "NotFound", Message: "The requested path could not be found."}), true
	}

	_, version, _ := engine.SplitQuery(q.Query, "api-version")
	if version == "" {
		return engine.Failure(http.StatusBadRequest, engine.Error{Code: "InvalidParameter", Message: "The request is missing required parameter 'api-version'."}), true
	}
	if !slices.Contains(hcpVersions, version) {
		// The message always names the type of a cluster, even if the request is for a node pool.
		return engine.Failure(http.StatusBadRequest, engine.Error{
			Code:    "InvalidResourceType",
			Message: "The resource type 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters' could not be found API version '" + version + "'.",
		}), true
	}

	if !q.Foreign() {
		return engine.Answer{}, false
	}
	if q.View == engine.StatusURL {
		return engine.Answer{StatusCode: http.StatusNotFound}, true
	}
	return d.NotFound(q, q.Path), true
}

// routed reports whether the frontend has a route for q. It accepts only a GET of an operation's
// URLs, and only two actions on a cluster.
func routed(q *engine.Request) bool {
	if q.Kind == "" || q.Kind == engine.Cancel {
		return false
	}
	parent, _ := engine.Cut(q.Path)
	_, kind := engine.Cut(parent)
	if strings.EqualFold(kind, "hcpOperationStatuses") || strings.EqualFold(kind, "hcpOperationResults") {
		return q.Method == http.MethodGet // whether or not the operation exists
	}
	return !q.Is(engine.Begin, http.MethodPost) || isClusterAction(q.Path)
}

// isClusterAction reports whether path is one of the two actions on a cluster.
func isClusterAction(path string) bool {
	cluster, action := engine.Cut(path)
	collection, _ := engine.Cut(cluster)
	provider, _ := engine.Cut(collection)
	if !engine.IsScope(provider) {
		return false
	}
	return strings.EqualFold(action, requestCredential) || strings.EqualFold(action, revokeCredentials)
}

// Plan fills in the defaults, including the statuses that ARO-HCP uses, and clears the fields that
// the frontend does not support.
func (dialect) Plan(p engine.Plan, q *engine.Request) engine.Plan {
	if len(p.Words) == 0 {
		p.Words = words(q)
	}
	p = p.Complete(q.Method)
	p.Echo = p.Echo || q.Method == http.MethodPatch
	p.Percent = false
	p.Operations = nil
	p.RetryAfter = 0
	return p
}

// words returns the statuses that an operation reports while it is in progress, or nil if they are
// the same as in the contract (wire-quirks.md, section B, "States").
func words(q *engine.Request) []string {
	path := engine.Key(q.Path)
	switch q.Method {
	case http.MethodPut:
		if strings.HasSuffix(engine.Key(engine.TypeOf(path)), "/externalauths") {
			return []string{"Accepted", "AwaitingSecret"} // the operation waits for a secret
		}
	case http.MethodPost:
		if strings.HasSuffix(path, engine.Key(revokeCredentials)) {
			return []string{"Accepted", "Deleting"}
		}
		return []string{"Accepted", "Provisioning"}
	}
	return nil
}

// Paths returns the paths of op's URLs. The paths of the status and the result contain the location
// of the resource that op acts on.
func (dialect) Paths(s *engine.Service, op *engine.Operation) map[string]string {
	if op.Memo == "" {
		op.Memo = location(s, op)
	}
	root := engine.Scope(op.Target)
	here := root + "/locations/" + op.Memo
	return map[string]string{
		engine.StatusURL:  here + "/hcpOperationStatuses/" + op.ID,
		engine.ResultURL:  here + "/hcpOperationResults/" + op.ID,
		engine.MonitorURL: root + "/operations/" + op.ID,
	}
}

// location returns the location of the resource that op acts on.
func location(s *engine.Service, op *engine.Operation) string {
	parent, _ := engine.Cut(op.Target)
	for _, path := range []string{op.Target, parent} {
		if res := s.Resources[engine.Key(path)]; res != nil {
			name, _ := res.Object()["location"].(string)
			return cmp.Or(name, region)
		}
	}
	body, _, _ := engine.ParseResource(op.First.Body) // ignore the error, because an invalid body has already been refused
	name, _ := body["location"].(string)
	return cmp.Or(name, region)
}

// Look returns the status document or the result of an operation.
func (d dialect) Look(s *engine.Service, q *engine.Request) engine.Answer {
	op := q.Op
	switch q.View {
	case engine.StatusURL:
		doc := op.StatusDocument()
		doc.Properties = nil
		return engine.JSON(http.StatusOK, engine.Encode(doc))
	case engine.ResultURL:
		if op.Running() {
			return engine.Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {q.Link(op.Paths()[engine.ResultURL])}}}
		}
		if !op.Succeeded() {
			return engine.Failure(http.StatusInternalServerError, engine.Error{Code: "InternalServerError", Message: "Internal server error."})
		}
	}
	return d.ARM.Look(s, q)
}

// NotFound returns the 404 of Azure Resource Manager, which names the resource group.
func (dialect) NotFound(_ *engine.Request, path string) engine.Answer {
	_, kind, _ := strings.Cut(engine.TypeOf(path), "/")
	_, name := engine.Cut(path)
	return engine.Failure(http.StatusNotFound, engine.Error{
		Code:    "ResourceNotFound",
		Message: "The resource '" + kind + "/" + name + "' under resource group '" + segmentAfter(path, "resourceGroups") + "' was not found.",
		Target:  path,
	})
}

// Conflict returns the 409 for a resource with an operation in progress.
func (dialect) Conflict(q *engine.Request, path string, busy *engine.Operation) engine.Answer {
	message := "Resource is already deleting"
	if q.Method != http.MethodDelete {
		message = fmt.Sprintf("Cannot update resource while resource is %q", strings.ToLower(busy.Status()))
	}
	return conflict(path, message)
}

// segmentAfter returns the segment of path that follows the segment called name.
func segmentAfter(path, name string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, name) {
			return parts[i+1]
		}
	}
	return ""
}
