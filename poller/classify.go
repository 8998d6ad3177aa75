package poller

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// A Verdict says what to do after an error; see [Classify].
type Verdict string

// The verdicts of [Classify].
const (
	Ended Verdict = "ended" // the operation has ended: store how it ended
	Later Verdict = "later" // the same call may succeed later
	Stuck Verdict = "stuck" // the same call fails until someone changes something
)

// Classify says what an error from this package means for the operation. The error may be wrapped.
// Classify returns "" for nil.
//
// After an error from [Begin] or [New], decide in this order:
//  1. [MayHaveStarted]: store the ResumeToken of a [*lroerrors.WaitError]. After any other error,
//     look for the operation before you send the request again. If a GET finds no resource
//     (ErrNotFound, whose verdict is Later), send a PUT again.
//  2. Later or [Retryable]: nothing was started. Send the request again after a pause, such as the
//     RetryAfter of the [*lroerrors.StatusError].
//  3. Stuck: nothing was started. Send nothing until someone has acted.
//
// After an error from any other call, store the new token, then decide by verdict:
//  1. Ended: in place of the token, store how the operation ended. After a
//     [*lroerrors.ResultError], the operation has succeeded; keep the token to read the result
//     again, with Advance or Result. After an [*lroerrors.OperationError], Retryable says whether
//     to start another operation.
//  2. Later: keep the token, and call again at NextPoll.
//  3. Stuck: keep the token, and call again once someone has acted. After Gone or ErrBadToken,
//     look at the resource to learn how the operation ended: it failed if the resource is not as
//     requested, or is missing although no deletion was requested. Neither error alone is a reason
//     to start the operation again.
//
// The verdict is Later for ErrNotDone, for the end of a context, for a failed read, and for a
// WaitError whose context ended or whose patience ran out. It is also Later for a request that got
// no response or a 408, 409, 424, 425, 429 or 5xx, and for a GET of Begin or New whose response
// cannot be followed, unless the reason is the options or an invalid certificate. It is Stuck for
// any other error, such as a request refused with another code, a WaitError with the reason
// Refused, Gone or Unfollowable, invalid options, and a token that is invalid, too new or for
// another origin.
func Classify(err error) Verdict {
	if err == nil {
		return ""
	}
	switch err := endingIn(err).(type) { //nolint:errorlint // endingIn has unwrapped it
	case *lroerrors.OperationError, *lroerrors.ResultError:
		return Ended
	case *lroerrors.WaitError:
		return classifyWait(err)
	case *lroerrors.StatusError:
		return classifyStatus(err)
	}
	if matchesAny(err, passing) {
		return Later
	}
	return Stuck
}

// endingIn returns the OperationError that err wraps, or else its ResultError, WaitError or
// StatusError, or else err itself.
func endingIn(err error) error {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case errors.As(err, &operation):
		return operation
	case errors.As(err, &result):
		return result
	case errors.As(err, &wait):
		return wait
	case errors.As(err, &status):
		return status
	}
	return err
}

var (
	// passing lists the errors after which the same call may succeed later.
	passing = []error{context.Canceled, context.DeadlineExceeded, lroerrors.ErrNotDone}

	// lasting lists the errors that recur until the caller changes the options or the call.
	lasting = []error{lroerrors.ErrForeignOrigin, strategy.ErrNotApplicable, exchange.ErrRejected}

	// busy lists the status codes below 500 that report a temporary refusal.
	busy = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusFailedDependency, http.StatusTooEarly, http.StatusTooManyRequests}
)

var verdicts = map[lroerrors.Reason]Verdict{
	lroerrors.ReasonDeadline:     Later,
	lroerrors.ReasonCanceled:     Later,
	lroerrors.ReasonPatience:     Later,
	lroerrors.ReasonRefused:      Stuck,
	lroerrors.ReasonGone:         Stuck,
	lroerrors.ReasonUnfollowable: Stuck,
}

func matchesAny(err error, targets []error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

func classifyWait(wait *lroerrors.WaitError) Verdict {
	if startedNothing(wait) && !matchesAny(wait, lasting) {
		return Later
	}
	return cmp.Or(verdicts[wait.Reason], Stuck)
}

// startedNothing reports whether the first request was only a read, which starts no operation, and
// the wait ended because the response to that request cannot be followed. If there was a poll,
// startedNothing returns false, because the operation exists.
func startedNothing(wait *lroerrors.WaitError) bool {
	wasPolled := wait.Polls > 0
	if wasPolled || wait.Reason != lroerrors.ReasonUnfollowable {
		return false
	}
	return wait.LastErr != nil && isRead(wait.LastErr)
}

// isRead reports whether the request was a GET, a HEAD or a Watch's read. The StatusError of a
// Watch's read has no Method.
func isRead(status *lroerrors.StatusError) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, ""}, status.Method)
}

func classifyStatus(status *lroerrors.StatusError) Verdict {
	if isPermanent(status) {
		return Stuck
	}
	switch status.StatusCode / 100 {
	case 0, 5:
		return Later
	case 2:
		return Stuck // the service accepted the request, but the operation cannot be followed
	}
	isFailedRead := isRead(status) // a failed read says nothing about the operation
	if isFailedRead || isBusy(status) {
		return Later
	}
	return Stuck
}

// isPermanent reports whether a retry would fail in the same way because of the options or a
// certificate.
func isPermanent(status *lroerrors.StatusError) bool {
	return matchesAny(status, lasting) || exchange.Permanent(status)
}

// isBusy reports whether the service refused a request only temporarily.
func isBusy(status *lroerrors.StatusError) bool {
	return slices.Contains(busy, status.StatusCode)
}

// MayHaveStarted reports whether a request may have started an operation even though Begin or New
// returned err; see [Classify] for what to do. It returns true for errors about an existing
// operation, and for a write's [*lroerrors.StatusError] if Unanswered is set, the code is a 2xx,
// 408 or 5xx, or there was no response. It returns false if the write cannot have arrived: there
// was no connection, or the error matches ErrNotSent.
func MayHaveStarted(err error) bool {
	switch err := endingIn(err).(type) { //nolint:errorlint // endingIn has unwrapped it
	case *lroerrors.OperationError, *lroerrors.ResultError:
		return true
	case *lroerrors.WaitError:
		return !startedNothing(err)
	case *lroerrors.StatusError:
		return err.Unanswered || mayHaveTakenEffect(err)
	}
	return false
}

// mayHaveTakenEffect reports whether the service may have carried out the request.
func mayHaveTakenEffect(status *lroerrors.StatusError) bool {
	if status.StatusCode/100 == 2 {
		return status.Method != http.MethodGet // Method is "" if the response passed to New had no Request
	}
	if isRead(status) {
		return false
	}
	switch status.StatusCode / 100 {
	case 0:
		return mayHaveBeenReceived(status)
	case 5:
		return true
	}
	return status.StatusCode == http.StatusRequestTimeout
}

// mayHaveBeenReceived reports whether the service may have received a request that got no response.
// It returns false for requests sent by package transport, which sets Unanswered instead.
func mayHaveBeenReceived(status *lroerrors.StatusError) bool {
	isUnknown := status.Attempts == 0
	wasNotSent := errors.Is(status, lroerrors.ErrNotSent)
	couldNotConnect := exchange.Unsent(status)
	if wasNotSent || couldNotConnect {
		return false
	}
	return isUnknown
}
