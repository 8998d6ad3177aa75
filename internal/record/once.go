package record

import (
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// maxObeyed limits how long a request to wait is obeyed if the operation may have ended already; see
// [strategy.Detour].
const maxObeyed = 5 * time.Minute

// failOnce handles a failed read after which the strategy says how the operation ended, because an
// earlier response did. It first obeys a request to wait.
func (r *Record) failOnce(read *Reading, spent effort, rules *Rules) *Failure {
	r.count(read, spent, false, true)
	r.backOff(read.Header, &rules.Cadence)
	r.Now = 0
	f := &Failure{Err: read.Err}
	waited := time.Duration(r.FailedReads().Spent)
	isObeyed := isInstruction(read) && waited+time.Duration(r.Pause) <= maxObeyed
	if isObeyed {
		return f
	}
	r.Once = false
	f.Reason = lroerrors.ReasonPatience
	f.AskStrategy = true
	f.Once = true
	return f
}

// Decide adopts the Move that a strategy returned because of [Failure].Once, and reports whether it
// has a status. a is the Answer that the strategy received.
func (r *Record) Decide(a *strategy.Answer, m *Move, rules *Rules) bool {
	if m.Status.State == "" {
		return false
	}
	known := r.Status
	_ = r.Adopt(a, m, rules)
	r.Status.StatusCode = known.StatusCode // the failed read did not report the status
	r.Status.RequestID = known.RequestID
	r.Status.CorrelationID = known.CorrelationID
	return true
}
