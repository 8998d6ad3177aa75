package lrotel_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

// exported returns all exported spans and metrics as text.
func (r *rig) exported() string {
	r.t.Helper()
	return fmt.Sprintf("%+v %+v", r.spans.GetSpans(), r.collect())
}

// A quoting transport returns errors that contain a signed URL. The second request fails with such
// an error. The third gets a response whose body fails with it after one byte.
type quoting struct {
	next  http.RoundTripper
	calls int
}

var errQuoted = errors.New("malformed HTTP status code \"" + statusURL + "?sig=" + secret + "\"")

func (q *quoting) RoundTrip(req *http.Request) (*http.Response, error) {
	q.calls++
	switch q.calls {
	case 2:
		return nil, errQuoted
	case 3:
		resp, err := q.next.RoundTrip(req)
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))
		return resp, err
	}
	return q.next.RoundTrip(req)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errQuoted }

// No span or metric contains a credential or a URL's signature, even if a message from the service
// or an error from the transport quotes the URL.
func TestNoSecretIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := signed(&fakes.Service{Default: fakes.Plan{
			Polls: 3, Ending: fakes.Failed,
			Words: []string{statusURL + "?sig=" + secret},
			Error: fakes.Error{Code: "Quota", Message: "see " + statusURL + "?sig=" + secret + ", Bearer " + secret},
		}})
		r := newRigOver(t, &quoting{next: &fakes.Transport{Handler: svc}})
		_, err := r.begin(t.Context(), "w1", nil).PollUntilDone(t.Context())
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)

		asked := svc.Requests()
		require.Contains(t, asked[len(asked)-1].URL, "?sig="+secret, "the poller must request the URL with its signature")
		require.Equal(t, "Bearer "+secret, asked[1].Header.Get("Authorization"))
		seen := r.exported()
		require.Contains(t, seen, statusURL)
		require.Contains(t, seen, "malformed HTTP status code")
		require.NotContains(t, seen, secret)
	})
}

// Transport returns its base's errors unchanged. Secrets are masked only in spans and metrics.
func TestTransportKeepsErrors(t *testing.T) {
	r := newRig(t, nil)
	base := r.tel.Transport(&quoting{next: &fakes.Transport{Handler: &fakes.Service{}}, calls: 1})
	_, err := base.RoundTrip(r.request(t.Context(), "w1")) //nolint:bodyclose // there is no response
	require.Equal(t, errQuoted, err)

	resp, err := base.RoundTrip(r.request(t.Context(), "w1"))
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	require.Equal(t, errQuoted, err)
	require.NotContains(t, r.exported(), secret)
	require.Equal(t, origin+"/widgets/w1?sig="+secret, resp.Request.URL.String())
}

// If Options.Propagator is nil, the global propagator applies.
func TestGlobalPropagator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		tracers := sdktrace.NewTracerProvider()
		send := func(propagator propagation.TextMapPropagator) http.Header {
			tel := lrotel.NewTelemetry(&lrotel.Options{TracerProvider: tracers, Propagator: propagator})
			bag, err := baggage.Parse("user=u1")
			require.NoError(t, err)
			req, err := http.NewRequestWithContext(baggage.ContextWithBaggage(t.Context(), bag), http.MethodGet, origin, http.NoBody)
			require.NoError(t, err)
			resp, err := tel.Client(&transport.Options{Base: &fakes.Transport{Handler: svc}}).Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			sent := svc.Requests()
			return sent[len(sent)-1].Header
		}
		require.Empty(t, send(nil).Get("Traceparent"), "OpenTelemetry's default must propagate nothing")

		defer otel.SetTextMapPropagator(otel.GetTextMapPropagator())
		otel.SetTextMapPropagator(propagation.Baggage{})
		require.Equal(t, "user=u1", send(nil).Get("Baggage"))
		require.Empty(t, send(nil).Get("Traceparent"))
		require.NotEmpty(t, send(propagation.TraceContext{}).Get("Traceparent"))
	})
}

// The service receives the traceparent of each request's span, but no baggage, because the test's
// propagator handles only the traceparent.
func TestTraceparent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		r := newRig(t, svc)
		bag, err := baggage.Parse("user=" + secret)
		require.NoError(t, err)
		ctx := baggage.ContextWithBaggage(t.Context(), bag)
		_, err = r.begin(ctx, "w1", nil).PollUntilDone(ctx)
		require.NoError(t, err)

		var received, sent []string
		for _, req := range svc.Requests() {
			received = append(received, req.Header.Get("Traceparent"))
			require.Empty(t, req.Header.Get("Baggage"))
		}
		for _, s := range r.spans.GetSpans() {
			if s.SpanKind == trace.SpanKindClient {
				sent = append(sent, fmt.Sprintf("00-%s-%s-01", s.SpanContext.TraceID(), s.SpanContext.SpanID()))
			}
		}
		require.Len(t, sent, 3)
		require.Equal(t, sent, received)
	})
}

// The poller refuses a redirect to another origin, even if the client uses Transport and has no
// redirect policy.
func TestRedirectsStayWithinOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: func(http.Handler) http.Handler {
			return http.RedirectHandler("https://evil.test/", http.StatusFound)
		}})
		r := newRig(t, svc)
		client := &http.Client{Transport: r.tel.Transport(&fakes.Transport{Handler: svc})} // without a redirect policy
		op, err := lrotel.Begin[Widget](r.tel, "create widget", r.request(t.Context(), "w1"), client, nil)
		require.NoError(t, err)
		_, err = op.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		require.Len(t, svc.Requests(), 2)
		require.NotContains(t, r.exported(), "evil.test/")
	})
}

// The span of a long wait stays small, because each poll has its own span.
func TestLongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}})
		_, err := r.begin(t.Context(), "w1", &poller.Options{Cadence: poller.Cadence{Default: time.Hour, Max: time.Hour}}).PollUntilDone(t.Context())
		require.NoError(t, err)
		wait := r.named("lro.wait")[0]
		require.Equal(t, 72*time.Hour, wait.EndTime.Sub(wait.StartTime))
		require.Empty(t, wait.Events, "polls must not be events of the wait, because an SDK limits the number of events")
		require.Equal(t, 72+1, len(r.named("lro.poll"))+len(r.named("lro.result")))
	})
}

type idle struct {
	http.RoundTripper
	closed int
}

func (i *idle) CloseIdleConnections() { i.closed++ }

func TestCloseIdleConnections(t *testing.T) {
	base := &idle{}
	newRigOver(t, base).client.CloseIdleConnections()
	require.Equal(t, 1, base.closed)
}
