package fakes

import (
	"math"
	"net/http"
	"time"
)

// Forever is the Duration of an operation that does not end by itself.
const Forever time.Duration = math.MaxInt64

// A Plan is what becomes of an operation. The zero Plan matches every operation
// and lets it succeed after two polls.
type Plan struct {
	Method string // of the operations it is for; "" all but GET
	Path   string // they and everything below; "" all
	Times  int    // how many operations it is for; 0: any number

	Style      Style // how the client is told; 0: as the contract says for the verb
	StatusCode int   // of the answer that begins it; 0: as the contract says
	Echo       bool  // a 202 has the resource as its body, as ARO-HCP's for PATCH has

	// The operation is in progress for Polls polls and until Duration has
	// passed, whichever is later. Polls 0 means two, or none where there is a
	// Duration; a negative number none.
	Polls    int
	Duration time.Duration

	// Words are the status in progress: of the first poll, the second and so
	// on. The last is repeated, and the first stands in the answer that begins
	// the operation, too. None: words usual for the verb.
	Words   []string
	Percent bool // with percentComplete

	// RetryAfter is sent with the answer that begins the operation and with
	// every one in progress, in whole seconds, rounded up. 0: never. For other
	// values see [Header].
	RetryAfter     time.Duration
	RetryAfterDate bool // as a date instead, which the contract does not know

	Ending      Ending   // how it ends; "" Succeeded
	EndWord     string   // the service's own word for that, such as "Completed"; "" the Ending
	Error       Error    // of an ending that is no success; zero: one is made up
	FailureCode int      // and the status of such an ending where the answer is the synchronous one; 0: 409
	Result      any      // what a POST that succeeds answers; nil: nothing, with 204
	Operations  []Nested // nested statuses, in every status document

	round bool // Words begin anew after the last

	// Of the operations of [IBMCloud].
	Relative bool   // their URLs have no scheme and host
	Target   string // JSON pointer to the URL of the resource, in one that succeeded; "/resource/href"
	Gone     bool   // a LastOperation that deletes leaves a 404, not an instance that is removed
}

// A Style is the way in which a client learns how its operation is getting on.
// Styles add up: AzureAsyncOperation|Location sends both headers.
type Style uint

const (
	// AzureAsyncOperation is the header of that name. Its URL answers 200 with
	// a status document.
	AzureAsyncOperation Style = 1 << iota

	// OperationLocation is the header Operation-Location of Azure's data plane.
	// Its URL answers 200 with a status document that has resourceLocation, or
	// the result of a POST, at the end.
	OperationLocation

	// Location is the header of that name. Its URL answers 202 and no body
	// while the operation runs, and then what a synchronous operation would have
	// answered. A PUT with this header alone is answered 202, and the resource
	// is not visible until it is complete.
	Location

	// ProvisioningState is no header at all: the resource tells.
	ProvisioningState

	// Synchronous is no long-running operation: the first answer has the result.
	Synchronous
)

// Styles of [IBMCloud]. There Location is the header of an operation resource; to
// it ContentLocation and Href can be added, while the others stand alone.
const (
	// ContentLocation is the header of that name, with the URL of an operation
	// resource.
	ContentLocation Style = Synchronous << (1 + iota)

	// Href is an operation resource without a header: its href tells its URL.
	Href

	// Task is an operation of Cloud Databases: a task with an ID, and
	// /v5/ibm/tasks/{id} has it, from queued to completed, failed or, as EndWord,
	// expired.
	Task

	// LastOperation is the way of Resource Controller: last_operation of the
	// instance tells, in words of its own, the pause before the next poll, too,
	// which is 9 seconds or RetryAfter. A DELETE of it cancels.
	LastOperation

	// ResourceStatus is the member status of a VPC resource: pending, starting
	// and then running, or failed with status_reasons. A VPC answers a DELETE 204
	// long before the resource is gone.
	ResourceStatus

	// LifecycleState is the member lifecycle_state of a VPC resource: pending,
	// and then stable, or failed with lifecycle_reasons.
	LifecycleState

	// ProvisioningStatus is the member provisioning_status of a load balancer:
	// create_pending, and then active or failed.
	ProvisioningStatus

	// AppStatus is the member status of Code Engine: deploying, and then ready,
	// or failed with the code as status_details.reason.
	AppStatus
)

// silent says whether the client is given no URL.
func (s Style) silent() bool {
	return s&(AzureAsyncOperation|OperationLocation|Location|ContentLocation|Href|Task) == 0
}

// An Ending is how an operation ends.
type Ending string

// The three endings of the Resource Provider Contract.
const (
	Succeeded Ending = "Succeeded"
	Failed    Ending = "Failed"
	Canceled  Ending = "Canceled"
)

// An Error is an error as the Resource Provider Contract has it, after OData.
type Error struct {
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"`
	Details []Error `json:"details,omitempty"`

	// In the errors of [IBMCloud] only.
	MoreInfo   string `json:"-"`
	TargetType string `json:"-"` // of Target; "field"
}

// Nested is the status of a part of an operation.
type Nested struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  *Error `json:"error,omitempty"`
}

// A plan knows how many operations it was used for.
type plan struct {
	Plan
	used int
}

func (p *plan) matches(method, path string) bool {
	if p.Times > 0 && p.used >= p.Times {
		return false
	}
	// A GET begins something only where a plan says so.
	return (p.Method == method || p.Method == "" && method != http.MethodGet) && under(path, p.Path)
}

// planned is the plan for an operation, or nil for the default.
func (s *Service) planned(method, path string) *plan {
	for _, p := range s.plans {
		if p.matches(method, path) {
			return p
		}
	}
	return nil
}

// take uses up a plan for an operation.
func (s *Service) take(q *question) Plan {
	chosen := s.Default
	if p := s.planned(q.method, q.path); p != nil {
		p.used++
		chosen = p.Plan
	}
	return s.speech().plan(s.quirky(q, chosen), q)
}

// complete replaces zero values by what they mean in the contract.
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

// usual has words that services use while an operation runs.
var usual = map[string][]string{
	http.MethodPut:    {"Accepted", "Provisioning"},
	http.MethodPatch:  {"Accepted", "Updating"},
	http.MethodDelete: {"Deleting"},
	http.MethodPost:   {"Accepted", "Running"},
	http.MethodGet:    {"Accepted", "Running"},
}
