package resource

import (
	"encoding/json"
	"fmt"

	"github.com/lro-go/lro/poller/strategy"
)

// kind is the Kind of this package's memos. Package ibmcloud uses another Kind.
const kind = "resource"

// A memo is what a Strategy keeps in Move.Memo from one response to the next.
type memo struct {
	Kind   string `json:"ibmcloud"` // always the constant kind
	Status string `json:"status"`   // JSON pointer to the status; must equal the strategy's pointer

	Cancel bool `json:"cancel,omitempty"` // a DELETE of CancelPath can cancel the operation now

	Succeeded []string `json:"succeeded"`          // the words that mean success; stored because they may depend on the request
	Deleting  bool     `json:"deleting,omitempty"` // the resource is being deleted
	Begun     bool     `json:"begun,omitempty"`    // the first response to a DELETE showed a word that means neither failure nor cancellation
	Failing   bool     `json:"failing,omitempty"`  // the last read showed a failure or cancellation; set only if Begun is set
	Moved     bool     `json:"moved,omitempty"`    // a later read showed a word that means neither failure nor cancellation
	Old       bool     `json:"old,omitempty"`      // the first response was not a 202 and showed an earlier operation, so the request may not have started a new operation
}

func (m memo) json() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail: the fields are strings and bools
	return b
}

// remember decodes a.Memo. It returns an error unless a Strategy with the same pointer to the
// status wrote the memo.
func remember(a strategy.Answer, status string) (memo, error) {
	var m memo
	err := json.Unmarshal(a.Memo, &m)
	if err != nil || m.Kind != kind || m.Status != status {
		return memo{}, fmt.Errorf("%w: the token was not made with a resource.Strategy with the status at %q", strategy.ErrNotApplicable, status)
	}
	return m, nil
}
