package lrotel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

// secret is the value of every credential and signature.
const secret = "c2VjcmV0IQ"

const origin = "https://a.test"

type Widget struct {
	Name string `json:"name"`
}

// A rig simulates a process that has its own SDK and sends its requests to an in-memory service.
type rig struct {
	t       *testing.T
	tracers *sdktrace.TracerProvider
	spans   *tracetest.InMemoryExporter
	reader  *metric.ManualReader
	tel     *lrotel.Telemetry
	client  *http.Client
}

func newRig(t *testing.T, h http.Handler) *rig {
	t.Helper()
	return newRigOver(t, &fakes.Transport{Handler: h})
}

func newRigOver(t *testing.T, base http.RoundTripper) *rig {
	t.Helper()
	r := &rig{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	r.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.spans))
	r.tel = lrotel.NewTelemetry(&lrotel.Options{
		TracerProvider: r.tracers,
		MeterProvider:  metric.NewMeterProvider(metric.WithReader(r.reader)),
		Propagator:     propagation.TraceContext{},
	})
	r.client = r.tel.Client(&transport.Options{
		Base: base,
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			return transport.Token{Value: secret}, nil
		},
	})
	return r
}

// signed adds a signature to svc's status URLs.
func signed(svc *fakes.Service) *fakes.Service {
	svc.Fault(fakes.Fault{Do: fakes.Edit(func(a *fakes.Answer) {
		if status := a.Header.Get("Azure-AsyncOperation"); status != "" {
			a.Header.Set("Azure-AsyncOperation", status+"?sig="+secret)
		}
	})})
	return svc
}

func (r *rig) request(ctx context.Context, name string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, origin+"/widgets/"+name+"?sig="+secret, http.NoBody)
	require.NoError(r.t, err)
	return req
}

func (r *rig) begin(ctx context.Context, name string, opts *poller.Options) *lrotel.Operation[Widget] {
	r.t.Helper()
	op, err := lrotel.Begin[Widget](r.tel, "create widget", r.request(ctx, name), r.client, opts)
	require.NoError(r.t, err)
	return op
}

// tree returns the exported spans as an indented tree, one line per span. Spans that started at the
// same time appear in the order they ended.
func (r *rig) tree() []string {
	spans := r.spans.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	known := map[trace.SpanID]bool{}
	for _, s := range spans {
		known[s.SpanContext.SpanID()] = true
	}
	var lines []string
	var add func(parent trace.SpanID, depth int)
	add = func(parent trace.SpanID, depth int) {
		for _, s := range spans {
			p := s.Parent.SpanID()
			if p == parent || parent == (trace.SpanID{}) && !known[p] {
				at, long := s.StartTime.Sub(spans[0].StartTime), s.EndTime.Sub(s.StartTime)
				lines = append(lines, strings.Repeat("  ", depth)+fmt.Sprint(at, "+", long, " ", s.Name, textOf(s)))
				add(s.SpanContext.SpanID(), depth+1)
			}
		}
	}
	add(trace.SpanID{}, 0)
	return lines
}

// textOf returns the attributes and the status description of a span. It omits the attributes that
// few tests check.
func textOf(s tracetest.SpanStub) string {
	var b strings.Builder
	for _, a := range s.Attributes {
		switch a.Key {
		case "http.request.method", "server.address", "server.port", "network.protocol.version", "lro.operation", "lro.next":
		default:
			fmt.Fprintf(&b, " %s=%s", a.Key, fmt.Sprint(a.Value.AsInterface()))
		}
	}
	if s.Status.Description != "" {
		fmt.Fprintf(&b, " %q", s.Status.Description)
	}
	return b.String()
}

// named returns the exported spans with the given name.
func (r *rig) named(name string) []tracetest.SpanStub {
	return slices.DeleteFunc(r.spans.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name != name })
}

// collect collects the metrics and returns them by name.
func (r *rig) collect() map[string]metricdata.Aggregation {
	r.t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(r.t, r.reader.Collect(r.t.Context(), &all))
	byName := map[string]metricdata.Aggregation{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			byName[m.Name] = m.Data
		}
	}
	return byName
}

// series returns the values of the lro metrics by name and attributes. A histogram has two entries,
// whose names end in .count and .sum.
func (r *rig) series() map[string]float64 {
	r.t.Helper()
	values := map[string]float64{}
	set := func(name string, attrs attribute.Set, v float64) {
		values[name+"{"+attrs.Encoded(attribute.DefaultEncoder())+"}"] = v
	}
	for name, data := range r.collect() {
		if !strings.HasPrefix(name, "lro.") {
			continue
		}
		switch data := data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				set(name, p.Attributes, float64(p.Value))
			}
		case metricdata.Gauge[float64]:
			for _, p := range data.DataPoints {
				set(name, p.Attributes, p.Value)
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				set(name+".count", p.Attributes, float64(p.Count))
				set(name+".sum", p.Attributes, p.Sum)
			}
		default:
			require.Fail(r.t, "unknown kind of metric", "%s: %T", name, data)
		}
	}
	return values
}
