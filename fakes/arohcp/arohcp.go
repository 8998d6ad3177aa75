// Package arohcp simulates the frontend of Azure Red Hat OpenShift with hosted control planes
// (ARO-HCP).
//
//	svc := arohcp.New()
//	svc.Default = fakes.Plan{Duration: 20 * time.Minute}
//	client := fakes.Client(svc)
//
// The service behaves like the zero [fakes.Service], with these differences:
//
//   - An operation's URLs are .../locations/{location}/hcpOperationStatuses/{id} and
//     .../hcpOperationResults/{id}. The location is the resource's location, or eastus if the
//     resource does not have one. In a request, the service accepts any location. The URLs in a
//     response repeat the query of the request. Their scheme and host come from the request's
//     Referer header. The URLs stop working seven days after the operation has ended.
//   - The response to a PATCH is a 202 with the resource as its body.
//   - The status document has only id, name, status, startTime, endTime and error. Responses about
//     operations have no Retry-After. Therefore, the Percent, Operations and RetryAfter fields of a
//     [fakes.Plan] have no effect.
//   - An operation that is Accepted gets its second status after ten seconds, even if no client
//     polls.
//   - The result URL of a failed or canceled operation returns 500 InternalServerError. Only the
//     status document contains the error. A failed update still changes the tags.
//   - An operation is visible only to the identity that started it. For any other identity, the
//     status URL returns 404 without a body, and the result URL returns 404 ResourceNotFound.
//   - An operation cannot be canceled through its URL, but a DELETE of the resource supersedes it.
//     A DELETE of a cluster also cancels the operations on the resources in the cluster. The state
//     of these resources becomes Deleting.
//   - A cluster has two actions, requestAdminCredential and revokeCredentials. Several credential
//     requests may run at once, and a revocation cancels them.
//   - Every resource has systemData. Its values come from the request header
//     X-Ms-Arm-Resource-System-Data.
//   - A listing by subscription returns the clusters in all resource groups.
//   - The service also refuses some requests that a fakes.Service accepts; see [New].
//
// New sets Identity and Expire, and you can change them. The other fields work as for any
// [fakes.Service].
//
// The package implements only these differences. The [fakes.Service] that [New] returns decides how
// an operation proceeds.
package arohcp

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
)

// New returns a service without resources. It refuses the following requests, as the frontend does,
// in this order:
//
//   - A PUT, PATCH or POST with a Content-Type other than application/json gets 415. The frontend
//     also refuses a body without a Content-Type, but this service accepts it.
//   - A request for which the frontend has no route gets 404 NotFound. Examples are an unknown
//     action, a GET of an action, and any method except GET at a status or result URL.
//   - A request without an api-version gets 400 InvalidParameter. A request with a version that the
//     frontend does not support gets 400 InvalidResourceType. The oldest supported version is
//     2024-06-10-preview.
//   - A request in a subscription that is not registered gets 400 InvalidSubscriptionState. All
//     subscriptions are registered until a test stores one. From then on, a test must store every
//     subscription that it uses: svc.Put("/subscriptions/s1", map[string]string{"state":
//     "Registered"}).
//   - A change to a resource whose provisioningState is not terminal gets 409, even if the test has
//     stored the resource in this state. A DELETE gets 409 only if the resource is Deleting. The
//     409 for an action names the cluster and, during a revocation, has the header "Retry-After:
//     10".
//   - A PUT without a body gets 400 InvalidRequestContent. From 2026-09-01-preview on, so does
//     requestAdminCredential without a certificateSigningRequest. A PATCH without a body and a PUT
//     of null get 500 InternalServerError.
//   - A change to a resource in a cluster, such as a node pool, gets 409 while the cluster is
//     Provisioning or Deleting. If the cluster does not exist, a PUT or PATCH gets 404.
//   - A DELETE of a cluster's last node pool gets 400 InvalidRequestContent.
//
// To reject another request as invalid, use a Plan with Style [fakes.Synchronous], Ending Failed,
// FailureCode 400 and an Error. To simulate a conflict with a concurrent write, use [LostRace].
func New() *fakes.Service {
	svc := fakes.New(dialect{})
	svc.Identity = homeIdentity
	svc.Expire = 7 * 24 * time.Hour
	return svc
}

// homeIdentity returns, in lower case, the identity that ARM puts in a request's headers. The
// frontend ignores the case of identities.
func homeIdentity(r *http.Request) string {
	return strings.ToLower(r.Header.Get("X-Ms-Home-Tenant-Id") + "/" + r.Header.Get("X-Ms-Client-Object-Id"))
}

// A dialect implements the ARO-HCP variant of the Resource Provider Contract.
type dialect struct{ engine.ARM }

// region is the default location of a resource.
const region = "eastus"

// Parse uses the scheme and host of the Referer header for the URLs in the response. Without a
// valid Referer, it uses the request's host and the scheme in X-Forwarded-Proto.
func (dialect) Parse(s *engine.Service, q *engine.Request, r *http.Request) {
	ignoreLocation(s, q)
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

// ignoreLocation replaces the location in an operation's URL with the operation's own. The frontend
// accepts any location there.
func ignoreLocation(s *engine.Service, q *engine.Request) {
	parent, id := engine.Cut(q.Path)
	before, view := engine.Cut(parent)
	locations, _ := engine.Cut(before)
	op := s.Operations[strings.ToLower(id)]
	if op != nil && strings.HasSuffix(engine.Key(locations), "/locations") {
		q.Path = strings.Join([]string{locations, op.Memo, view, id}, "/")
	}
}

// Plan fills in the defaults, including ARO-HCP's statuses, and clears the fields that the frontend
// does not support.
func (dialect) Plan(p engine.Plan, q *engine.Request) engine.Plan {
	if len(p.Words) == 0 {
		p.Words = words(q)
	}
	p = p.Complete(q.Method)
	if p.Words[0] == accepted {
		p.FirstWord = backendInterval
	}
	p.Echo = p.Echo || q.Method == http.MethodPatch
	p.Percent = false
	p.Operations = nil
	p.RetryAfter = 0
	return p
}

// Paths returns the paths of op's URLs. The status and result paths contain the location of the
// resource that op acts on.
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
	body, _, _ := engine.ParseResource(op.First.Body) // ParseResource cannot fail, because the service has already refused an invalid body
	name, _ := body["location"].(string)
	return cmp.Or(name, region)
}

// NotFound returns Azure Resource Manager's 404. Its message contains the resource group and the
// resource's type and name. For an action, the name is empty.
func (dialect) NotFound(_ *engine.Request, path string) engine.Answer {
	_, kind, _ := strings.Cut(engine.TypeOf(path), "/")
	_, name := engine.Cut(path)
	if isClusterAction(path) {
		name = ""
	}
	return engine.Failure(http.StatusNotFound, engine.Error{
		Code:    "ResourceNotFound",
		Message: "The resource '" + kind + "/" + name + "' under resource group '" + segmentAfter(path, "resourceGroups") + "' was not found.",
		Target:  path,
	})
}

// Conflict returns the 409 for a resource with an operation in progress.
func (dialect) Conflict(q *engine.Request, path string, busy *engine.Operation) engine.Answer {
	return conflict(path, busyMessage(q.Method, strings.ToLower(busy.Status())))
}

// segmentAfter returns the segment of path that follows the segment with the given name, or "".
func segmentAfter(path, name string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, name) {
			return parts[i+1]
		}
	}
	return ""
}
