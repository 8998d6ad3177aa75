package engine

import (
	"math"
	"net/http"
	"time"
)

// Forever is a Duration that never passes.
const Forever time.Duration = math.MaxInt64

// A Plan describes how an operation proceeds and ends. The fields that
// fakes.Plan also has are documented there.
type Plan struct {
	Style          Style
	StatusCode     int
	Polls          int
	Duration       time.Duration
	Words          []string
	Percent        bool
	RetryAfter     time.Duration
	RetryAfterDate bool
	Ending         Ending
	EndWord        string
	Error          Error
	FailureCode    int
	Result         any
	Operations     []Nested

	// A Dialect or a quirk sets the remaining fields.
	Echo     bool // a first response with status code 202 contains the resource
	Silent   bool // the client gets no URL to poll, so it reads the resource
	Hidden   bool // the resource is invisible until the operation has created it
	Kept     bool // the resource stays readable after the operation has deleted it
	Cycle    bool // whether to start over after the last of the Words
	OwnPause bool // RetryAfter is in the body instead of a header
}

// A Style is how a client learns the status of its operation. A Dialect can
// define more styles, starting with [FirstOwn].
type Style uint

// The styles of the Resource Provider Contract.
const (
	AzureAsyncOperation Style = 1 << iota
	OperationLocation
	Location
	ProvisioningState
	Synchronous
	FirstOwn
)

// Has reports whether s includes at least one of the styles in some.
func (s Style) Has(some Style) bool { return s&some != 0 }

// An Ending is the terminal state of an operation.
type Ending string

// The terminal states of the Resource Provider Contract.
const (
	Succeeded Ending = "Succeeded"
	Failed    Ending = "Failed"
	Canceled  Ending = "Canceled"
)

// An Error is an error in the format of the Resource Provider Contract.
type Error struct {
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"`
	Details []Error `json:"details,omitempty"`
}

// A Nested is the status of one part of an operation.
type Nested struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  *Error `json:"error,omitempty"`
}

// A plan is a Plan together with the method and path of the operations that it is for, and the
// number of operations that have used it.
type plan struct {
	Plan
	method, path string
	times, used  int
}

func (p *plan) matches(method, path string) bool {
	if p.times > 0 && p.used >= p.times {
		return false
	}
	// A GET starts an operation only if a plan has the Method GET.
	return (p.method == method || p.method == "" && method != http.MethodGet) && Under(path, p.path)
}

// planned returns the plan for an operation that a request starts, or nil if the default plan
// applies.
func (s *Service) planned(method, path string) *plan {
	for _, p := range s.plans {
		if p.matches(method, path) {
			return p
		}
	}
	return nil
}

// take returns the plan for a new operation and counts its use.
func (s *Service) take(q *Request) Plan {
	chosen := s.Default
	if p := s.planned(q.Method, q.Path); p != nil {
		p.used++
		chosen = p.Plan
	}
	return s.Dialect.Plan(s.adjust(q, chosen), q)
}

// Complete returns p with its zero values replaced by the defaults that the contract defines for
// method.
func (p Plan) Complete(method string) Plan {
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
	p.Silent = !p.Style.Has(AzureAsyncOperation | OperationLocation | Location)
	// "The resource should not be visible until the async operation completes."
	p.Hidden = p.Style == Location && (p.StatusCode == 0 || p.StatusCode == http.StatusAccepted)
	return p
}

// usual lists the usual statuses of an operation in progress, by method.
var usual = map[string][]string{
	http.MethodPut:    {"Accepted", "Provisioning"},
	http.MethodPatch:  {"Accepted", "Updating"},
	http.MethodDelete: {"Deleting"},
	http.MethodPost:   {"Accepted", "Running"},
	http.MethodGet:    {"Accepted", "Running"},
}
