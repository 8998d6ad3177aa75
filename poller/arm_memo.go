package poller

import (
	"bytes"
	"encoding/json"
	"slices"
)

// armMemo is what the ARM strategies remember from answer to answer.
type armMemo struct {
	Strategy armStrategy `json:"strategy"`
	Location string      `json:"location,omitempty"` // of the result, absolute
	Member   string      `json:"member,omitempty"`   // of the status document, that is the result in hand; from azcore's tokens
	Itself   bool        `json:"itself,omitempty"`   // the operation was taken up by a GET of its own

	read *knownMemo // as it was read; nil: it is new
}

// A knownMemo is a memo whose text is known, so that it has to be neither encoded
// nor decoded. It is not changed.
type knownMemo struct {
	memo armMemo
	text json.RawMessage
}

// remembered is the memo of a move, which may be the same as before.
func remembered(mv Move, before *knownMemo) *knownMemo {
	switch {
	case mv.memo != nil:
		return mv.memo
	case len(mv.Memo) == 0:
		return nil
	case before != nil && bytes.Equal(before.text, mv.Memo):
		return before
	}
	for _, k := range bareMemos {
		if bytes.Equal(k.text, mv.Memo) {
			return k
		}
	}
	return &knownMemo{text: mv.Memo}
}

func (k *knownMemo) json() json.RawMessage {
	if k == nil {
		return nil
	}
	return k.text
}

func newKnownMemo(m armMemo) *knownMemo {
	text, _ := json.Marshal(m) // strings: it cannot fail
	return &knownMemo{m, slices.Clip(text)}
}

// bareMemos hold a strategy and no more, as most memos do. All operations share
// them.
var bareMemos = []*knownMemo{
	newKnownMemo(armMemo{Strategy: AzureAsyncOperation}), newKnownMemo(armMemo{Strategy: OperationLocation}),
	newKnownMemo(armMemo{Strategy: Location}), newKnownMemo(armMemo{Strategy: ProvisioningState}),
}

// readMemo decodes the memo of an answer.
func readMemo(a *Answer) (armMemo, error) {
	if k := a.told.memo; k != nil && k.memo.Strategy != "" && bytes.Equal(k.text, a.Memo) {
		return k.again(), nil
	}
	for _, k := range bareMemos {
		if bytes.Equal(k.text, a.Memo) {
			return k.again(), nil
		}
	}
	var m armMemo
	err := json.Unmarshal(a.Memo, &m)
	return m, err
}

func (k *knownMemo) again() armMemo {
	m := k.memo
	m.read = k
	return m
}

// known returns m with its text, which is made if it has changed.
func (m armMemo) known() *knownMemo {
	read := m.read
	m.read = nil
	if read != nil && read.memo == m {
		return read
	}
	for _, k := range bareMemos {
		if k.memo == m {
			return k
		}
	}
	return newKnownMemo(m)
}

// move finishes a Move with what the next Step must know.
func (m armMemo) move(mv Move) Move {
	mv.memo = m.known()
	mv.Memo = mv.memo.text
	return mv
}
