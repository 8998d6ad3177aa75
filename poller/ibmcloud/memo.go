package ibmcloud

import (
	"encoding/json"
	"fmt"

	"github.com/lro-go/lro/poller"
)

// A memo says in a token which strategy made it.
type memo string

type memoDocument struct {
	Strategy memo `json:"ibmcloud"`
}

func (m memo) json() json.RawMessage {
	b, _ := json.Marshal(memoDocument{m}) // a string: it cannot fail
	return b
}

// check reports a memo that is another strategy's.
func (m memo) check(a poller.Answer) error {
	var doc memoDocument
	if json.Unmarshal(a.Memo, &doc) != nil || doc.Strategy != m {
		return fmt.Errorf("%w: its memo is not that of ibmcloud's %s", poller.ErrNotApplicable, m)
	}
	return nil
}
