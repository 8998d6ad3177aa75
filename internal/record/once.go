package record

import (
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// maxObeyed limits how long the poller obeys the service's instructions to wait if Detour.Once is
// set. The limit is short, because the operation may already have ended.
const maxObeyed = 5 * time.Minute

// failOnce handles the failure of a read that the strategy wanted only once; see [strategy.Detour].
// While the service asks for pauses of at most maxObeyed in total, the poller reads again. After
// that, or after any other failure, the strategy decides how the operation ended.
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

// Decide adopts m, the Move in which the strategy says how the operation ended; see [Failure].Once.
// The strategy received the Answer a. If m has no status, Decide changes nothing and returns false.
func (r *Record) Decide(a *strategy.Answer, m *Move, rules *Rules) bool {
	if m.Status.State == "" {
		return false
	}
	known := r.Status
	_ = r.Adopt(a, m, rules)
	r.Status.StatusCode = known.StatusCode // these three fields describe the last response that reported a status
	r.Status.RequestID = known.RequestID
	r.Status.CorrelationID = known.CorrelationID
	return true
}
