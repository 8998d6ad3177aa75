package ibmcloud

import (
	"encoding/json"
	"fmt"

	"github.com/lro-go/lro/poller"
)

// The kinds of memos.
const (
	anOperation = "operation"
	aResource   = "resource"
)

// A memo is what a strategy remembers, and so what a token holds of it.
type memo struct {
	Kind   string `json:"ibmcloud"`
	Status string `json:"status"` // JSON pointer: another one would look at another thing

	Cancel    bool     `json:"cancel,omitempty"`   // an operation: there is no doubt that its URL is its own
	Succeeded []string `json:"succeeded"`          // a resource: the words of success, for they depend on what was asked for
	Deleting  bool     `json:"deleting,omitempty"` // a resource that is to go
	Begun     bool     `json:"begun,omitempty"`    // its first answer showed a word that is no failure
	Failing   bool     `json:"failing,omitempty"`  // and the last read showed one of failure
	Moved     bool     `json:"moved,omitempty"`    // and that has shown a word of its deletion, not of what was before
	Old       bool     `json:"old,omitempty"`      // the first answer, no 202, told of an earlier operation: there may be none of this one
}

func (m memo) json() json.RawMessage {
	b, _ := json.Marshal(m) // strings and booleans: it cannot fail
	return b
}

// offer adds the way to cancel an operation, where there is one.
func (m memo) offer(mv poller.Move) poller.Move {
	if m.Cancel {
		mv.Cancel = cancelBy("")
	}
	return mv
}

// remember reads the memo of an answer, unless it is another strategy's.
func remember(a poller.Answer, kind, status string) (memo, error) {
	var m memo
	if json.Unmarshal(a.Memo, &m) != nil || m.Kind != kind || m.Status != status {
		return memo{}, fmt.Errorf("%w: its memo is not that of an ibmcloud %s with the status at %q", poller.ErrNotApplicable, kind, status)
	}
	return m, nil
}
