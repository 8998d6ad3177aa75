package fakes

import "net/http"

// Quirks of the first response.
const (
	// GoneBeforeEnd makes the resource of a DELETE 404 while the operation is
	// still in progress. Location then ends with 200 and no body, as in API
	// Management. A client that takes the 404 for the end continues too early:
	// a new PUT is refused.
	GoneBeforeEnd Quirk = "W3"

	// CapitalState answers a PUT of an existing resource with 200,
	// Azure-AsyncOperation and a Location that is the request's own URL, as for
	// a named value of API Management. Body and status URL both show the
	// resource. It has a ProvisioningState with a capital P and no status. A
	// client that polls only after 201 and 202 misses a failure.
	CapitalState Quirk = "W4/capital"

	// StateOnTop answers every PUT with 200 and Azure-AsyncOperation, even if
	// it creates the resource, and puts provisioningState at the top level of
	// the resource, as in Chaos Studio. A client that takes a 200 without
	// properties.provisioningState for a success is wrong.
	StateOnTop Quirk = "W8"

	// CreatesWith200 answers a PUT that creates a resource with 200 instead of
	// 201, as in HDInsight. A client that takes 200 for a success is wrong.
	CreatesWith200 Quirk = "W9/200"

	// NoReading answers a PUT with 201, no header and a resource without
	// provisioningState, and a GET of the resource with 405, as for a function
	// key of App Service. The resource is complete at once. A client that polls
	// after every 201 fails.
	NoReading Quirk = "W13"

	// StateKeepsMoving answers a PUT that is documented as synchronous with 200
	// or 201 and no header, but the provisioningState in the response is not
	// terminal, as for a Maps account. A client that trusts the documentation
	// does not poll.
	StateKeepsMoving Quirk = "W37/moving"

	// NoHeaderBesideAnother accepts a PUT of a resource that another operation
	// is still writing, with 201 (or the StatusCode of the plan) but without a
	// header, as for a container group. A client that needs the header fails.
	// The resource has the status.
	NoHeaderBesideAnother Quirk = "W59"
)

var quirksOfBeginnings = map[Quirk]func() behaviour{
	GoneBeforeEnd:  func() behaviour { return behaviour{answer: join(goneWhileDeleted, okay)} },
	CapitalState:   func() behaviour { return behaviour{answer: capitalState} },
	StateOnTop:     func() behaviour { return behaviour{plan: forPut(0, http.StatusOK), answer: stateOnTop} },
	CreatesWith200: func() behaviour { return behaviour{plan: forPut(0, http.StatusOK)} },
	NoReading: func() behaviour {
		return behaviour{instead: noReading, plan: forPut(Synchronous, http.StatusCreated), answer: stateless}
	},
	StateKeepsMoving: func() behaviour { return behaviour{plan: forPut(ProvisioningState, 0)} },

	NoHeaderBesideAnother: besideAnother,
}

// forPut sets the style (unless it is 0) and the status code of the operations
// of PUT.
func forPut(style Style, code int) func(*question, *Plan) {
	return func(q *question, p *Plan) {
		if q.method != http.MethodPut {
			return
		}
		if style != 0 {
			p.Style = style
		}
		p.begins(code)
	}
}

func goneWhileDeleted(s *Service, q *question, a *Answer) {
	if op := s.latest[key(q.path)]; q.kind == Read && op.running() && op.method == http.MethodDelete {
		*a = s.speech().notFound(q, q.path)
	}
}

func capitalState(s *Service, q *question, a *Answer) {
	if q.op == nil || q.op.method != http.MethodPut || q.op.created || q.op.refused() {
		return
	}
	state := "InProgress"
	switch {
	case q.kind == Begin:
		a.set("Location", q.link(q.path))
	case q.asks("") && q.view == statuses:
		if q.op.told {
			state = q.op.endWord
		}
		showResource(s, q, a)
	default:
		return
	}
	a.edit(func(o object) {
		if _, there := takeState(o); there {
			o["properties"].(object)["ProvisioningState"] = state
		}
	})
}

func stateOnTop(_ *Service, q *question, a *Answer) {
	if q.view != "" && q.view != results {
		return
	}
	a.edit(func(o object) {
		if state, there := takeState(o); there {
			o["provisioningState"] = state
		}
	})
}

func noReading(s *Service, q *question) (Answer, bool) {
	if q.kind != Read {
		return Answer{}, false
	}
	return s.speech().failure(q, http.StatusMethodNotAllowed, Error{Code: "MethodNotAllowed", Message: "GET is not allowed on this resource."}), true
}

// besideAnother lets a PUT replace the operation before it. The URLs of that
// operation still work, but it no longer changes the resource.
func besideAnother() behaviour {
	var second bool // the current request is such a PUT
	return behaviour{
		instead: func(s *Service, q *question) (Answer, bool) {
			if second = q.is(Begin, http.MethodPut) && s.busy(q) != nil; second {
				delete(s.latest, key(q.target))
			}
			return Answer{}, false
		},
		plan: func(_ *question, p *Plan) {
			if second {
				p.Style = ProvisioningState
				p.begins(http.StatusCreated)
			}
		},
	}
}
