// Package ibmcloud simulates a service that follows the IBM Cloud API handbook, with variants that
// real IBM services use.
//
//	svc := ibmcloud.New(nil)
//	svc.Plan(fakes.Plan{Path: "/v1/instances", Style: ibmcloud.LifecycleState, Duration: time.Hour})
//	client := fakes.Client(svc)
//
// The service has these routes:
//
//	POST   /v1/widgets             creates a resource; the service chooses its name
//	PUT    /v1/widgets/w1          creates or replaces a resource
//	PATCH  /v1/widgets/w1          changes it (RFC 7396, merge patch)
//	DELETE /v1/widgets/w1          deletes it
//	POST   /v1/widgets/w1/restart  performs an action
//	GET    /v1/widgets/w1          reads it
//	GET    /v1/widgets             lists a collection
//
// The version at the start of the path is optional and may be any number. Below a resource, a POST
// to a plural such as /v1/widgets/w1/parts creates a resource, and any other POST, such as one to
// /v1/widgets/w1/actions, performs an action. While an operation on a resource is in progress, any
// other request to change the resource or to perform an action on it gets a 409, even a DELETE.
//
// The Style of the [fakes.Plan] determines where the client reads the status:
//
//   - In an operation resource: [fakes.Location] (the default), [ContentLocation] and [Href].
//   - In the resource: [ResourceStatus], [LifecycleState] and [ProvisioningStatus] as in VPC, and
//     [AppStatus] as in Code Engine. [NewVPC] chooses one of the first three for each collection.
//   - In the instance's last_operation, as in Resource Controller: [LastOperation], the default
//     below /v2/resource_instances.
//   - In a task, as in Cloud Databases: [Task], the default below /v5/ibm/deployments.
//   - In the first response: [fakes.Synchronous].
//
// The plan's Words and EndWord replace the usual statuses. The plan's Error is one entry of the
// errors array, and its Details are further entries. The response to a rejected request also has
// such an array.
//
// The package defines the URLs, bodies and statuses of IBM's services. The [fakes.Service] that
// [New] returns handles faults and the request log, and decides when an operation ends.
package ibmcloud

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
)

// Options select variants of the service. The zero Options follow the handbook.
type Options struct {
	// Relative removes the scheme and host from the URLs in responses.
	Relative bool

	// Target is a JSON pointer to the member of an operation resource that contains the URL of the
	// resource that the operation changes; "/resource/href" by default.
	Target string

	// Gone makes a GET of a deleted Resource Controller instance return 404. Otherwise the instance
	// stays readable, in the state "removed".
	Gone bool

	// MoreInfo is the start of the more_info URL of each error. The URL ends with the error's code.
	// By default, errors have no more_info.
	MoreInfo string
}

// New returns a service without resources. If opts is nil, New uses the zero Options.
func New(opts *Options) *fakes.Service {
	var d dialect
	if opts != nil {
		d.opts = *opts
	}
	return newService(d)
}

func newService(d dialect) *fakes.Service {
	svc := fakes.New(d)
	svc.Expire = 24 * time.Hour
	return svc
}

// These styles are specific to IBM Cloud. [fakes.Location] sends the URL of an operation resource
// in the Location header. It can be combined with [ContentLocation] and [Href]. The other styles
// cannot be combined.
//
// With Location, ContentLocation and Href, the first response is a 202 with the operation resource
// as its body. The href member is the operation's URL. The status is first not_started, then the
// plan's Words or in_progress, and finally succeeded, failed or canceled. A DELETE of the URL
// cancels the operation. The URL stops working 24 hours after the operation ends.
const (
	// ContentLocation sends the URL of an operation resource in the Content-Location header.
	ContentLocation fakes.Style = engine.FirstOwn << iota

	// Href sends the URL of an operation resource only in its href member, not in a header.
	Href

	// Task reports the status in a Cloud Databases task. The first response contains the task with
	// its ID, and a GET of /v5/ibm/tasks/{id} returns the task. The status is first queued, and
	// finally completed, failed or the plan's EndWord, such as expired. The resource must be below
	// a deployment, which a test can create with [fakes.Service.Put].
	Task

	// LastOperation reports the status in a Resource Controller instance. The last_operation member
	// contains the status, such as "in progress", and the pause before the next poll: the plan's
	// RetryAfter or, by default, 9 seconds. A DELETE of last_operation cancels the operation.
	LastOperation

	// ResourceStatus reports the status in the status member of a VPC resource. A new resource is
	// pending, starting and then running, or failed with status_reasons. VPC responds to a DELETE
	// with 204 long before the resource is gone.
	ResourceStatus

	// LifecycleState reports the status in the lifecycle_state member of a VPC resource. A new
	// resource is pending and then stable, or failed with lifecycle_reasons.
	LifecycleState

	// ProvisioningStatus reports the status in the provisioning_status member of a load balancer. A
	// new load balancer is create_pending and then active or failed.
	ProvisioningStatus

	// AppStatus reports the status in the status member of a Code Engine app: deploying and then
	// ready, or failed with the error code as status_details.reason.
	AppStatus
)

// A dialect makes the engine behave like an IBM Cloud service.
type dialect struct {
	opts Options
	vpc  bool // whether to simulate VPC
}

// The views of an operation are the kinds of URLs it can have.
const (
	operations = "operations" // an operation resource
	tasks      = "tasks"      // a Cloud Databases task
	undo       = "undo"       // the last_operation of a Resource Controller instance; a DELETE of this URL cancels the operation
)

const (
	instances   = "/v2/resource_instances"
	deployments = "/v5/ibm/deployments"
)

var (
	version = regexp.MustCompile(`^/v\d+(/ibm)?(/|$)`)

	// byCRN matches the start of a path that identifies an instance by its CRN rather than its
	// GUID. A CRN contains a slash, so it spans two segments of the path.
	byCRN = regexp.MustCompile(`^/v2/resource_instances/crn:.*:([^:/]+)::`)
)

// prefix returns the part of path before the first collection, such as "/v1" or, in Cloud
// Databases, "/v5/ibm".
func prefix(path string) string { return strings.TrimSuffix(version.FindString(path), "/") }

// Parse replaces an instance's CRN in the path with the instance's GUID.
func (dialect) Parse(_ *engine.Service, q *engine.Request, _ *http.Request) {
	q.Path = byCRN.ReplaceAllString(q.Path, instances+"/$1")
	q.Target = q.Path
}

// Refuse returns a 404 if another caller started the operation, or if q requests last_operation
// with a method other than DELETE. That URL serves only to cancel an operation.
func (d dialect) Refuse(_ *engine.Service, q *engine.Request) (engine.Answer, bool) {
	if q.Foreign() || q.View == undo && q.Kind != engine.Cancel {
		return d.NotFound(q, q.Path), true
	}
	return engine.Answer{}, false
}

// IsCollection reports whether path is a collection's path: after the prefix, such a path is empty
// or has an odd number of segments.
func (dialect) IsCollection(path string) bool {
	rest := strings.TrimPrefix(path, prefix(path))
	return rest == "" || engine.Segments(rest)%2 == 1
}

// creates reports whether a POST to path creates a resource. The path must be a top-level
// collection, or a collection with a plural name other than "actions".
func (d dialect) creates(path string) bool {
	if !d.IsCollection(path) {
		return false
	}
	parent, name := engine.Cut(path)
	if parent == prefix(path) {
		return true
	}
	return strings.HasSuffix(name, "s") && name != "actions"
}

// IDHeaders returns the API handbook's names for the request ID and trace ID headers.
func (dialect) IDHeaders() (request, trace string) { return "X-Request-Id", "X-Correlation-Id" }

// Listing returns the page format of the collection at path. Resource Controller has its own
// format. All other collections use VPC's.
func (dialect) Listing(path string) engine.Listing {
	if engine.Key(path) == instances {
		return engine.Listing{Items: "/resources", Link: "/next_url", Count: "/rows_count", Param: "start", Relative: true}
	}
	_, name := engine.Cut(path)
	return engine.Listing{Items: "/" + name, Link: "/next/href", Count: "/total_count", Param: "start"}
}

// Plan returns p with its zero values replaced by defaults. The default style depends on the path,
// and the default statuses depend on the style.
func (d dialect) Plan(p engine.Plan, q *engine.Request) engine.Plan {
	if p.Style == 0 {
		p.Style = d.defaultStyle(q.Target)
	}
	if d.vpc {
		p = planVPC(p, q)
	}
	if len(p.Words) == 0 {
		p.Words = wordingOf(p.Style).words[changeKind(q)]
	}
	if usesOperation(p.Style) && !p.Style.Has(Task|engine.Synchronous) {
		p.Words = append([]string{"not_started"}, p.Words...)
	}

	p = p.Complete(q.Method)
	p.Silent = p.Silent && !p.Style.Has(ContentLocation|Href|Task)
	// Until the operation ends, a client can read only the operation resource, not the resource
	// that the operation creates.
	p.Hidden = usesOperation(p.Style) && !p.Style.Has(engine.Synchronous)
	p.Kept = p.Style.Has(LastOperation) && !d.opts.Gone
	p.RetryAfterInBody = p.Style.Has(LastOperation)
	return p
}

// defaultStyle returns the style of an operation on path if its plan sets none.
func (d dialect) defaultStyle(path string) engine.Style {
	if d.vpc {
		return vpcStyle(path)
	}
	if engine.Under(path, instances) {
		return LastOperation
	}
	if engine.Under(path, deployments) {
		return Task
	}
	return engine.Location
}

// Paths returns the paths of op's URLs. They depend on the operation's style.
func (dialect) Paths(s *engine.Service, op *engine.Operation) map[string]string {
	style := op.Plan.Style
	if style.Has(LastOperation) {
		return map[string]string{undo: op.Target + "/last_operation"}
	}
	if style.Has(Task) {
		op.Memo = cmp.Or(op.Memo, deployment(s, op.Target))
		if op.Memo == "" { // op creates the deployment
			_, op.Memo = engine.Cut(op.Target)
		}
		return map[string]string{tasks: prefix(op.Target) + "/tasks/" + crn(op.Memo, "task:"+op.ID)}
	}
	if usesOperation(style) {
		return map[string]string{operations: prefix(op.Target) + "/operations/" + op.ID}
	}
	return nil
}

// crn returns the CRN of a part of an instance, such as a task. The instance is given by CRN or
// GUID.
func crn(instance, rest string) string {
	if own, ok := strings.CutSuffix(instance, "::"); ok {
		return own + ":" + rest
	}
	return "crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:" + instance + ":" + rest
}
