package record

import (
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// maxObeyed limits the time for which the poller obeys the service's instructions to wait if the
// operation may already have ended; see Once of [strategy.Detour].
const maxObeyed = 5 * time.Minute

// failOnce handles a read that reports no status if the strategy has set Once of [strategy.Detour].
// The strategy then decides how the operation ended, based on an earlier response. If the service
// asks the poller to wait, the poller first reads again, for up to maxObeyed.
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

// Decide adopts the Move that a strategy returned because of [Failure].Once, and reports whether
// the Move has a status. a is the Answer that the strategy received.
func (r *Record) Decide(a *strategy.Answer, m *Move, rules *Rules) bool {
	if m.Status.State == "" {
		return false
	}
	known := r.Status
	_ = r.Adopt(a, m, rules)
	r.Status.StatusCode = known.StatusCode // keep all three from the response that reported the status
	r.Status.RequestID = known.RequestID
	r.Status.CorrelationID = known.CorrelationID
	return true
}
