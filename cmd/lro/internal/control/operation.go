package control

import (
	"time"

	"github.com/lro-go/lro/fakes"
)

// An operation is the JSON form of a fakes.Operation.
type operation struct {
	ID     string       `json:"id"`
	Method string       `json:"method"`
	Path   string       `json:"path"`
	Status string       `json:"status"`
	Start  time.Time    `json:"start"`
	End    time.Time    `json:"end,omitzero"`
	Ending fakes.Ending `json:"ending,omitempty"` // how the operation ended; the service may use a different word in Status
	Error  *fakes.Error `json:"error,omitempty"`
}

func shown(op fakes.Operation) operation {
	s := operation{ID: op.ID, Method: op.Method, Path: op.Path, Status: op.Status, Start: op.Start.UTC(), End: op.End.UTC(), Ending: op.Ending}
	if op.Ending != "" && op.Ending != fakes.Succeeded {
		s.Error = &op.Error
	}
	return s
}

// shownAll returns operations in JSON form. The slice is never nil, because package json encodes a
// nil slice as null.
func shownAll(all []fakes.Operation) []operation {
	list := make([]operation, 0, len(all))
	for _, op := range all {
		list = append(list, shown(op))
	}
	return list
}
