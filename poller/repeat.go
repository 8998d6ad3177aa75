package poller

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Repeat says when the first request is sent again: [Begin] sends one again that
// was refused, and a poller begins an operation again that failed. The zero Repeat
// is ready to use. It holds for every verb: who sets Options.Repeat says that the
// request may be sent more than once.
//
// A request that got no answer is not sent again, because the service may have
// begun the operation. Where it was the context of a Poll or a wait that ended before
// the answer came, the time counts, and the request is sent again after the pause.
type Repeat struct {
	// When decides by the error: the [*lroerrors.StatusError] that refused the
	// request, or the [*lroerrors.OperationError] that ended the operation. It is a
	// pure function. Nil: [Retryable].
	When func(error) bool

	// Times is how often the request is sent again in all, at most. 0 or less: 3.
	Times int

	// Every is the pause before each time, unless the service asked for a longer one
	// by Retry-After. Nothing is sent earlier, by Poll and WakeUp neither, and the
	// pause is not cut to fit a deadline. 0 or less: 30 s (quirk W57).
	Every time.Duration

	// Request makes the request anew, for the origins that the poller may ask. Nil:
	// it is Begin's own with all its headers, so that a credential among them may have
	// expired, and its body must be one that can be read again (GetBody).
	// After New and Resume there is none, and the failure counts.
	Request func() (*http.Request, error)
}

// String describes a repeat by its numbers.
func (r Repeat) String() string {
	return fmt.Sprintf("{When:%t Times:%d Every:%s Request:%t}", r.When != nil, r.Times, r.Every, r.Request != nil)
}

// withDefaults returns a copy of r that is ours; nil of nil.
func (r *Repeat) withDefaults() *Repeat {
	if r == nil {
		return nil
	}
	mine := *r
	if mine.When == nil {
		mine.When = Retryable
	}
	if mine.Times <= 0 {
		mine.Times = 3
	}
	mine.Every = orDefault(mine.Every, 30*time.Second)
	return &mine
}

// Retryable reports whether a service calls its error one to try again: a request
// refused with 409 (quirks W57 and W58) or 429 (W49), or an error with the code
// AnotherOperationInProgress, ReferencedResourceNotProvisioned, RetryableError or
// StorageAccountOperationInProgress, in its details too (W23). InternalServerError
// (W21) is none of them: whether it is transient the caller knows.
func Retryable(err error) bool {
	if op, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		return isRetryable(op.Detail)
	}
	refused, ok := errors.AsType[*lroerrors.StatusError](err)
	if !ok {
		return false
	}
	return refused.StatusCode == http.StatusConflict || refused.StatusCode == http.StatusTooManyRequests || isRetryable(refused.Detail)
}

// retryableCodes are those seen (quirk W23), in lower case.
var retryableCodes = []string{
	"anotheroperationinprogress", "referencedresourcenotprovisioned", "retryableerror", "storageaccountoperationinprogress",
}

// isRetryable looks for one of the codes, in the details too.
func isRetryable(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	return slices.Contains(retryableCodes, strings.ToLower(d.Code)) ||
		slices.ContainsFunc(d.Details, func(sub lroerrors.Detail) bool { return isRetryable(&sub) })
}
