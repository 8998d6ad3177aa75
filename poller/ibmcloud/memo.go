package ibmcloud

import (
	"encoding/json"
	"fmt"

	"github.com/lro-go/lro/poller/strategy"
)

// kindOperation is the Kind of this package's memos. Package resource uses another Kind.
const kindOperation = "operation"

// A memo is the state that an Operation keeps in Move.Memo between responses.
type memo struct {
	Kind   string `json:"ibmcloud"`
	Status string `json:"status"` // JSON pointer to the status; must equal the strategy's pointer

	Cancel bool `json:"cancel,omitempty"` // whether Cancel may send a DELETE: the first response was a 202 or the first request was a GET

	Succeeded []string `json:"succeeded"` // always null here; used by resource.Strategy, whose memos have the same form
}

func (m memo) json() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail, because all fields can be encoded
	return b
}

// remember decodes the memo in an answer. It returns an error if another strategy wrote the memo.
func remember(a strategy.Answer, status string) (memo, error) {
	var m memo
	err := json.Unmarshal(a.Memo, &m)
	if err != nil || m.Kind != kindOperation || m.Status != status {
		return memo{}, fmt.Errorf("%w: the token was not made with an ibmcloud operation with the status at %q", strategy.ErrNotApplicable, status)
	}
	return m, nil
}
