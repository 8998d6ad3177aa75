package features

import (
	"context"
	"net/http"
	"reflect"
	"slices"
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
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
)

var houseRows = []row{
	{"A User-Agent that names the SDK", "yes", "yes", "yes", userAgent},
	{"A client request id in every request of an operation", "by `NewRequestIDPolicy`", "no", "yes", clientRequestID},
	{"One correlation id in every request of an operation", "by `WithHTTPHeader`", "by `CorrelationId`", "yes", correlation},
	{"Tracing spans", "yes", "no", "by `poller/lrotel`", spans},
	{"Registers a resource provider that is not registered yet", "yes", "no: an error at once", "no: an error at once", registers},
	{"A fake service for tests", "yes: with a header that only the fake sends", "no", "yes: with ARM's headers", fakeService},
}

// userAgent checks whether every request (the first one, the polls and the read of the resource)
// has the subject's User-Agent.
func userAgent(t *testing.T, subject string) string {
	sdk := map[string]string{azcore: "azsdk-go-bench", hashicorp: "HashiCorp/go-azure-sdk", lro: "lro-go/"}[subject]
	o := follow(t, subject, asyncPut(withStatus("Running"), withStatus("Succeeded")))
	must(t, o.err)
	for _, q := range o.asked {
		if !strings.Contains(q.header.Get("User-Agent"), sdk) {
			return "no"
		}
	}
	return "yes"
}

// clientRequestID checks whether every request of an operation has a client request ID. azcore does
// not send one by default, so the test tries again with azcore's NewRequestIDPolicy.
func clientRequestID(t *testing.T, subject string) string {
	inAll := func(with follower) bool {
		o := followWith(t, with, asyncPut(withStatus("Running"), withStatus("Succeeded")))
		must(t, o.err)
		for _, q := range o.asked {
			if q.header.Get("X-Ms-Client-Request-Id") == "" {
				return false
			}
		}
		return true
	}
	switch {
	case inAll(followers[subject]):
		return "yes"
	case subject == azcore && inAll(azcoreWithRequestIDs):
		return "by `NewRequestIDPolicy`"
	default:
		return "no"
	}
}

func azcoreWithRequestIDs(ctx context.Context, s *scripted) (string, error) {
	p, err := azcoreBeginsThrough[widget](ctx, s, nil, azruntime.NewRequestIDPolicy())
	if err != nil {
		return "", err
	}
	w, err := p.PollUntilDone(ctx, nil)
	return w.Name, err
}

// correlation sets a correlation ID as each subject provides for it, and checks whether every
// request has the ID. Callers of lro set a header on the first request.
func correlation(t *testing.T, subject string) string {
	const name, id = "X-Ms-Correlation-Request-Id", "11111111-2222-3333-4444-555555555555"
	s, said := played(asyncPut(withStatus("Running"), withStatus("Succeeded"))), "yes"
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

// spans checks whether a subject creates tracing spans: azcore's poller with a tracer, and lro
// through the separate module poller/lrotel. go-azure-sdk does not support tracing.
func spans(t *testing.T, subject string) string {
	switch subject {
	case hashicorp:
		if strings.Contains(strings.ToLower(fieldsOf[client.Client]()+fieldsOf[pollers.Poller]()), "trac") {
			return "it has"
		}
		return "no"
	case lro:
		var names []string
		s := played(asyncPut(withStatus("Succeeded")))
		method, path := s.script.begins()
		req, err := http.NewRequestWithContext(t.Context(), method, arm+path+version, http.NoBody)
		must(t, err)
		tel := lrotel.NewTelemetry(&lrotel.Options{TracerProvider: spanNames{tracer: spanNamer{names: &names}}})
		op, err := lrotel.Begin[widget](tel, "update widget", req, lroClient(s), nil)
		must(t, err)
		_, err = op.PollUntilDone(t.Context())
		must(t, err)
		if !slices.Contains(names, "lro.wait") || !slices.Contains(names, "lro.poll") {
			return "no"
		}
		return "by `poller/lrotel`"
	}
	var names []string
	provider := tracing.NewProvider(func(string, string) tracing.Tracer {
		return tracing.NewTracer(func(ctx context.Context, name string, _ *tracing.SpanOptions) (context.Context, tracing.Span) {
			names = append(names, name)
			return ctx, tracing.NewSpan(tracing.SpanImpl{})
		}, nil)
	}, nil)
	p, err := azcoreBegins(t.Context(), played(asyncPut(withStatus("Succeeded"))), &azruntime.NewPollerOptions[widget]{
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

// spanNames is a TracerProvider whose tracer collects the names of spans.
type spanNames struct {
	noop.TracerProvider
	tracer spanNamer
}

func (n spanNames) Tracer(string, ...trace.TracerOption) trace.Tracer { return n.tracer }

type spanNamer struct {
	noop.Tracer
	names *[]string
}

func (n spanNamer) Start(ctx context.Context, name string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	*n.names = append(*n.names, name)
	return ctx, noop.Span{}
}

// fieldsOf returns the names of a struct's fields, separated by spaces.
func fieldsOf[T any]() string {
	var names []string
	for f := range reflect.TypeFor[T]().Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// registers simulates a service whose resource provider is not registered at first.
func registers(t *testing.T, subject string) string {
	const provider = "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso"
	s := asyncPut(withStatus("Succeeded"))
	started := s[putW][0]
	s[putW] = turns(says(http.StatusConflict, `{"error":{"code":"MissingSubscriptionRegistration","message":"Not registered."}}`), started)
	s["GET "+provider] = turns(says(http.StatusOK, `{"registrationState":"Registered"}`))
	s["POST "+provider+"/register"] = turns(says(http.StatusOK, `{"registrationState":"Registering"}`))
	return arrived(follow(t, subject, s))
}

// fakeService checks whether azcore's poller can follow an operation that the subject's fakes
// serve, and which headers the fakes send.
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
		return "yes: with a header that only the fake sends"
	case header.Get("Azure-AsyncOperation") != "":
		return "yes: with ARM's headers"
	default:
		return "no"
	}
}

// azcoreFake returns a transport that responds like azcore's generated fakes.
func azcoreFake() http.RoundTripper {
	responder := &fake.PollerResponder[widget]{}
	responder.AddNonTerminalResponse(http.StatusOK, nil)
	responder.SetTerminalResponse(http.StatusOK, widget{Name: "w"}, nil)
	return roundTripper(func(req *http.Request) (*http.Response, error) { return server.PollerResponderNext(responder, req) })
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
