package quirks

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// This file contains the hooks for the quirks in gone.go that affect a DELETE
// or a purge.

func anyOf(verbs []string, method string) bool {
	return len(verbs) == 0 || slices.Contains(verbs, method)
}

// deleted reports whether the response to q says that a DELETE has succeeded.
func deleted(q *engine.Request) bool {
	return q.Polls(http.MethodDelete) && q.Op.Reported && q.Op.Succeeded()
}

func deleteEndsIn404() engine.Hooks {
	return engine.Hooks{
		Plan: byLocation(http.MethodDelete),
		Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
			if deleted(q) {
				*a = s.Dialect.NotFound(q, q.Op.Target)
			}
		},
	}
}

func deleteEndsIn404AtTimes() engine.Hooks {
	lost := map[*engine.Operation]bool{}
	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		if !deleted(q) {
			return
		}
		if _, known := lost[q.Op]; !known {
			lost[q.Op] = len(lost)%2 == 0
		}
		if lost[q.Op] {
			*a = s.Dialect.NotFound(q, q.Op.Target)
		}
	}}
}

func deleteFails(q *engine.Request, p *engine.Plan) {
	if q.Method == http.MethodDelete && p.Style != engine.Synchronous {
		p.Ending = engine.Failed
	}
}

// purgeNeverEnds deletes the purged resource, but keeps reporting the operation
// as in progress.
func purgeNeverEnds() engine.Hooks {
	gone := map[*engine.Operation]bool{}
	return engine.Hooks{
		Plan: func(q *engine.Request, p *engine.Plan) {
			if isPurge(q.Method, q.Path) {
				byLocation()(q, p)
			}
		},
		Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
			op := s.LastSuccess(q.Path + "/purge")
			if op != nil && isPurge(op.Method, op.Target) && !gone[op] {
				gone[op] = true
				s.Remove(q.Path)
			}
			return engine.Answer{}, false
		},
		Answer: func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
			if q.Polls("") && isPurge(q.Op.Method, q.Op.Target) && q.Op.Succeeded() {
				*a = engine.Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {q.Op.First.Link(q.Op.Paths[engine.ResultURL])}}}
			}
		},
	}
}

// isPurge reports whether a request is a POST to …/purge.
func isPurge(method, path string) bool {
	_, action := engine.Cut(path)
	return method == http.MethodPost && strings.EqualFold(action, "purge")
}

// childGone hides a resource that is being deleted, and refuses to delete the
// parent of that resource until the deletion has ended.
func childGone(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	var children []string
	for _, op := range s.Latest {
		s.Settle(op)
		switch {
		case !op.Running() || op.Method != http.MethodDelete || !engine.Under(op.Target, q.Path):
		case engine.Key(op.Target) != engine.Key(q.Path):
			children = append(children, "'"+op.Target+"'")
		case q.Kind == engine.Read:
			return s.Dialect.NotFound(q, q.Path), true
		}
	}
	if len(children) == 0 || q.Kind != engine.Begin || q.Method != http.MethodDelete {
		return engine.Answer{}, false
	}
	slices.Sort(children)
	return s.Dialect.Failure(q, http.StatusConflict, engine.Error{
		Code: "CannotDeleteResource",
		Message: "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: " +
			strings.Join(children, ", ") + ".",
	}), true
}

// askedByAsyncID recognizes a poll by the operation ID in its query.
func askedByAsyncID(s *engine.Service, q *engine.Request) {
	_, id, _ := engine.SplitQuery(q.Query, asyncID)
	op := s.Operations[strings.ToLower(id)]
	if op == nil || q.Method != http.MethodGet || engine.Key(op.Target) != engine.Key(q.Path) {
		return
	}
	q.Op, q.View, q.Kind = op, engine.ResultURL, engine.Poll
	if op.Reported {
		q.Kind = engine.Result
	}
}

const asyncID = "asyncId"

// asyncIDs replaces Location with the path of the resource and removes
// provisioningState. If the resource could not be created, reading it returns
// 404.
func asyncIDs(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Op != nil && a.Header.Get("Location") != "" {
		a.Set("Location", asyncLink(q.Op))
	}
	op := s.Latest[engine.Key(q.Path)]
	switch {
	case q.ReadsResource() && op != nil && op.Created && !op.Running() && op.Ending != engine.Succeeded:
		*a = s.Dialect.NotFound(q, q.Path)
	case q.ReadsResource() || q.Op != nil && q.Op.Method != http.MethodDelete:
		a.Edit(func(o engine.Object) {
			if _, is := o["properties"]; is {
				engine.SetProperty(o, "provisioningState", nil)
			}
		})
	}
}

func asyncLink(op *engine.Operation) string {
	q := *op.First
	q.Query = strings.TrimPrefix(q.Query+"&"+asyncID+"="+op.ID+"&asyncCode="+strconv.Itoa(op.WriteCode()), "&")
	return q.Link(op.Target)
}
