package features

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake/server"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

var houseRows = []row{
	{"User-Agent that names the SDK", "yes", "yes", "by `Header`", userAgent},
	{"One correlation id in every request of an operation", "by `WithHTTPHeader`", "by `CorrelationId`", "yes", correlation},
	{"Spans of a tracer", "yes", "no", "no", spans},
	{"Registers a resource provider that the subscription lacks", "yes", "no: an error at once", "no: an error at once", registers},
	{"A fake service for tests", "yes: with a header of its own", "no", "yes: with ARM's headers", fakeService},
}

func userAgent(t *testing.T, subject string) string {
	const ours = "bench of lro"
	sent := func(with follower) string {
		return followWith(t, with, asyncPut(told("Succeeded"))).of(polled)[0].header.Get("User-Agent")
	}
	agent := sent(followers[subject])
	switch {
	case strings.Contains(agent, "azsdk-go-bench") || strings.Contains(agent, "HashiCorp/go-azure-sdk"):
		return "yes"
	case subject == lro && sent(lroFollows(&poller.Options{Header: http.Header{"User-Agent": {ours}}})) == ours:
		return "by `Header`"
	default:
		return "no"
	}
}

// correlation sets the id where each has a place for it: ours is the first request.
func correlation(t *testing.T, subject string) string {
	const name, id = "X-Ms-Correlation-Request-Id", "11111111-2222-3333-4444-555555555555"
	s, said := played(asyncPut(told("Running"), told("Succeeded"))), "yes"
	var err error
	switch subject {
	case azcore:
		said = "by `WithHTTPHeader`"
		_, err = azcoreFollows(nil)(policy.WithHTTPHeader(t.Context(), http.Header{name: {id}}), s)
	case hashicorp:
		said = "by `CorrelationId`"
		err = hashicorpCorrelated(deadline(t), s, id)
	case lro:
		req, e := http.NewRequestWithContext(t.Context(), http.MethodPut, arm+widgetW+version, http.NoBody)
		must(t, e)
		req.Header.Set(name, id)
		p, e := poller.Begin[widget](req, lroClient(s), nil)
		must(t, e)
		_, err = p.PollUntilDone(t.Context())
	}
	must(t, err)
	for _, q := range s.asked {
		if q.header.Get(name) != id {
			return "no"
		}
	}
	return said
}

func hashicorpCorrelated(ctx context.Context, s *scripted, id string) error {
	c, err := hashicorpManager(s)
	if err != nil {
		return err
	}
	c.CorrelationId = id
	resp, err := hashicorpSends(ctx, c, http.MethodPut, widgetW)
	if err != nil {
		return err
	}
	p, err := resourcemanager.PollerFromResponse(resp, c)
	if err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}

// spans has azcore's pollers traced. The others have nothing to give a tracer to.
func spans(t *testing.T, subject string) string {
	if subject != azcore {
		if strings.Contains(strings.ToLower(optionsOf(subject)), "trac") {
			return "it has"
		}
		return "no"
	}
	var names []string
	provider := tracing.NewProvider(func(string, string) tracing.Tracer {
		return tracing.NewTracer(func(ctx context.Context, name string, _ *tracing.SpanOptions) (context.Context, tracing.Span) {
			names = append(names, name)
			return ctx, tracing.NewSpan(tracing.SpanImpl{})
		}, nil)
	}, nil)
	p, err := azcoreBegins(t.Context(), played(asyncPut(told("Succeeded"))), &azruntime.NewPollerOptions[widget]{
		Tracer: provider.NewTracer("bench", "v1"),
	})
	must(t, err)
	_, err = p.PollUntilDone(t.Context(), nil)
	must(t, err)
	if len(names) == 0 {
		return "no"
	}
	return "yes"
}

// optionsOf are the names of the fields that a subject is set up with.
func optionsOf(subject string) string {
	if subject == hashicorp {
		return fieldsOf[client.Client]() + fieldsOf[pollers.Poller]()
	}
	return fieldsOf[poller.Options]()
}

// fieldsOf are the names of the fields of a struct.
func fieldsOf[T any]() string {
	var names []string
	for f := range reflect.TypeFor[T]().Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// registers is a service whose resource provider is not registered at first.
func registers(t *testing.T, subject string) string {
	const provider = "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso"
	s := asyncPut(told("Succeeded"))
	begun := s[putW][0]
	s[putW] = turns(says(http.StatusConflict, `{"error":{"code":"MissingSubscriptionRegistration","message":"Not registered."}}`), begun)
	s["GET "+provider] = turns(says(http.StatusOK, `{"registrationState":"Registered"}`))
	s["POST "+provider+"/register"] = turns(says(http.StatusOK, `{"registrationState":"Registering"}`))
	return arrived(follow(t, subject, s))
}

// fakeService has azcore's poller follow an operation of azcore's fakes and of ours.
func fakeService(t *testing.T, subject string) string {
	var header http.Header
	services := map[string]http.RoundTripper{azcore: azcoreFake(), lro: &fakes.Transport{Handler: &fakes.Service{}}}
	if services[subject] == nil {
		return "no"
	}
	s := played(asyncPut())
	s.instead = roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := services[subject].RoundTrip(req)
		if err == nil && header == nil {
			header = resp.Header
		}
		return resp, err
	})
	w, err := azcoreFollows(nil)(t.Context(), s)
	must(t, err)
	switch {
	case w != "w":
		return "no"
	case header.Get("Fake-Poller-Status") != "":
		return "yes: with a header of its own"
	case header.Get("Azure-AsyncOperation") != "":
		return "yes: with ARM's headers"
	default:
		return "no"
	}
}

// azcoreFake is what the generated fake of a client is made of.
func azcoreFake() http.RoundTripper {
	responder := &fake.PollerResponder[widget]{}
	responder.AddNonTerminalResponse(http.StatusOK, nil)
	responder.SetTerminalResponse(http.StatusOK, widget{Name: "w"}, nil)
	return roundTripper(func(req *http.Request) (*http.Response, error) { return server.PollerResponderNext(responder, req) })
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
