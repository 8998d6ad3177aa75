package fakes

import (
	"net/http"
	"strings"
)

// What RegistrationFlaps does.

// registers returns the path of the provider or feature that a request
// registers. ok is false for any other request.
func registers(method, path string) (what string, ok bool) {
	what, action := cut(path)
	return what, method == http.MethodPost && strings.EqualFold(action, "register")
}

// classifyRegistration makes a GET of the provider a poll of its registration,
// because there is no other URL to poll.
func classifyRegistration(s *Service, q *question) {
	op := s.latest[key(q.path+"/register")]
	if q.kind == Read && op != nil {
		q.kind, q.op = Poll, op
	}
}

func planRegistration(q *question, p *Plan) {
	if _, is := registers(q.method, q.path); is {
		p.Style, p.StatusCode = ProvisioningState, http.StatusOK
	}
}

// beRegistered creates the resource of the provider or feature, which exists
// without a PUT.
func beRegistered(s *Service, q *question) (Answer, bool) {
	what, is := registers(q.method, q.path)
	if is && s.resources[key(what)] == nil {
		s.resources[key(what)] = &resource{path: what, body: object{}}
	}
	return Answer{}, false
}

// registrationFlaps shows the provider or feature with the state of its
// registration.
func registrationFlaps() func(*Service, *question, *Answer) {
	asked := tally[*operation]{}
	return func(s *Service, q *question, a *Answer) {
		if q.op == nil {
			return
		}
		what, is := registers(q.op.method, q.op.target)
		if !is {
			return
		}
		state := "Registering"
		if q.kind == Poll && q.op.told {
			if n := asked.next(q.op); n > 5 || n%2 == 1 {
				state = "Registered"
			}
		}
		registered := *q
		registered.path = what
		*a = s.read(&registered)
		a.edit(func(o object) {
			takeState(o)
			if strings.Contains(key(what), "/features/") {
				property(o, "state", state)
				return
			}
			o["namespace"], o["registrationState"] = o["name"], state
			delete(o, "name")
		})
	}
}
