package fakes

import "net/http"

// Quirks of the answer that begins an operation.
const (
	// GoneBeforeEnd is that of a DELETE whose resource is already 404 while the
	// operation still runs, and whose Location ends in 200 with no body, as at
	// API Management. A client that takes the 404 for the end, as where there is
	// no header to go by, goes on too early: a new PUT is refused.
	GoneBeforeEnd Quirk = "W3"

	// CapitalState is that of a PUT on a resource that is there: 200 with
	// Azure-AsyncOperation and a Location that is the request's own URL; both the
	// body and the status URL show the resource, with a ProvisioningState that
	// begins with a capital and no status, as a named value of API Management.
	// A client that polls only after 201 and 202 never learns of a failure.
	CapitalState Quirk = "W4/capital"

	// StateOnTop is that of a PUT that is answered 200 with
	// Azure-AsyncOperation, also where it creates, and of a resource whose
	// provisioningState stands at the top level, as in Chaos Studio. A client
	// that takes 200 without properties.provisioningState for done is wrong.
	StateOnTop Quirk = "W8"

	// CreatesWith200 is that of a PUT that creates and is answered 200, not 201,
	// as in HDInsight. A client that takes 200 for done is wrong.
	CreatesWith200 Quirk = "W9/200"

	// NoReading is that of a PUT that is answered 201 with no header and a
	// resource without a provisioningState, and of a GET of it that is 405, as a
	// function key of App Service. It is complete at once; a client that polls
	// whatever a 201 has created fails.
	NoReading Quirk = "W13"

	// StateKeepsMoving is that of a PUT which is described as synchronous and
	// answered 200 or 201 without a header, while the provisioningState in the
	// answer moves on, as that of a Maps account. A client that goes by the
	// description does not poll.
	StateKeepsMoving Quirk = "W37/moving"

	// NoHeaderBesideAnother is that of a PUT on a resource that is still being
	// written: it is accepted with 201 (or the StatusCode of the plan), but without
	// a header, as a container group. A client that needs the header fails; the
	// resource tells.
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

// forPut gives the operations of PUT a style, unless it is 0, and a status.
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

// besideAnother lets a PUT replace the operation before it, which goes on being
// told and changes nothing any more.
func besideAnother() behaviour {
	var second bool // the PUT that is being answered is one
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
