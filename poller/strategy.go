package poller

import (
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// A Strategy implements one protocol; to write one, see [strategy.Strategy].
type Strategy = strategy.Strategy

// A State is the meaning of a service's status word; see [strategy.State].
type State = strategy.State

// The states of an operation. All but InProgress are terminal.
const (
	InProgress = strategy.InProgress
	Succeeded  = strategy.Succeeded
	Failed     = strategy.Failed
	Canceled   = strategy.Canceled
)

// A Status describes an operation's state and progress; see [strategy.Status].
type Status = strategy.Status

// A Request is the request that [Poller.Cancel] sends; see [strategy.Request].
type Request = strategy.Request

// FinalStateVia says where to find the result; see [strategy.FinalStateVia].
type FinalStateVia = strategy.FinalStateVia

// The values of [FinalStateVia]; package strategy lists the methods for each.
const (
	FinalStateViaAzureAsyncOp = strategy.FinalStateViaAzureAsyncOp // the status document itself
	FinalStateViaLocation     = strategy.FinalStateViaLocation     // the URL in the Location header
	FinalStateViaOriginalURI  = strategy.FinalStateViaOriginalURI  // the URL of the first request
	FinalStateViaOpLocation   = strategy.FinalStateViaOpLocation   // the status document itself
)

// A Check describes an extra read for [Confirm] or [CrossCheck]; see [check.Check].
type Check = check.Check

// Confirm wraps s, or [arm.Auto] if s is nil, in a strategy that accepts a success only once the
// check agrees; see [check.Confirm].
func Confirm(s Strategy, c Check) Strategy {
	if s == nil {
		s = arm.Auto
	}
	return check.Confirm(s, c)
}

// CrossCheck wraps s, or [arm.Auto] if s is nil, in a strategy that runs the check when the status
// is lost or overdue; see [check.CrossCheck].
func CrossCheck(s Strategy, c Check) Strategy {
	if s == nil {
		s = arm.Auto
	}
	return check.CrossCheck(s, c)
}
