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

// A memo holds what a strategy remembers. A token stores it.
type memo struct {
	Kind   string `json:"ibmcloud"`
	Status string `json:"status"` // JSON pointer; the memo fits only a strategy that has the same one

	Cancel bool `json:"cancel,omitempty"` // a DELETE can cancel the operation now

	Succeeded []string `json:"succeeded"`          // of a resource: the words of success, which depend on the request
	Deleting  bool     `json:"deleting,omitempty"` // the resource is being deleted
	Begun     bool     `json:"begun,omitempty"`    // its first answer showed a word other than a failure
	Failing   bool     `json:"failing,omitempty"`  // and its last read showed a failure
	Moved     bool     `json:"moved,omitempty"`    // it has shown a word of its deletion, not of its state before that
	Old       bool     `json:"old,omitempty"`      // the first answer was not a 202 and showed an earlier operation: the request may have started none
}

func (m memo) json() json.RawMessage {
	b, _ := json.Marshal(m) // strings and booleans: it cannot fail
	return b
}

// remember decodes the memo of an answer, unless another strategy wrote it.
func remember(a poller.Answer, kind, status string) (memo, error) {
	var m memo
	if json.Unmarshal(a.Memo, &m) != nil || m.Kind != kind || m.Status != status {
		return memo{}, fmt.Errorf("%w: its memo does not belong to an ibmcloud %s with the status at %q", poller.ErrNotApplicable, kind, status)
	}
	return m, nil
}
