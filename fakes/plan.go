package fakes

import (
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Forever is the Duration of an operation that ends only when the test calls [Service.Finish],
// [Service.Cancel] or [Service.End], or when a client cancels or supersedes it.
const Forever time.Duration = engine.Forever

// A Plan describes how an operation proceeds and ends. The zero Plan matches
// every operation and makes it succeed after two polls.
type Plan struct {
	Method string // the method of the matching operations; all except GET by default
	Path   string // operations at or below this path match; all by default
	Times  int    // how many operations the plan can match; no limit by default

	Style      Style // how the client reads the status; by default, as the contract defines for the method
	StatusCode int   // the status code of the first response; the contract's status code by default

	// Polls is how many polls report progress before the operation ends; 2 by default, or none if
	// Duration is set or Polls is negative. If Polls and Duration are both positive, the operation
	// ends once that many polls have been answered and the Duration has passed. Only requests of
	// the Kind Poll count. If a client reads only the resource of an operation that has a status
	// URL, set Duration. Without it, such an operation never ends.
	Polls int

	Duration time.Duration // the minimum duration of the operation; none by default

	// Words are the statuses of an operation in progress. The first response and the first poll
	// report the first word, the second poll reports the second, and so on. The last word repeats.
	// By default, the service reports the usual statuses for the method.
	Words   []string
	Percent bool // whether the status document contains percentComplete

	// RetryAfter is the Retry-After of the first response and of every response that reports
	// progress, rounded up to whole seconds; none by default. Use [Header] for other values.
	RetryAfter     time.Duration
	RetryAfterDate bool // whether to send RetryAfter as an HTTP date, a form that the contract does not define

	// Ending is the terminal state; Succeeded by default. With any other Ending, an update restores
	// the old body, and a deletion leaves the resource in place. A creation also leaves the new
	// resource in place, unless the Style is Location alone. A resource that remains has the
	// EndWord as its provisioningState. A Synchronous operation that does not succeed changes
	// nothing, and an action never changes the resource.
	Ending Ending

	EndWord     string   // the status that reports the Ending, such as "Completed"; Ending by default
	Error       Error    // the error of an unsuccessful operation; by default, a generic error for the Ending
	FailureCode int      // the status code of a Location or Synchronous response that reports the Error; 409 by default
	Result      any      // the result of a successful POST; none by default, so that a Location or Synchronous response is a 204
	Operations  []Nested // the nested operations in the status document; none by default
}

// A Style defines how a client learns an operation's status. Styles can be combined:
// AzureAsyncOperation|Location sends both headers. Package ibmcloud has more styles.
type Style = engine.Style

const (
	// AzureAsyncOperation sends the Azure-AsyncOperation header. Its URL
	// returns 200 and a status document.
	AzureAsyncOperation Style = engine.AzureAsyncOperation

	// OperationLocation sends the Operation-Location header of Azure's data planes. Its URL returns
	// 200 and a status document. If the operation succeeds, the final document contains
	// resourceLocation for a PUT or PATCH, and the plan's Result for any other method.
	OperationLocation Style = engine.OperationLocation

	// Location sends the Location header. Its URL returns 202 and no body while the operation is in
	// progress, and then the response of a synchronous operation. If a PUT uses this style alone,
	// its first response is a 202, and the resource is not visible until the operation has
	// succeeded.
	Location Style = engine.Location

	// ProvisioningState sends no polling header. The client reads the resource,
	// whose provisioningState is the status.
	ProvisioningState Style = engine.ProvisioningState

	// Synchronous ends the operation in the first response, which contains the result.
	Synchronous Style = engine.Synchronous
)

// An Ending is the terminal state of an operation.
type Ending = engine.Ending

// The terminal states of the Resource Provider Contract.
const (
	Succeeded Ending = engine.Succeeded
	Failed    Ending = engine.Failed
	Canceled  Ending = engine.Canceled
)

// An Error is an error in the Resource Provider Contract's format, which follows OData.
type Error struct {
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"`
	Details []Error `json:"details,omitempty"`
}

// A Nested is the status of a nested operation.
type Nested struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  *Error `json:"error,omitempty"`
}

func (p Plan) engine() engine.Plan {
	e := engine.Plan{
		Style: p.Style, StatusCode: p.StatusCode, Polls: p.Polls, Duration: p.Duration, Words: p.Words, Percent: p.Percent,
		RetryAfter: p.RetryAfter, RetryAfterDate: p.RetryAfterDate, Ending: p.Ending, EndWord: p.EndWord, Error: p.Error.engine(),
		FailureCode: p.FailureCode, Result: p.Result,
	}
	for _, n := range p.Operations {
		nested := engine.Nested{Name: n.Name, Status: n.Status}
		if n.Error != nil {
			err := n.Error.engine()
			nested.Error = &err
		}
		e.Operations = append(e.Operations, nested)
	}
	return e
}

func (e Error) engine() engine.Error {
	out := engine.Error{Code: e.Code, Message: e.Message, Target: e.Target}
	for _, detail := range e.Details {
		out.Details = append(out.Details, detail.engine())
	}
	return out
}

func fromEngine(e engine.Error) Error {
	out := Error{Code: e.Code, Message: e.Message, Target: e.Target}
	for _, detail := range e.Details {
		out.Details = append(out.Details, fromEngine(detail))
	}
	return out
}
