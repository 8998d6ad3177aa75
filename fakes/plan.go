package fakes

import (
	"math"
	"net/http"
	"time"
)

// Forever is the Duration of an operation that ends only when the test calls
// [Service.Finish] or [Service.Cancel], or when a client cancels or supersedes
// it.
const Forever time.Duration = math.MaxInt64

// A Plan describes how an operation proceeds and ends. The zero Plan matches
// every operation, which then succeeds after two polls.
type Plan struct {
	Method string // of the operations that it matches; "" all except GET
	Path   string // of the operations that it matches, with all paths below; "" all
	Times  int    // how many operations it can match; 0: any number

	Style      Style // how the client reads the status; 0: as the contract says for the method
	StatusCode int   // of the first response; 0: as the contract says
	Echo       bool  // a first response of 202 has the resource as its body, as in ARO-HCP

	// The operation is in progress for Polls polls and until Duration has
	// passed, whichever is later. If Polls is 0, it means two polls, or none if
	// Duration is set. A negative number means none.
	Polls    int
	Duration time.Duration

	// Words are the statuses in progress: the first poll reports the first one,
	// the second poll the second one, and so on. The last one repeats. The
	// first response has the first one, too. None: the usual statuses for the
	// method.
	Words   []string
	Percent bool // the status document has percentComplete

	// RetryAfter is the Retry-After of the first response and of every response
	// in progress, in whole seconds, rounded up. 0: none. Use [Header] for
	// other values.
	RetryAfter     time.Duration
	RetryAfterDate bool // as an HTTP date, which the contract does not define

	Ending      Ending   // the terminal state; "" Succeeded
	EndWord     string   // how the service writes the Ending, such as "Completed"; "" like Ending
	Error       Error    // of an operation that does not succeed; zero: a default error
	FailureCode int      // the status code that reports the Error at Location or in a synchronous response; 0: 409
	Result      any      // the result of a POST that succeeds; nil: none, with 204
	Operations  []Nested // the nested operations of the status document

	round bool // after the last of Words comes the first

	// For operations of [IBMCloud] only.
	Relative bool   // the URLs in responses have no scheme and host
	Target   string // JSON pointer to the URL of the resource in the operation; "/resource/href"
	Gone     bool   // after a deletion with LastOperation the instance is 404, not removed
}

// A Style is how a client learns the status of its operation. Styles can be
// combined: AzureAsyncOperation|Location sends both headers.
type Style uint

const (
	// AzureAsyncOperation is the header Azure-AsyncOperation. Its URL responds
	// with 200 and a status document.
	AzureAsyncOperation Style = 1 << iota

	// OperationLocation is the header Operation-Location of Azure's data
	// planes. Its URL responds with 200 and a status document. At the end the
	// document has resourceLocation, or the result of a POST.
	OperationLocation

	// Location is the header Location. Its URL responds with 202 and no body
	// while the operation is in progress, and then with the response of a
	// synchronous operation. The first response to a PUT with this header alone
	// is 202, and the resource is not visible until the operation has
	// succeeded.
	Location

	// ProvisioningState sends no header. The client reads the resource, whose
	// provisioningState is the status.
	ProvisioningState

	// Synchronous is not a long-running operation: the first response has the
	// result.
	Synchronous
)

// Styles of [IBMCloud]. There, Location is the URL of an operation resource, and
// can be combined with ContentLocation and Href. The other styles stand alone.
const (
	// ContentLocation is the header Content-Location, with the URL of an
	// operation resource.
	ContentLocation Style = Synchronous << (1 + iota)

	// Href is an operation resource without a header. Its href is its URL.
	Href

	// Task is an operation of Cloud Databases. The first response has a task
	// with an ID, and /v5/ibm/tasks/{id} returns it. Its status goes from
	// queued to completed or failed, or to the EndWord, such as expired.
	Task

	// LastOperation is an operation of Resource Controller. The member
	// last_operation of the instance has the status in its own words, and the
	// pause before the next poll: RetryAfter, or 9 seconds. A DELETE of
	// last_operation cancels the operation.
	LastOperation

	// ResourceStatus is the member status of a VPC resource: pending, starting
	// and then running, or failed with status_reasons. VPC responds to a DELETE
	// with 204 long before the resource is gone.
	ResourceStatus

	// LifecycleState is the member lifecycle_state of a VPC resource: pending
	// and then stable, or failed with lifecycle_reasons.
	LifecycleState

	// ProvisioningStatus is the member provisioning_status of a load balancer:
	// create_pending and then active or failed.
	ProvisioningStatus

	// AppStatus is the member status of a Code Engine app: deploying and then
	// ready, or failed with the error code as status_details.reason.
	AppStatus
)

// silent reports whether the client gets no URL to poll.
func (s Style) silent() bool {
	return s&(AzureAsyncOperation|OperationLocation|Location|ContentLocation|Href|Task) == 0
}

// An Ending is the terminal state of an operation.
type Ending string

// The terminal states of the Resource Provider Contract.
const (
	Succeeded Ending = "Succeeded"
	Failed    Ending = "Failed"
	Canceled  Ending = "Canceled"
)

// An Error is an error in the format of the Resource Provider Contract, which
// follows OData.
type Error struct {
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"`
	Details []Error `json:"details,omitempty"`

	// For errors of [IBMCloud] only.
	MoreInfo   string `json:"-"`
	TargetType string `json:"-"` // the type of Target; "field"
}

// A Nested is the status of one part of an operation.
type Nested struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  *Error `json:"error,omitempty"`
}

// A plan is a Plan with the number of operations that have used it.
type plan struct {
	Plan
	used int
}

func (p *plan) matches(method, path string) bool {
	if p.Times > 0 && p.used >= p.Times {
		return false
	}
	// A GET starts an operation only if a plan names the method.
	return (p.Method == method || p.Method == "" && method != http.MethodGet) && under(path, p.Path)
}

// planned returns the plan of an operation, or nil for the default.
func (s *Service) planned(method, path string) *plan {
	for _, p := range s.plans {
		if p.matches(method, path) {
			return p
		}
	}
	return nil
}

// take returns the plan of a new operation and counts its use.
func (s *Service) take(q *question) Plan {
	chosen := s.Default
	if p := s.planned(q.method, q.path); p != nil {
		p.used++
		chosen = p.Plan
	}
	return s.speech().plan(s.quirky(q, chosen), q)
}

// complete replaces zero values with the defaults of the contract.
func (p Plan) complete(method string) Plan {
	if p.Style == 0 {
		p.Style = Location | AzureAsyncOperation
		if method == http.MethodPut {
			p.Style = AzureAsyncOperation
		}
	}
	if p.Polls == 0 && p.Duration == 0 {
		p.Polls = 2
	}
	if len(p.Words) == 0 {
		p.Words = usual[method]
	}
	if p.Ending == "" {
		p.Ending = Succeeded
	}
	if p.FailureCode == 0 {
		p.FailureCode = http.StatusConflict
	}
	return p
}

// usual has the usual statuses of an operation in progress.
var usual = map[string][]string{
	http.MethodPut:    {"Accepted", "Provisioning"},
	http.MethodPatch:  {"Accepted", "Updating"},
	http.MethodDelete: {"Deleting"},
	http.MethodPost:   {"Accepted", "Running"},
	http.MethodGet:    {"Accepted", "Running"},
}
