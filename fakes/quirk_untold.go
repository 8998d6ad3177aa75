package fakes

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Quirks of operations of which the client is not told that they go on, or how
// they ended.
const (
	// UpdateReverted is that of a PUT on a resource that is there which is told
	// to have Succeeded, and has been taken back: the resource is as it was, as a
	// named value whose Key Vault does not validate. No client can know: only the
	// caller that asked for the change can compare, with poller.Confirm.
	UpdateReverted Quirk = "W4/reverted"

	// OnlyAFlag is that of a request which is answered 202 with no header and no
	// body. The resource has no provisioningState; all that changes at the end is
	// its clusterMonitoringEnabled, as in the monitoring of HDInsight, and what was
	// deleted is still there, with false. By the specification a resource without a
	// provisioningState has Succeeded; poller.Confirm reads the flag,
	// after a DELETE around poller.ProvisioningState.
	OnlyAFlag Quirk = "W9/flag"

	// SucceededAtFirst is StateKeepsMoving where the answer itself says Succeeded,
	// and only later readings of the resource that it is being changed, as in
	// Synapse. No client can know; poller.Confirm reads the resource,
	// with Times more than once if a single reading may come too early.
	SucceededAtFirst Quirk = "W37/succeeded"

	// PurgedLater is that of a POST that is answered 200 with no body and nothing
	// to poll, while the resource that it purges goes, and its name is free, only
	// later, as a deleted store of App Configuration. A GET of that resource
	// counts as a poll; where the quirk covers it, a POST of …/checkNameAvailability
	// with a name tells whether that is free. No client can know;
	// poller.Confirm reads the resource until it is 404.
	PurgedLater Quirk = "W38"

	// DeletedWith200 is that of a DELETE that is answered 200 and nothing to poll
	// while the resource is still being deleted, as sometimes in SQL. No client
	// can know; poller.Confirm reads the resource.
	DeletedWith200 Quirk = "W40/200"

	// DeletedWith202 is that of a DELETE that is answered 202 and nothing to poll,
	// as at other times in SQL. By the specification it cannot be followed; a
	// Strategy of poller.ProvisioningState follows the resource.
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

// silently gives the client of a method a status and nothing to poll.
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

// revert fails an update, and calls that success.
func revert(q *question, p *Plan) {
	if q.method == http.MethodPut && !q.creates && (p.Ending == "" || p.Ending == Succeeded) {
		p.Ending, p.EndWord = Failed, string(Succeeded)
	}
}

// unsaid is the other half of revert.
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

// A purge is what goes, by the key of the action that has it go.
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

// read counts a GET of what is being purged, and answers one of what has gone.
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

// done takes away what an action purges, once that has ended well.
func (p purge) done(s *Service, action string) bool {
	op := s.latest[action]
	s.settle(op)
	if op == nil || op.running() || op.ending != Succeeded {
		return false
	}
	parent, _ := cut(action)
	s.remove(parent)
	delete(p, action) // what is created anew stays
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
