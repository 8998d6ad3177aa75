package flags

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// A deletion wraps the strategy provisioning-state, so that lro watch also succeeds if the resource
// is gone and was last seen as Deleting. After any other state, a 404 may be temporary.
type deletion struct{ poller.Strategy }

// EndOnDeletion changes the strategy provisioning-state, so that the wait also succeeds once the
// resource has been deleted. It leaves other strategies, such as those for IBM Cloud, unchanged.
func (f *Flags) EndOnDeletion() {
	if f.strategy.Strategy == arm.ProvisioningState {
		f.strategy.Strategy = deletion{arm.ProvisioningState}
	}
}

// ReadsResource reports whether the wait reads an Azure resource. Call EndOnDeletion first.
func (f *Flags) ReadsResource() bool {
	_, ok := f.strategy.Strategy.(deletion)
	return ok
}

// StepIn implements [strategy.Wrapper].
func (d deletion) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	isWatch := a.Method == http.MethodGet // after a PUT, a missing resource does not mean success
	isGone := a.Code == http.StatusNotFound || a.Code == http.StatusGone
	wasDeleting := strings.EqualFold(a.Status.Word, "Deleting")
	if in.Lost == "" && isWatch && isGone && wasDeleting {
		return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Memo: a.Memo}, strategy.Detour{}, nil
	}
	return check.StepIn(d.Strategy, a, in)
}
