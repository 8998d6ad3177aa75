package quirks

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// RegistrationFlaps answers a POST to …/register with 200 and no polling header, as happens
// with resource providers and features. Only the registrationState of the provider
// (properties.state of a feature) shows the end. It alternates between Registered and
// Registering three times before it stays Registered. Under the contract, the 200 ends the
// operation. To keep waiting, use poller.Confirm with the URL of the provider, a State that
// reads the registrationState, and Times.
const RegistrationFlaps Quirk = "W29"

var registrationQuirks = []entry{
	{
		RegistrationFlaps, "POST to register returns 200 at once, and then its state comes and goes",
		func() engine.Hooks {
			return engine.Hooks{Classify: classifyRegistration, Instead: beRegistered, Plan: planRegistration, Answer: registrationFlaps()}
		},
	},
}

// registers returns the path of the provider or feature that a request
// registers. ok is false if the request does not register one.
func registers(method, path string) (what string, ok bool) {
	what, action := engine.Cut(path)
	return what, method == http.MethodPost && strings.EqualFold(action, "register")
}

// classifyRegistration treats a GET of the provider as a poll of its
// registration, because there is no other URL to poll.
func classifyRegistration(s *engine.Service, q *engine.Request) {
	op := s.Latest[engine.Key(q.Path+"/register")]
	if q.Kind == engine.Read && op != nil {
		q.Kind, q.Op = engine.Poll, op
	}
}

func planRegistration(q *engine.Request, p *engine.Plan) {
	if _, is := registers(q.Method, q.Path); is {
		p.Style, p.StatusCode = engine.ProvisioningState, http.StatusOK
	}
}

// beRegistered stores a resource for the provider or feature, because no PUT
// creates one.
func beRegistered(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	what, is := registers(q.Method, q.Path)
	if is && s.Resources[engine.Key(what)] == nil {
		s.Resources[engine.Key(what)] = &engine.Resource{Path: what, Body: engine.Object{}}
	}
	return engine.Answer{}, false
}

// registrationFlaps returns a hook that answers every request about a
// registration with the provider or feature, which shows the state of the
// registration.
func registrationFlaps() func(*engine.Service, *engine.Request, *engine.Answer) {
	asked := tally[*engine.Operation]{}
	return func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		if q.Op == nil {
			return
		}
		what, is := registers(q.Op.Method, q.Op.Target)
		if !is {
			return
		}
		state := "Registering"
		if q.Kind == engine.Poll && q.Op.Reported {
			if n := asked.next(q.Op); n > 5 || n%2 == 1 {
				state = "Registered"
			}
		}
		registered := *q
		registered.Path = what
		*a = s.Read(&registered)
		a.Edit(func(o engine.Object) {
			takeState(o)
			if strings.Contains(engine.Key(what), "/features/") {
				engine.SetProperty(o, "state", state)
				return
			}
			o["namespace"], o["registrationState"] = o["name"], state
			delete(o, "name")
		})
	}
}
