package quirks

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect a purge, a POST that permanently removes a deleted resource.
const (
	// PurgeNeverEnds makes the Location of a POST to …/purge return 202 even after the resource has
	// been purged, as in Managed HSM. The only sign of the end is that a GET of the purged resource
	// returns 404. A client that follows the contract waits forever. To end the wait, use
	// poller.CrossCheck with After, the URL of the purged resource, and a State that maps 404 to
	// success.
	PurgeNeverEnds Quirk = "W17/purge"

	// PurgedLater answers a POST to …/purge with 200, no body and no URL to poll. The purged
	// resource disappears only later, and its name stays taken until then, as happens with a
	// deleted App Configuration store. A client can detect this only by reading the purged resource
	// until it gets a 404. Use poller.Confirm with the URL of the purged resource and a State that
	// maps 404 to success. The service treats each GET of the purged resource as a poll. If the
	// quirk is also turned on for the path of …/checkNameAvailability, a POST of a name to that
	// path reports whether the name is free.
	PurgedLater Quirk = "W38"
)

var purgeQuirks = []entry{
	{PurgeNeverEnds, "POST to purge: Location returns 202 forever", purgeNeverEnds},
	{PurgedLater, "POST to purge returns 200 and nothing to poll; the resource disappears later", purgedLater},
}

// purgeNeverEnds returns hooks that delete the purged resource but never report the purge's end.
func purgeNeverEnds() engine.Hooks {
	removed := map[*engine.Operation]bool{}

	return engine.Hooks{
		Plan: func(q *engine.Request, p *engine.Plan) {
			if isPurge(q.Method, q.Path) {
				forceStyle(engine.Location)(q, p)
			}
		},
		Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
			op := lastSuccess(s, q.Path+"/purge")
			if op != nil && isPurge(op.Method, op.Target) && !removed[op] {
				removed[op] = true
				s.Remove(q.Path)
			}
			return engine.Answer{}, false
		},
		Answer: func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
			if !polls(q, "") || !isPurge(q.Op.Method, q.Op.Target) || !q.Op.Succeeded() {
				return
			}
			location := q.Op.First.Link(q.Op.Paths()[engine.ResultURL])
			*a = engine.Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {location}}}
		},
	}
}

// isPurge reports whether a request is a POST to …/purge.
func isPurge(method, path string) bool {
	_, action := engine.Cut(path)
	return method == http.MethodPost && strings.EqualFold(action, "purge")
}

func purgedLater() engine.Hooks {
	p := make(purges)
	return engine.Hooks{Plan: p.plan, Instead: p.checkName, Answer: p.read}
}

// purges is the set of purges in progress, each identified by the Key of its path.
type purges map[string]bool

func (p purges) plan(q *engine.Request, plan *engine.Plan) {
	if isPurge(q.Method, q.Path) {
		withoutURL(http.MethodPost, http.StatusOK)(q, plan)
		p[engine.Key(q.Target)] = true
	}
}

// read treats a GET of a resource that is being purged as a poll of the purge. It answers with 404
// once the purge has succeeded.
func (p purges) read(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Kind != engine.Read {
		return
	}
	for action := range p {
		op := s.Latest[action]
		purged, _ := engine.Cut(action)
		if op == nil || purged != engine.Key(q.Path) {
			continue
		}

		s.Poll(&engine.Request{Kind: engine.Poll, Method: q.Method, Path: op.Target, Target: op.Target, Op: op, Base: q.Base, Query: q.Query})
		if op.Reported && p.finish(s, action) {
			*a = s.Dialect.NotFound(q, q.Path)
		}
	}
}

// finish reports whether a purge has succeeded and, if so, deletes the purged resource. action is
// the Key of the purge's path.
func (p purges) finish(s *engine.Service, action string) bool {
	op := s.Latest[action]
	s.Settle(op)
	if op == nil || !op.Succeeded() {
		return false
	}

	purged, _ := engine.Cut(action)
	s.Remove(purged)
	delete(p, action) // so that a later call does not delete a new resource at the same path
	return true
}

// checkName answers a POST to …/checkNameAvailability, which asks whether a
// name is free.
func (p purges) checkName(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	_, action := engine.Cut(q.Path)
	if q.Method != http.MethodPost || !strings.EqualFold(action, "checkNameAvailability") {
		return engine.Answer{}, false
	}
	var question struct{ Name string }
	if err := json.Unmarshal(q.Body, &question); err != nil {
		return engine.Answer{}, false
	}

	for action := range p {
		p.finish(s, action)
	}
	answer := engine.Object{"nameAvailable": true}
	if nameTaken(s, question.Name) {
		answer = engine.Object{"nameAvailable": false, "reason": "AlreadyExists"}
	}
	return engine.JSON(http.StatusOK, engine.Encode(answer)), true
}

// nameTaken reports whether a resource with this name exists.
func nameTaken(s *engine.Service, name string) bool {
	for k := range s.Resources {
		_, taken := engine.Cut(k)
		if taken == strings.ToLower(name) {
			return true
		}
	}
	return false
}
