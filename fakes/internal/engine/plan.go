package engine

import (
	"cmp"
	"math"
	"net/http"
	"time"
)

// Forever is the Duration of an operation that never ends on its own.
const Forever time.Duration = math.MaxInt64

// A Plan describes how an operation proceeds and ends. Fields it shares with fakes.Plan are
// documented there.
type Plan struct {
	Style          Style
	StatusCode     int
	Polls          int
	Duration       time.Duration
	Words          []string
	RetryAfter     time.Duration
	Ending         Ending
	EndWord        string
	Error          Error
	FailureCode    int
	Result         any
	Operations     []Nested
	Percent        bool
	RetryAfterDate bool

	// The following fields are not in fakes.Plan. Only Complete, a Dialect or a quirk sets them.
	Echo             bool // a first response with status code 202 contains the resource
	Silent           bool // the client gets no URL to poll, so it polls the resource
	Hidden           bool // the resource is invisible until the operation has created it
	Kept             bool // the resource remains readable after a successful DELETE
	Cycle            bool // the whole list of Words repeats, instead of only its last word
	RetryAfterInBody bool // RetryAfter is in the body instead of a header

	FirstWord time.Duration // the maximum time for which the operation reports the first of the Words; 0 means that only polls change the word
}

// A Style is how a client learns its operation's status. A Dialect can define more styles, with
// values starting at [FirstOwn].
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

// Has reports whether s includes at least one of the given styles.
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

// orDefault returns e or, if e is empty, a default error for the ending.
func (e Error) orDefault(ending Ending) *Error {
	if e.Code != "" || e.Message != "" {
		return &e
	}
	if ending == Canceled {
		return &Error{Code: "Canceled", Message: "The operation was canceled."}
	}
	return &Error{Code: "OperationFailed", Message: "The operation failed."}
}

// A Nested is the status of a nested operation.
type Nested struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  *Error `json:"error,omitempty"`
}

// Complete returns p with defaults for the given method in place of zero values. It always sets
// Silent and Hidden, which follow from the Style and the StatusCode.
func (p Plan) Complete(method string) Plan {
	if p.Style == 0 {
		p.Style = Location | AzureAsyncOperation
		if method == http.MethodPut {
			p.Style = AzureAsyncOperation
		}
	}
	if p.Polls == 0 && p.Duration <= 0 {
		p.Polls = 2
	}
	if len(p.Words) == 0 {
		p.Words = usualWords[method]
	}
	p.Ending = cmp.Or(p.Ending, Succeeded)
	p.FailureCode = cmp.Or(p.FailureCode, http.StatusConflict)
	p.Silent = !p.Style.Has(AzureAsyncOperation | OperationLocation | Location)
	// The contract says: "The resource should not be visible until the async operation completes."
	p.Hidden = p.Style == Location && (p.StatusCode == 0 || p.StatusCode == http.StatusAccepted)
	return p
}

// usualWords lists the usual statuses of an operation in progress, by method.
var usualWords = map[string][]string{
	http.MethodPut:    {"Accepted", "Provisioning"},
	http.MethodPatch:  {"Accepted", "Updating"},
	http.MethodDelete: {"Deleting"},
	http.MethodPost:   {"Accepted", "Running"},
	http.MethodGet:    {"Accepted", "Running"},
}

// A plan is a Plan with the method and path of the operations it matches, how many it can match (0
// means no limit), and how many have used it.
type plan struct {
	Plan
	method, path string
	times, used  int
}

// matches reports whether p applies to an operation with this method and path. A plan without a
// method matches every method except GET.
func (p *plan) matches(method, path string) bool {
	if p.times > 0 && p.used >= p.times {
		return false
	}
	if p.method == "" && method == http.MethodGet {
		return false
	}
	return (p.method == "" || p.method == method) && Under(path, p.path)
}

// isMoreSpecificThan reports whether p takes precedence over the other plan. Both plans match the
// same operation, so if their paths differ, the longer path is below the shorter one.
func (p *plan) isMoreSpecificThan(other *plan) bool {
	depth, otherDepth := len(Key(p.path)), len(Key(other.path))
	if depth != otherDepth {
		return depth > otherDepth
	}
	return p.method != "" && other.method == ""
}
