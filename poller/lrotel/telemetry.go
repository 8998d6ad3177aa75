package lrotel

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.24.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller"
)

// scope is the name of the instrumentation scope and the path of this module.
const scope = "github.com/lro-go/lro/poller/lrotel"

// versionIn returns this module's version in a program, such as "0.1.0". It returns "" if the
// version is unknown, for example because the program was built from a clone of the repository.
func versionIn(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == scope && module.Replace == nil {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}

// These are the keys of the attributes that this package defines for spans and metrics. A metric's
// attributes should have few values, because each combination creates a time series.
const (
	OperationKey = attribute.Key("lro.operation") // the caller's name for the kind of operation; also on metrics
	OutcomeKey   = attribute.Key("lro.outcome")   // how a wait ended (see Outcome); also on metrics

	NameKey     = attribute.Key("lro.name")     // a Watch's name, on the spans of its polls; see Watch
	StateKey    = attribute.Key("lro.state")    // the last known state
	WordKey     = attribute.Key("lro.word")     // the service's own word for the state
	PollsKey    = attribute.Key("lro.polls")    // the number of reads in a wait
	FailuresKey = attribute.Key("lro.failures") // on a wait's span, the number of failed reads; on a poll's span, the number of failed reads in a row
	NextKey     = attribute.Key("lro.next")     // when the next read is due
	GroupKey    = attribute.Key("lro.group")    // a Group's name; only on metrics
)

// Options configure a [Telemetry]. Both nil and the zero value mean the defaults.
type Options struct {
	TracerProvider trace.TracerProvider // the global one by default
	MeterProvider  metric.MeterProvider // the global one by default

	// Propagator adds headers to each request, for example to identify the trace. By default, it is
	// the global propagator, which adds nothing until the program sets another:
	//
	//	otel.SetTextMapPropagator(propagation.TraceContext{}) // W3C traceparent
	//
	// A propagator for baggage sends the context's baggage to every service.
	Propagator propagation.TextMapPropagator
}

// A Telemetry holds the OpenTelemetry instruments that all operations share. It is safe for
// concurrent use. Its instrumentation scope is the path and the version of this module, with the
// schema URL of the semantic conventions v1.24.0.
//
// The histograms, all in seconds, are lro.wait.duration (by lro.operation, lro.outcome and
// error.type), lro.poll.duration (by lro.operation and error.type) and http.client.request.duration
// (as in the semantic conventions). The metrics lro.group.waiting, lro.group.reading and
// lro.group.lag describe a group; see [Telemetry.Group].
//
// An operation's name is an attribute of the metrics, so use one name for each kind of operation,
// such as "create widget", not one for each resource.
type Telemetry struct {
	tracer     trace.Tracer
	meter      metric.Meter
	propagator propagation.TextMapPropagator

	waits, polls, requests metric.Float64Histogram

	client func() *http.Client // returns the shared client, for operations without their own
}

// NewTelemetry returns a Telemetry that reports to the providers in opts. It copies opts. If a
// metric cannot be created, the error goes to otel.Handle.
func NewTelemetry(opts *Options) *Telemetry {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = otel.GetTextMapPropagator()
	}
	info, _ := debug.ReadBuildInfo() // nil in a program built without modules
	version := versionIn(info)
	t := &Telemetry{
		tracer:     o.TracerProvider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL), trace.WithInstrumentationVersion(version)),
		meter:      o.MeterProvider.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL), metric.WithInstrumentationVersion(version)),
		propagator: o.Propagator,
	}
	t.client = sync.OnceValue(func() *http.Client { return t.Client(nil) })
	// OpenTelemetry's default boundaries end at 10,000 s (less than three hours), but a wait may
	// last for days.
	t.waits = t.seconds("lro.wait.duration", "Duration of waits for an operation.",
		1, 5, 15, 60, 300, 900, hours(1), hours(3), hours(12), hours(24), hours(72))
	t.polls = t.seconds("lro.poll.duration", "Duration of reads of a status or a result, with their retries.",
		0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
	t.requests = t.seconds("http.client.request.duration", "Duration of HTTP client requests.",
		0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10) // the boundaries that the conventions recommend
	return t
}

func hours(n float64) float64 { return n * time.Hour.Seconds() }

// seconds returns a histogram of durations.
func (t *Telemetry) seconds(name, description string, bounds ...float64) metric.Float64Histogram {
	h, err := t.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	if err != nil {
		otel.Handle(err)
	}
	return h
}

// Group reports the Stats of g, a [poller.Group], each time the metrics are collected.
// lro.group.waiting is the number of operations waiting for their next read, lro.group.reading is
// the number of reads in flight, and lro.group.lag is the number of seconds since the oldest
// pending read was due. All three have the attribute lro.group, set to name. To stop reporting,
// call the Registration's Unregister method. An error means that OpenTelemetry could not create one
// of the metrics.
func (t *Telemetry) Group(name string, g interface{ Stats() poller.GroupStats }) (metric.Registration, error) {
	waiting, err1 := t.meter.Int64ObservableUpDownCounter("lro.group.waiting", metric.WithUnit("{operation}"),
		metric.WithDescription("Operations that wait for their next read."))
	reading, err2 := t.meter.Int64ObservableUpDownCounter("lro.group.reading", metric.WithUnit("{poll}"),
		metric.WithDescription("Reads in flight."))
	lag, err3 := t.meter.Float64ObservableGauge("lro.group.lag", metric.WithUnit("s"),
		metric.WithDescription("Time since the oldest pending read was due."))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	which := metric.WithAttributes(GroupKey.String(name))
	return t.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		stats := g.Stats() // cheap, and never waits for a read
		o.ObserveInt64(waiting, int64(stats.Waiting), which)
		o.ObserveInt64(reading, int64(stats.InFlight), which)
		late := time.Duration(0)
		if due := stats.OldestDue; !due.IsZero() {
			late = max(time.Since(due), 0)
		}
		o.ObserveFloat64(lag, late.Seconds(), which)
		return nil
	}, waiting, reading, lag)
}
