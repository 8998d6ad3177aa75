package engine

import (
	"net/http"
	"strconv"
	"time"
)

// The views of an operation, one for each kind of URL in the Resource Provider Contract. Every
// operation has all three URLs, and its style determines which ones the client gets.
const (
	StatusURL  = "statuses" // Azure-AsyncOperation
	ResultURL  = "results"  // Location
	MonitorURL = "monitors" // Operation-Location
)

// An Operation is a long-running operation. Its Service's mutex guards it.
type Operation struct {
	ID      string
	Plan    Plan
	Method  string
	Target  string                   // the path of the resource or the action
	Created bool                     // whether the operation creates the resource
	before  []byte                   // the resource's old body while a PUT or PATCH is in progress
	First   *Request                 // the request that started the operation, without its header and body
	Paths   func() map[string]string // returns the paths of the operation's URLs, by view

	Start    time.Time
	polls    int       // the number of polls answered while the operation was in progress
	lastPoll time.Time // the time of the last such poll

	End      time.Time // zero while the operation is in progress
	Ending   Ending
	EndWord  string      // the status after the operation has ended
	Failure  *Error      // nil unless the operation failed or was canceled
	Result   []byte      // the resource's body when the operation ended
	Reported bool        // whether a response has reported the terminal state
	Memo     string      // a value that the dialect's Paths method stores, such as a location
	notify   string      // the URI for the notification, or ""
	timer    *time.Timer // ends the operation even without polls; nil unless the client requested a notification
}

// Running reports whether op is in progress. It returns false for a nil op.
func (op *Operation) Running() bool { return op != nil && op.End.IsZero() }

// Succeeded reports whether op has succeeded.
func (op *Operation) Succeeded() bool { return !op.Running() && op.Ending == Succeeded }

// Refused reports whether op fails in its first response and therefore changes nothing.
func (op *Operation) Refused() bool {
	return op.Plan.Style == Synchronous && op.Plan.Ending != Succeeded
}

// writes reports whether op creates or changes the resource at its target. Deletions and most
// actions do not.
func (op *Operation) writes() bool {
	return op.Method == http.MethodPut || op.Method == http.MethodPatch || op.Created
}

// due reports whether op must end now: it is in progress, its planned polls have been answered, and
// its planned Duration has passed.
func (op *Operation) due() bool {
	return op.Running() && op.polls >= op.Plan.Polls && time.Since(op.Start) >= op.Plan.Duration
}

// dueTime returns the time at which op became due, even if no client read the status then.
func (op *Operation) dueTime() time.Time {
	end := op.Start.Add(op.Plan.Duration)
	if end.Before(op.lastPoll) {
		return op.lastPoll
	}
	return end
}

// Status returns the status that responses report for op.
func (op *Operation) Status() string {
	if !op.Running() {
		return op.EndWord
	}
	words := op.Plan.Words
	n := max(op.polls-1, 0)
	if op.Plan.FirstWord > 0 && time.Since(op.Start) >= op.Plan.FirstWord {
		n = max(n, 1)
	}
	if op.Plan.Cycle {
		n %= len(words)
	}
	return words[min(n, len(words)-1)]
}

// Percent returns the progress of op, from 0 to 100. While op is in progress, this is the completed
// share of the polls or of the planned Duration, but at most 99. If the plan sets both, Percent
// returns the smaller share. There is one more poll than Plan.Polls, because the last one reports
// the end.
func (op *Operation) Percent(now time.Time) float64 {
	if !op.Running() {
		return 100
	}
	done := 1.0
	if op.Plan.Polls > 0 {
		done = float64(op.polls) / float64(op.Plan.Polls+1)
	}
	if op.Plan.Duration > 0 {
		done = min(done, float64(now.Sub(op.Start))/float64(op.Plan.Duration))
	}
	return float64(int(100 * min(done, 0.99)))
}

// WriteCode returns the status code of a response that contains the resource of a PUT or PATCH: 201
// if op created the resource, and 200 otherwise.
func (op *Operation) WriteCode() int {
	if op.Created {
		return http.StatusCreated
	}
	return http.StatusOK
}

// SetRetryAfter adds the plan's Retry-After to a, in seconds or as a date. The contract defines
// only seconds.
func (op *Operation) SetRetryAfter(a Answer) {
	d := op.Plan.RetryAfter
	if d <= 0 || op.Plan.RetryAfterInBody {
		return
	}
	if !op.Plan.RetryAfterDate {
		a.Header.Set("Retry-After", Seconds(d))
		return
	}
	at := time.Now().Add(d + time.Second - 1) // round up, because an HTTP date has no fractions of a second
	a.Header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
}

// Seconds formats d in whole seconds, rounded up.
func Seconds(d time.Duration) string { return strconv.FormatInt(WholeSeconds(d), 10) }

// WholeSeconds returns d in whole seconds, rounded up.
func WholeSeconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}
