package quirks

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// RegistrationFlaps answers a POST to …/register with 200 and no polling header, as happens with
// resource providers and features. Only the registrationState of the provider (properties.state of
// a feature) shows the end. It becomes Registered, but changes back to Registering twice before it
// stays Registered. Under the contract, the 200 ends the operation. To keep waiting, use
// poller.Confirm with the provider's URL, a State that reads the registrationState, and Times.
const RegistrationFlaps Quirk = "W29"

var registrationQuirks = []entry{
	{RegistrationFlaps, "POST to register returns 200 at once, and then the state of the provider alternates between Registered and Registering", registrationFlaps},
}

func registrationFlaps() engine.Hooks {
	reads := tally[*engine.Operation]{} // the number of reads since the end of each registration
	return engine.Hooks{
		Classify: pollProvider,
		Instead:  addProvider,
		Plan:     planRegistration,
		Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
			showRegistration(s, q, a, reads)
		},
	}
}

// registers reports whether a request registers a provider or feature, and returns the path of that
// provider or feature.
func registers(method, path string) (provider string, ok bool) {
	provider, action := engine.Cut(path)
	return provider, method == http.MethodPost && strings.EqualFold(action, "register")
}

// pollProvider turns a GET of a provider or feature into a poll of its registration, which has no
// URL of its own.
func pollProvider(s *engine.Service, q *engine.Request) {
	op := s.Latest[engine.Key(q.Path+"/register")]
	if q.Kind == engine.Read && op != nil {
		q.Kind = engine.Poll
		q.Op = op
	}
}

func planRegistration(q *engine.Request, p *engine.Plan) {
	if _, ok := registers(q.Method, q.Path); ok {
		p.Style = engine.ProvisioningState
		p.StatusCode = http.StatusOK
	}
}

// addProvider stores the provider or feature that a request registers, because no PUT creates it.
func addProvider(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	provider, ok := registers(q.Method, q.Path)
	if ok && s.Resources[engine.Key(provider)] == nil {
		s.Store(&engine.Resource{Path: provider, Body: []byte("{}")})
	}
	return engine.Answer{}, false
}

// showRegistration answers a registration, or a poll of it, with the provider or feature and its
// registration state.
func showRegistration(s *engine.Service, q *engine.Request, a *engine.Answer, reads tally[*engine.Operation]) {
	if q.Op == nil {
		return
	}
	provider, ok := registers(q.Op.Method, q.Op.Target)
	if !ok {
		return
	}

	state := "Registering"
	if q.Kind == engine.Poll && q.Op.Reported && showsRegistered(reads.next(q.Op)) {
		state = "Registered"
	}

	read := *q
	read.Path = provider
	*a = s.Read(&read)
	a.Edit(func(o engine.Object) {
		takeState(o)
		if strings.Contains(engine.Key(provider), "/features/") {
			engine.SetProperty(o, "state", state)
			return
		}
		o["namespace"] = o["name"]
		o["registrationState"] = state
		delete(o, "name")
	})
}

// showsRegistered reports whether the nth read after a registration has ended shows Registered
// instead of Registering.
func showsRegistered(n int) bool { return n > 5 || n%2 == 1 }
