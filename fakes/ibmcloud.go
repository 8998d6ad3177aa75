package fakes

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// IBMCloud returns a service that follows the IBM Cloud API handbook, with
// variants that real IBM services use.
//
//	POST   /v1/widgets             creates a resource and chooses its name
//	PUT    /v1/widgets/w1          creates or replaces a resource
//	PATCH  /v1/widgets/w1          changes it (RFC 7396, merge patch)
//	DELETE /v1/widgets/w1          deletes it
//	POST   /v1/widgets/w1/restart  performs an action
//	GET    /v1/widgets/w1          reads it
//	GET    /v1/widgets             lists a collection
//
// The version in front of the collection is optional and may have any number.
// Below a resource, a POST of a plural such as /v1/widgets/w1/parts creates a
// resource. Any other POST, including /v1/widgets/w1/actions, performs an
// action.
//
// The Style of the [Plan] decides where the client reads the status:
//
//   - In an operation resource. The first response is a 202 with the operation
//     resource as its body. Its member href is its URL; [Location] and
//     [ContentLocation] add the header of that name, and [Href] adds none. The
//     default is Location. The status is first not_started, then the Words of
//     the plan or in_progress, and at the end succeeded, failed or canceled. A
//     DELETE of the URL cancels the operation. The URL stops working 24 hours
//     after the end.
//   - In the resource: [ResourceStatus], [LifecycleState] and
//     [ProvisioningStatus] as in VPC, [AppStatus] as in Code Engine.
//   - In last_operation of the instance, as in Resource Controller:
//     [LastOperation], the default below /v2/resource_instances.
//   - In a task, as in Cloud Databases: [Task], the default below
//     /v5/ibm/deployments. The resource must be below an existing deployment,
//     which [Service.Put] creates.
//   - In the first response: [Synchronous].
//
// Words and EndWord of a Plan replace the usual statuses. An Error is one entry
// of the array errors, and its Details are further entries. A refused request
// has such an array, too. The service refuses a second operation on a resource
// with 409, even if it is a DELETE.
func IBMCloud() *Service {
	return &Service{dialect: ibm{}, Expire: 24 * time.Hour}
}

// ibm is the dialect of IBM Cloud.
type ibm struct{}

// The views of an operation.
const (
	operations = "operations" // an operation resource
	tasks      = "tasks"      // of Cloud Databases
	undo       = "undo"       // the URL that cancels the last operation of Resource Controller
)

const (
	instances   = "/v2/resource_instances"
	deployments = "/v5/ibm/deployments"
)

var (
	version = regexp.MustCompile(`^/v\d+(/ibm)?(/|$)`)

	// byCRN matches an instance that is named by its CRN instead of its GUID.
	// The CRN contains a slash.
	byCRN = regexp.MustCompile(`^/v2/resource_instances/crn:.*:([^:/]+)::`)
)

// prefix returns the part of path before the first collection: a version and,
// in Cloud Databases, a vendor.
func prefix(path string) string { return strings.TrimSuffix(version.FindString(path), "/") }

// understand replaces the CRN of an instance with its GUID.
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

// creates reports whether a POST of path creates a resource: its last segment
// is a plural other than "actions".
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

// hides reports whether op has an operation resource, which is then the only
// thing that a client sees.
func (ibm) hides(op *operation) bool {
	return op.plan.Style.operates() && !op.plan.Style.has(Synchronous)
}

// keeps reports whether the resource stays after its deletion, as in Resource
// Controller.
func (ibm) keeps(op *operation) bool { return op.plan.Style.has(LastOperation) && !op.plan.Gone }

// crn returns the CRN of a part of an instance, which is given by its CRN or
// its GUID.
func crn(instance, rest string) string {
	if own, ok := strings.CutSuffix(instance, "::"); ok {
		return own + ":" + rest
	}
	return "crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:" + instance + ":" + rest
}
