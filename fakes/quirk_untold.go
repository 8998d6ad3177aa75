package fakes

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Quirks of operations that do not report that they are in progress, or how they
// ended.
const (
	// UpdateReverted reports that a PUT of an existing resource has Succeeded,
	// although the service has reverted it, as for a named value of API
	// Management whose Key Vault does not validate. A client cannot detect
	// this. Only the caller knows the change that it wanted, and can compare
	// with poller.Confirm.
	UpdateReverted Quirk = "W4/reverted"

	// OnlyAFlag answers a request with 202, no header and no body, as in the
	// monitoring of HDInsight. The resource has no provisioningState. At the
	// end only its clusterMonitoringEnabled changes, and after a DELETE the
	// resource still exists, with false. By the contract a resource without a
	// provisioningState has Succeeded. poller.Confirm reads the flag; after a
	// DELETE it must wrap poller.ProvisioningState.
	OnlyAFlag Quirk = "W9/flag"

	// SucceededAtFirst is like StateKeepsMoving, but the first response says
	// Succeeded, and only later reads of the resource show progress, as in
	// Synapse. A client cannot detect this. poller.Confirm reads the resource.
	// Set Times if a single read may come too early.
	SucceededAtFirst Quirk = "W37/succeeded"

	// PurgedLater answers a POST with 200, no body and no URL to poll. The
	// purged resource disappears only later, and its name is free only then, as
	// for a deleted store of App Configuration. A GET of that resource counts
	// as a poll. If the quirk covers its path, a POST of
	// …/checkNameAvailability with a name reports whether the name is free. A
	// client cannot detect this. poller.Confirm reads the resource until it is
	// 404.
	PurgedLater Quirk = "W38"

	// DeletedWith200 answers a DELETE with 200 and no URL to poll while the
	// resource is still being deleted, as SQL does sometimes. A client cannot
	// detect this. poller.Confirm reads the resource.
	DeletedWith200 Quirk = "W40/200"

	// DeletedWith202 answers a DELETE with 202 and no URL to poll, as SQL does
	// at other times. By the contract it cannot be followed. Set
	// poller.Options.Strategy to poller.ProvisioningState to follow the
	// resource.
	DeletedWith202 Quirk = "W40/202"
)

var quirksUntold = map[Quirk]func() behaviour{
	UpdateReverted:   func() behaviour { return behaviour{plan: revert, answer: unsaid} },
	OnlyAFlag:        func() behaviour { return behaviour{plan: untold, answer: onlyAFlag} },
	SucceededAtFirst: func() behaviour { return behaviour{plan: forPut(ProvisioningState, 0), answer: succeededAtFirst} },
	PurgedLater:      purgesLater,
	DeletedWith200:   func() behaviour { return behaviour{plan: silently(http.MethodDelete, http.StatusOK)} },
	DeletedWith202:   func() behaviour { return behaviour{plan: silently(http.MethodDelete, http.StatusAccepted)} },
}

// silently answers a method with a status code and no URL to poll.
func silently(method string, code int) func(*question, *Plan) {
	return func(q *question, p *Plan) {
		if q.method == method {
			p.Style, p.StatusCode = ProvisioningState, code
		}
	}
}

func untold(_ *question, p *Plan) {
	p.Style, p.StatusCode, p.Echo = ProvisioningState, http.StatusAccepted, false
}

// revert makes an update fail and report success.
func revert(q *question, p *Plan) {
	if q.method == http.MethodPut && !q.creates && (p.Ending == "" || p.Ending == Succeeded) {
		p.Ending, p.EndWord = Failed, string(Succeeded)
	}
}

// unsaid removes the error that revert would reveal.
func unsaid(_ *Service, q *question, a *Answer) {
	switch op := q.op; {
	case !q.asks(http.MethodPut) || !op.told || op.ending != Failed || op.endWord != string(Succeeded):
	case q.view == results:
		*a = jsonAnswer(op.writeCode(), op.result)
	default:
		a.edit(func(o object) { delete(o, "error") })
	}
}

func onlyAFlag(s *Service, q *question, a *Answer) {
	op, res := s.latest[key(q.path)], s.resources[key(q.path)]
	if q.view != "" || (q.kind != Poll && q.kind != Read) || op == nil {
		return
	}
	done := op.told && op.ending == Succeeded
	flag := object{"clusterMonitoringEnabled": (op.method == http.MethodDelete) != done}
	if res != nil && res.body["workspaceId"] != nil {
		flag["workspaceId"] = res.body["workspaceId"]
	}
	*a = jsonAnswer(http.StatusOK, encode(flag))
}

func succeededAtFirst(_ *Service, q *question, a *Answer) {
	if !q.is(Begin, http.MethodPut) {
		return
	}
	a.edit(func(o object) {
		if _, there := takeState(o); there {
			o["properties"].(object)["provisioningState"] = string(Succeeded)
		}
	})
}

// A purge has the keys of the actions that purge a resource.
type purge map[string]bool

func purgesLater() behaviour {
	p := make(purge)
	silent := silently(http.MethodPost, http.StatusOK)
	return behaviour{
		plan: func(q *question, plan *Plan) {
			silent(q, plan)
			if q.method == http.MethodPost {
				p[key(q.target)] = true
			}
		},
		instead: p.nameAvailable,
		answer:  p.read,
	}
}

// read counts a GET of a resource that is being purged as a poll, and answers
// it with 404 once the resource is gone.
func (p purge) read(s *Service, q *question, a *Answer) {
	if q.kind != Read {
		return
	}
	for action := range p {
		op := s.latest[action]
		if parent, _ := cut(action); op == nil || parent != key(q.path) {
			continue
		}
		s.poll(&question{kind: Poll, method: q.method, path: op.target, target: op.target, op: op, base: q.base, query: q.query})
		if op.told && p.done(s, action) {
			*a = s.speech().notFound(q, q.path)
		}
	}
}

// done deletes the resource of an action that has succeeded.
func (p purge) done(s *Service, action string) bool {
	op := s.latest[action]
	s.settle(op)
	if op == nil || op.running() || op.ending != Succeeded {
		return false
	}
	parent, _ := cut(action)
	s.remove(parent)
	delete(p, action) // a resource that is created later stays
	return true
}

// nameAvailable answers whether a name is free.
func (p purge) nameAvailable(s *Service, q *question) (Answer, bool) {
	var asked struct{ Name string }
	if _, action := cut(q.path); q.method != http.MethodPost || !strings.EqualFold(action, "checkNameAvailability") || json.Unmarshal(q.body, &asked) != nil {
		return Answer{}, false
	}
	for action := range p {
		p.done(s, action)
	}
	says := object{"nameAvailable": true}
	for k := range s.resources {
		if _, name := cut(k); name == strings.ToLower(asked.Name) {
			says = object{"nameAvailable": false, "reason": "AlreadyExists"}
		}
	}
	return jsonAnswer(http.StatusOK, encode(says)), true
}
