package fakes

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// IBMCloud returns a service after the IBM Cloud API handbook, and after what
// IBM's services make of it.
//
//	POST   /v1/widgets             creates a resource and names it
//	PUT    /v1/widgets/w1          creates or replaces one
//	PATCH  /v1/widgets/w1          changes it (RFC 7396, merge patch)
//	DELETE /v1/widgets/w1          deletes it
//	POST   /v1/widgets/w1/restart  acts on it
//	GET    /v1/widgets/w1          reads it
//	GET    /v1/widgets             lists what is in a collection
//
// The version before the collection may be another one or missing. Below a
// resource a POST of a plural, such as /v1/widgets/w1/parts, creates, and any
// other one, /v1/widgets/w1/actions included, acts.
//
// How the client learns of the progress is the Style of the [Plan]:
//
//   - An operation resource, which the first answer, a 202, has as its body, with
//     its URL as href and in the headers that [Location] and [ContentLocation]
//     stand for; [Href] is neither. This is the default: Location. It is
//     not_started first, then what Words say or else in_progress, and succeeded,
//     failed or canceled in the end. A DELETE of its URL cancels it. It is
//     forgotten 24 hours after its end.
//   - The resource: [ResourceStatus], [LifecycleState] and [ProvisioningStatus] as in VPC,
//     [AppStatus] as in Code Engine.
//   - [LastOperation]: the way of Resource Controller, and the default below
//     /v2/resource_instances.
//   - [Task]: the way of Cloud Databases, and the default below
//     /v5/ibm/deployments. What the tasks are about must be below a deployment
//     that there is; [Service.Put] makes one.
//   - [Synchronous].
//
// Words and EndWord of a Plan replace the usual ones. An Error is an entry of
// errors, and its Details are further ones. Where a request is refused the
// answer is such a container, too. A second operation on a resource is refused
// with 409, a DELETE included.
func IBMCloud() *Service {
	return &Service{dialect: ibm{}, Expire: 24 * time.Hour}
}

// ibm is the dialect of IBM Cloud.
type ibm struct{}

// The views of an operation.
const (
	operations = "operations" // an operation resource
	tasks      = "tasks"      // of Cloud Databases
	undo       = "undo"       // to cancel the last operation of Resource Controller
)

const (
	instances   = "/v2/resource_instances"
	deployments = "/v5/ibm/deployments"
)

var (
	version = regexp.MustCompile(`^/v\d+(/ibm)?(/|$)`)

	// byCRN is an instance by its CRN in place of its GUID. The CRN has a slash.
	byCRN = regexp.MustCompile(`^/v2/resource_instances/crn:.*:([^:/]+)::`)
)

// prefix is what stands before the first collection: a version and, in Cloud
// Databases, a vendor.
func prefix(path string) string { return strings.TrimSuffix(version.FindString(path), "/") }

// understand knows an instance by either of its names.
func (ibm) understand(_ *Service, q *question, _ *http.Request) {
	q.path = byCRN.ReplaceAllString(q.path, instances+"/$1")
	q.target = q.path
}

func (d ibm) refuse(_ *Service, q *question) (Answer, bool) {
	if q.stranger() || q.view == undo && q.kind != Cancel {
		return d.notFound(q, q.path), true
	}
	return Answer{}, false
}

func (ibm) collection(path string) bool {
	rest := strings.TrimPrefix(path, prefix(path))
	return rest == "" || segments(rest)%2 == 1
}

// creates says whether a POST of path adds to a collection: that is a plural,
// and "actions" is none of them.
func (d ibm) creates(path string) bool {
	parent, name := cut(path)
	return d.collection(path) && (parent == prefix(path) || strings.HasSuffix(name, "s") && name != "actions")
}

func (ibm) ids() (request, trace string) { return "X-Request-Id", "X-Correlation-Id" }

func (ibm) listing(path string) Listing {
	if key(path) == instances {
		return Listing{Items: "/resources", Link: "/next_url", Count: "/rows_count", Param: "start", Relative: true}
	}
	_, name := cut(path)
	return Listing{Items: "/" + name, Link: "/next/href", Count: "/total_count", Param: "start"}
}

func (ibm) plan(p Plan, q *question) Plan {
	if p.Style == 0 {
		p.Style = Location
		switch {
		case under(q.target, instances):
			p.Style = LastOperation
		case under(q.target, deployments):
			p.Style = Task
		}
	}
	if len(p.Words) == 0 {
		p.Words = p.Style.wording().words[q.doing()]
	}
	if p.Style.operates() && !p.Style.has(Task|Synchronous) {
		p.Words = append([]string{"not_started"}, p.Words...)
	}
	return p.complete(q.method)
}

func (ibm) places(s *Service, op *operation) map[string]string {
	prefix := prefix(op.target)
	switch {
	case op.plan.Style.has(LastOperation):
		return map[string]string{undo: op.target + "/last_operation"}
	case op.plan.Style.has(Task):
		op.instance, _ = s.deployment(op.target)
		if op.instance == "" { // it is being created
			_, op.instance = cut(op.target)
		}
		return map[string]string{tasks: prefix + "/tasks/" + crn(op.instance, "task:"+op.id)}
	case op.plan.Style.operates():
		return map[string]string{operations: prefix + "/operations/" + op.id}
	}
	return nil
}

// hides is for what is announced by its operation.
func (ibm) hides(op *operation) bool {
	return op.plan.Style.operates() && !op.plan.Style.has(Synchronous)
}

// keeps is for Resource Controller, which shows what it has removed.
func (ibm) keeps(op *operation) bool { return op.plan.Style.has(LastOperation) && !op.plan.Gone }

// crn is the name of something of an instance, which is named by its CRN already
// or by its GUID.
func crn(instance, rest string) string {
	if own, ok := strings.CutSuffix(instance, "::"); ok {
		return own + ":" + rest
	}
	return "crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:" + instance + ":" + rest
}
