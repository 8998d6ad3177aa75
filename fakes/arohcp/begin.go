package arohcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Begin answers a request that starts an operation.
func (d dialect) Begin(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	switch q.Method {
	case http.MethodPost:
		return d.beginAction(s, q)
	case http.MethodGet: // a GET reaches this case only if a plan has the method GET
		return d.ARM.Begin(s, q)
	}
	res, _ := s.Find(q.Path)
	return d.beginChange(s, q, res)
}

// supersede cancels all operations in progress at or below path, except the superseding one. If
// that operation is nil or was refused, supersede does nothing.
func supersede(s *engine.Service, path string, by *engine.Operation) {
	if by == nil || by.Refused() {
		return
	}
	var canceled []*engine.Operation
	for op := range s.Open {
		if op != by && engine.Under(op.Target, path) {
			canceled = append(canceled, op)
		}
	}
	slices.SortFunc(canceled, func(a, b *engine.Operation) int { return strings.Compare(a.ID, b.ID) })
	for _, op := range canceled {
		s.Settle(op)
		if op.Running() {
			s.End(op, engine.Canceled, engine.Superseded, time.Now())
		}
	}
}

// conflict returns a 409 that names the resource at path.
func conflict(path, message string) engine.Answer {
	return engine.Failure(http.StatusConflict, engine.Error{Code: "Conflict", Message: message, Target: path})
}

// unreadable returns the 400 for a body that the frontend cannot decode.
func unreadable(err error) engine.Answer {
	return engine.Failure(http.StatusBadRequest, engine.Error{
		Code:    "InvalidRequestContent",
		Message: fmt.Sprintf("The request content was invalid and could not be deserialized: %q", err),
	})
}

// internalError returns the 500 that the frontend sends for every internal error.
func internalError() engine.Answer {
	return engine.Failure(http.StatusInternalServerError, engine.Error{Code: "InternalServerError", Message: "Internal server error."})
}
