package fakes

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// What the quirks of a lost status do with a DELETE, and with a purge.

func anyOf(verbs []string, method string) bool {
	return len(verbs) == 0 || slices.Contains(verbs, method)
}

// deleted reports whether the response to q says that a DELETE has succeeded.
func (q *question) deleted() bool {
	return q.asks(http.MethodDelete) && q.op.told && q.op.done()
}

func deleteEndsIn404() behaviour {
	return behaviour{
		plan: byLocation(http.MethodDelete),
		answer: func(s *Service, q *question, a *Answer) {
			if q.deleted() {
				*a = s.speech().notFound(q, q.op.target)
			}
		},
	}
}

func deleteEndsIn404AtTimes() behaviour {
	lost := map[*operation]bool{}
	return behaviour{answer: func(s *Service, q *question, a *Answer) {
		if !q.deleted() {
			return
		}
		if _, known := lost[q.op]; !known {
			lost[q.op] = len(lost)%2 == 0
		}
		if lost[q.op] {
			*a = s.speech().notFound(q, q.op.target)
		}
	}}
}

func deleteFails(q *question, p *Plan) {
	if q.method == http.MethodDelete && p.Style != Synchronous {
		p.Ending = Failed
	}
}

// purgeNeverEnds deletes the purged resource, but keeps reporting the operation
// as in progress.
func purgeNeverEnds() behaviour {
	gone := map[*operation]bool{}
	return behaviour{
		plan: func(q *question, p *Plan) {
			if isPurge(q.method, q.path) {
				byLocation()(q, p)
			}
		},
		instead: func(s *Service, q *question) (Answer, bool) {
			op := s.succeeded(q.path + "/purge")
			if op != nil && isPurge(op.method, op.target) && !gone[op] {
				gone[op] = true
				s.remove(q.path)
			}
			return Answer{}, false
		},
		answer: func(_ *Service, q *question, a *Answer) {
			if q.asks("") && isPurge(q.op.method, q.op.target) && q.op.done() {
				*a = Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {q.op.begun.link(q.op.paths[results])}}}
			}
		},
	}
}

// isPurge reports whether a request is a POST of …/purge.
func isPurge(method, path string) bool {
	_, action := cut(path)
	return method == http.MethodPost && strings.EqualFold(action, "purge")
}

// childGone hides a resource that is being deleted, and refuses to delete its
// parent until it is gone.
func childGone(s *Service, q *question) (Answer, bool) {
	var children []string
	for _, op := range s.latest {
		s.settle(op)
		switch {
		case !op.running() || op.method != http.MethodDelete || !under(op.target, q.path):
		case key(op.target) != key(q.path):
			children = append(children, "'"+op.target+"'")
		case q.kind == Read:
			return s.speech().notFound(q, q.path), true
		}
	}
	if len(children) == 0 || q.kind != Begin || q.method != http.MethodDelete {
		return Answer{}, false
	}
	slices.Sort(children)
	return s.speech().failure(q, http.StatusConflict, Error{
		Code: "CannotDeleteResource",
		Message: "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: " +
			strings.Join(children, ", ") + ".",
	}), true
}

// askedByAsyncID recognizes a poll of an operation by its query.
func askedByAsyncID(s *Service, q *question) {
	_, id, _ := splitQuery(q.query, asyncID)
	op := s.operations[strings.ToLower(id)]
	if op == nil || q.method != http.MethodGet || key(op.target) != key(q.path) {
		return
	}
	q.op, q.view, q.kind = op, results, Poll
	if op.told {
		q.kind = Result
	}
}

const asyncID = "asyncId"

// asyncIDs replaces Location with the path of the resource and removes
// provisioningState. After a failed create the resource is 404.
func asyncIDs(s *Service, q *question, a *Answer) {
	if q.op != nil && a.Header.Get("Location") != "" {
		a.set("Location", asyncLink(q.op))
	}
	op := s.latest[key(q.path)]
	switch {
	case q.asksResource() && op != nil && op.created && !op.running() && op.ending != Succeeded:
		*a = s.speech().notFound(q, q.path)
	case q.asksResource() || q.op != nil && q.op.method != http.MethodDelete:
		a.edit(func(o object) {
			if _, is := o["properties"]; is {
				property(o, "provisioningState", nil)
			}
		})
	}
}

func asyncLink(op *operation) string {
	q := *op.begun
	q.query = strings.TrimPrefix(q.query+"&"+asyncID+"="+op.id+"&asyncCode="+strconv.Itoa(op.writeCode()), "&")
	return q.link(op.target)
}
