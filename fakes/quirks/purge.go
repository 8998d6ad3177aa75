package quirks

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect a purge, which is a POST that removes a deleted resource
// for good.
const (
	// PurgeNeverEnds makes the Location of a POST to …/purge return 202 even
	// after the resource has been purged, as in Managed HSM. The only sign of
	// the end is that the purged resource returns 404. A client that follows
	// the contract waits forever. To end the wait, use poller.CrossCheck with
	// the URL of the purged resource and a State that maps 404 to success.
	PurgeNeverEnds Quirk = "W17/purge"

	// PurgedLater answers a POST with 200, no body and no URL to poll. The
	// purged resource disappears only later, and its name is not free until
	// then, as happens with a deleted store of App Configuration. The service
	// treats a GET of that resource as a poll. If the quirk is turned on for
	// the path of …/checkNameAvailability too, a POST of a name to that path
	// reports whether the name is free. A client cannot detect this without
	// reading the resource again, which poller.Confirm does until it gets a
	// 404.
	PurgedLater Quirk = "W38"
)

var purgeQuirks = []entry{
	{PurgeNeverEnds, "POST to purge: Location returns 202 forever", purgeNeverEnds},
	{PurgedLater, "POST to purge returns 200 and nothing to poll; the resource disappears later", purgesLater},
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

// A purge is the set of actions that are purging a resource. It identifies each
// action by the Key of its path.
type purge map[string]bool

func purgesLater() engine.Hooks {
	p := make(purge)
	silent := silently(http.MethodPost, http.StatusOK)
	return engine.Hooks{
		Plan: func(q *engine.Request, plan *engine.Plan) {
			silent(q, plan)
			if q.Method == http.MethodPost {
				p[engine.Key(q.Target)] = true
			}
		},
		Instead: p.nameAvailable,
		Answer:  p.read,
	}
}

// read counts a GET of a resource that is being purged as a poll, and answers
// it with 404 once the resource is gone.
func (p purge) read(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Kind != engine.Read {
		return
	}
	for action := range p {
		op := s.Latest[action]
		if parent, _ := engine.Cut(action); op == nil || parent != engine.Key(q.Path) {
			continue
		}
		s.Poll(&engine.Request{Kind: engine.Poll, Method: q.Method, Path: op.Target, Target: op.Target, Op: op, Base: q.Base, Query: q.Query})
		if op.Reported && p.done(s, action) {
			*a = s.Dialect.NotFound(q, q.Path)
		}
	}
}

// done reports whether an action has succeeded. If so, it deletes the resource
// that the action purges.
func (p purge) done(s *engine.Service, action string) bool {
	op := s.Latest[action]
	s.Settle(op)
	if op == nil || op.Running() || op.Ending != engine.Succeeded {
		return false
	}
	parent, _ := engine.Cut(action)
	s.Remove(parent)
	delete(p, action) // so that a resource created later at the same path is not deleted
	return true
}

// nameAvailable answers a POST to …/checkNameAvailability, which asks whether a
// name is free.
func (p purge) nameAvailable(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	var asked struct{ Name string }
	if _, action := engine.Cut(q.Path); q.Method != http.MethodPost || !strings.EqualFold(action, "checkNameAvailability") || json.Unmarshal(q.Body, &asked) != nil {
		return engine.Answer{}, false
	}
	for action := range p {
		p.done(s, action)
	}
	says := engine.Object{"nameAvailable": true}
	for k := range s.Resources {
		if _, name := engine.Cut(k); name == strings.ToLower(asked.Name) {
			says = engine.Object{"nameAvailable": false, "reason": "AlreadyExists"}
		}
	}
	return engine.JSON(http.StatusOK, engine.Encode(says)), true
}
