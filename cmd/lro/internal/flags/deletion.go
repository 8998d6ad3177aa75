package flags

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// A deletion wraps arm.ProvisioningState for lro watch. It ends the wait with success if the
// resource is gone and its last state was Deleting. arm.ProvisioningState alone does so only after
// a DELETE, but lro watch sends only GETs. If the last state was not Deleting, a 404 may be
// temporary, for example right after a creation.
type deletion struct{ poller.Strategy }

// EndOnDeletion makes a wait that reads a resource of Azure succeed once the resource has been
// deleted. It does not change the strategies for resources of IBM Cloud. They end the wait as soon
// as a deletion starts.
func (f *Flags) EndOnDeletion() {
	if f.strategy.Strategy == arm.ProvisioningState {
		f.strategy.Strategy = deletion{arm.ProvisioningState}
	}
}

// ReadsResource reports whether EndOnDeletion had an effect, that is, whether the wait reads a
// resource of Azure.
func (f *Flags) ReadsResource() bool {
	_, ok := f.strategy.Strategy.(deletion)
	return ok
}

// StepIn implements [strategy.Wrapper].
func (d deletion) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	isWatch := a.Method == http.MethodGet // if a PUT started the operation, the deletion of the resource does not mean success
	isGone := a.Code == http.StatusNotFound || a.Code == http.StatusGone
	wasDeleting := strings.EqualFold(a.Status.Word, "Deleting")
	if in.Lost == "" && isWatch && isGone && wasDeleting {
		return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Memo: a.Memo}, strategy.Detour{}, nil
	}
	return check.StepIn(d.Strategy, a, in)
}
