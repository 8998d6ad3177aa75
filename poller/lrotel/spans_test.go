package lrotel_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
)

// A Watch has the spans lro.wait and lro.poll, and each poll has the attribute lro.name. The getter
// runs within the poll's span.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var parents []trace.SpanID
		reads := 0
		get := func(ctx context.Context) (Widget, error) {
			parents = append(parents, trace.SpanContextFromContext(ctx).SpanID())
			time.Sleep(2 * time.Second)
			if reads++; reads == 2 {
				return Widget{}, &lroerrors.StatusError{StatusCode: http.StatusBadGateway, Err: errors.New("?sig=" + secret)}
			}
			return Widget{Name: "w1"}, nil
		}
		ready := lrotel.Watch(r.tel, "resize pool", get, poller.Until(func(Widget) bool { return reads == 3 }), &poller.WatchOptions{Name: "pool p1"})
		w, err := ready.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "w1", w.Name)
		require.Empty(t, ready.Traceparent())

		require.Equal(t, []string{
			"0s+1m16s lro.wait lro.outcome=succeeded lro.state=Succeeded lro.polls=3 lro.failures=1",
			"  0s+2s lro.poll lro.name=pool p1 lro.state=InProgress",
			"  1m2s+2s lro.poll lro.name=pool p1 lro.state=InProgress lro.failures=1 error.type=502" + ` "lro: pool p1: 502 Bad Gateway: ?REDACTED"`,
			"  1m14s+2s lro.poll lro.name=pool p1 lro.state=Succeeded",
		}, r.tree())
		var polls []trace.SpanID
		for _, s := range r.named("lro.poll") {
			polls = append(polls, s.SpanContext.SpanID())
		}
		require.Equal(t, polls, parents)
		require.InDelta(t, 1, r.series()["lro.wait.duration.count{lro.operation=resize pool,lro.outcome=succeeded}"], 0)
		require.NotContains(t, r.exported(), secret)
	})
}

// Every read of a Watch has a span, even if the read is interrupted.
func TestInterruptedWatchRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		hang := func(ctx context.Context) (Widget, error) {
			<-ctx.Done()
			return Widget{}, ctx.Err()
		}
		op := lrotel.Watch(r.tel, "resize pool", hang, nil, &poller.WatchOptions{Timeout: 10 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := op.Poll(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = op.Poll(t.Context())
		require.Error(t, err)
		require.Equal(t, []string{
			`0s+1s lro.poll error.type=timeout "cut short: context deadline exceeded"`,
			`1s+10s lro.poll lro.name=resize pool lro.state=InProgress lro.failures=1 error.type=timeout "lro: resize pool: the read did not return within 10s, the limit of WatchOptions.Timeout"`,
		}, r.tree())
		require.PanicsWithValue(t, "lro: Watch: get is nil", func() { lrotel.Watch[Widget](r.tel, "x", nil, nil, nil) })
	})
}

// One Group can wait for both operations and watches.
func TestGroupWithWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		group := poller.NewGroup[*lrotel.Operation[Widget]](nil)
		watch := lrotel.Watch(r.tel, "resize pool", func(context.Context) (Widget, error) { return Widget{}, nil }, poller.Until(func(Widget) bool { return true }), nil)
		for _, op := range []*lrotel.Operation[Widget]{r.begin(t.Context(), "w1", nil), watch} {
			op.Start(t.Context())
			group.Add(op)
		}
		group.Close()
		for op, err := range group.Wait(t.Context()) {
			require.NoError(t, err)
			op.End(err)
		}
		require.Len(t, r.named("lro.wait"), 2)
		for _, poll := range append(r.named("lro.poll"), r.named("lro.result")...) {
			require.True(t, poll.Parent.IsValid(), "each read must be a child of its wait")
		}
	})
}

// The code in the package documentation works with the global providers and http.DefaultTransport.
func TestDocumentedSetup(t *testing.T) {
	old := http.DefaultTransport
	http.DefaultTransport = &fakes.Transport{Handler: &fakes.Service{}}
	defer func() { http.DefaultTransport = old }()
	synctest.Test(t, func(t *testing.T) {
		var got Widget
		require.NoError(t, firstUse(t.Context(), newRig(t, nil).request(t.Context(), "w1"), func(w Widget) { got = w }))
		require.Equal(t, "w1", got.Name)
	})
}

// A doer represents Doers other than *http.Client, such as azcore's pipeline.
type doer struct{ client *http.Client }

func (d doer) Do(req *http.Request) (*http.Response, error) { return d.client.Do(req) }

// A Doer other than an *http.Client produces as many spans as an *http.Client.
func TestDoerSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: -1}})
		var trees [][]string
		for _, client := range []poller.Doer{r.client, doer{r.client}} {
			r.spans.Reset()
			op, err := lrotel.Begin[Widget](r.tel, "create widget", r.request(t.Context(), "w1"), client, nil)
			require.NoError(t, err)
			_, err = op.PollUntilDone(t.Context())
			require.NoError(t, err)
			trees = append(trees, r.tree())
		}
		require.Len(t, trees[0], 7)
		require.Len(t, trees[1], 7)
		require.Len(t, r.named("lro.poll"), 1)
	})
}

// A poll that resends its request after a 401 has one span, with two requests below it.
func TestUnauthorized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusUnauthorized)})
		r := newRig(t, svc)
		r.client = &http.Client{Transport: r.tel.Transport(&fakes.Transport{Handler: svc})}
		_, err := r.begin(t.Context(), "w1", nil).Poll(t.Context())
		require.NoError(t, err)
		require.Len(t, r.named("GET"), 2)
		require.Len(t, r.named("lro.poll"), 1)
	})
}

// The wait of an operation from lrotel.New is linked to the span of the request that started the
// operation.
func TestNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		ctx, span := r.tracers.Tracer("test").Start(t.Context(), "request")
		resp, err := r.client.Do(r.request(ctx, "w1"))
		require.NoError(t, err)
		defer resp.Body.Close()
		span.End()
		op, err := lrotel.New[Widget](r.tel, "create widget", resp, r.client, nil)
		require.NoError(t, err)
		_, err = op.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, span.SpanContext().TraceID(), r.named("lro.wait")[0].Links[0].SpanContext.TraceID())
		require.Len(t, r.named("lro.poll"), 3)

		_, err = lrotel.New[Widget](r.tel, "create widget", nil, nil, nil)
		require.Error(t, err)
		_, err = lrotel.Begin[Widget](r.tel, "create widget", nil, nil, nil)
		require.Error(t, err)
	})
}

// With Updates, the wait's span lasts from Start to End.
func TestUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		op := r.begin(t.Context(), "w1", nil)
		for _, err := range op.Updates(op.Start(t.Context())) {
			require.NoError(t, err)
		}
		_, err := op.Result(t.Context())
		op.End(err)
		require.NoError(t, err)
		require.Len(t, r.named("lro.wait"), 1)
		require.Contains(t, textOf(r.named("lro.wait")[0]), "lro.polls=4")
	})
}

// The spans, attributes and metrics of requests are named as in the semantic conventions for HTTP
// clients.
func TestHTTPConventions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: func(http.Handler) http.Handler {
			return http.RedirectHandler("/moved?sig="+secret, http.StatusFound)
		}})
		svc.Fault(fakes.Fault{Path: "/moved", Do: fakes.Status(http.StatusForbidden)})
		r := newRig(t, svc)
		_, err := r.begin(t.Context(), "w1", nil).Poll(t.Context())
		require.Error(t, err)
		attributes := func(n int, name string) map[string]any {
			all := map[string]any{}
			for _, a := range r.named(name)[n].Attributes {
				all[string(a.Key)] = a.Value.AsInterface()
			}
			return all
		}
		require.Equal(t, map[string]any{
			"http.request.method": "PUT", "server.address": "a.test", "server.port": int64(443), "url.full": origin + "/widgets/w1",
			"http.response.status_code": int64(201), "network.protocol.version": "1.1",
		}, attributes(0, "PUT"))
		moved := attributes(1, "GET")
		require.Equal(t, origin+"/moved", moved["url.full"])
		require.Equal(t, int64(1), moved["http.request.resend_count"])
		require.Equal(t, "403", moved["error.type"])
		require.Equal(t, trace.SpanKindClient, r.named("GET")[1].SpanKind)
		require.Equal(t, codes.Error, r.named("GET")[1].Status.Code)
		require.Empty(t, r.named("GET")[1].Status.Description)

		req := r.request(t.Context(), "w1")
		req.Method = "PURGE"
		resp, err := r.client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		purge := attributes(0, "HTTP")
		require.Equal(t, "_OTHER", purge["http.request.method"])
		require.Equal(t, "PURGE", purge["http.request.method_original"])

		durations := r.collect()["http.client.request.duration"].(metricdata.Histogram[float64])
		require.Len(t, durations.DataPoints, 4, "the PUT, the 302, the 403 and the PURGE must each have a data point")
		for _, p := range durations.DataPoints {
			_, full := p.Attributes.Value("url.full")
			require.False(t, full, "url.full must not be an attribute of the metric, because each URL would create a time series")
		}
	})
}

// A request's span contains the URL's port or else the scheme's default port, and the response's
// protocol version.
func TestPort(t *testing.T) {
	r := newRig(t, nil)
	base := r.tel.Transport(roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 2, Body: http.NoBody, Request: req}, nil
	}))
	for url, port := range map[string]int64{"http://a.test": 80, "https://a.test:8443": 8443} {
		r.spans.Reset()
		req, err := http.NewRequestWithContext(t.Context(), "", url, http.NoBody)
		require.NoError(t, err)
		resp, err := base.RoundTrip(req)
		require.NoError(t, err)
		require.Empty(t, r.spans.GetSpans(), "the span must not end before the body is closed")
		resp.Body.Close()
		all := map[string]any{}
		for _, a := range r.named("GET")[0].Attributes {
			all[string(a.Key)] = a.Value.AsInterface()
		}
		require.Equal(t, port, all["server.port"])
		require.Equal(t, "2", all["network.protocol.version"])
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
