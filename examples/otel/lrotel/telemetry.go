// Package lrotel shows OpenTelemetry how long-running operations are getting on:
// a span for each wait, a child for each poll, one for each HTTP request below
// that, and metrics. Copy it into a program of yours, and change the names.
//
//	tel, err := lrotel.New(tracerProvider, meterProvider)
//	client := tel.Client(nil)
//	op, err := lrotel.Begin[Widget](tel, "create widget", req, client, nil)
//	widget, err := op.PollUntilDone(ctx)
//
// Nothing of package poller is replaced, and it needs no hook for this. A read
// begins where its request leaves the [http.Client], and what it told is what
// Options.Logger is told: see watch.go.
//
// # What the spans are
//
//   - lro.begin: the request that began the operation
//   - lro.wait: from [Operation.Start] to [Operation.End]; PollUntilDone calls both
//   - lro.poll, lro.result: a read of the status or the result, whatever it takes
//   - lro.cancel: a request to cancel
//
// A wait is a child of the span in its context, and linked to the lro.begin of its
// operation. It is no child of that: an operation may last for days and outlive the
// process, and few back ends put together a trace that does. [Operation.Keep] carries
// the link to the next process, beside the token.
//
// A span is exported when it ends. So of a wait under way there are the polls, the
// metrics and the log, and of a process that is killed no more will come. Who wants
// none that lasts for days calls Poll at NextPoll, as a reconciler does, without Start:
// then a poll is a child of the span that its caller has.
//
// # Secrets
//
// Status URLs are often signed, and otelhttp records queries. It is given none
// here: see base.go. The texts of errors are those of package lro, which hold no
// query, credential or token either. Paths are shown, and so is what a service says of
// its operation.
package lrotel

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller"
)

// scope names the instrumentation: that of the module that has this file.
const scope = "github.com/lro-go/lro/examples/otel/lrotel"

// Attributes of spans and metrics. What stands at metrics has few values: there
// a word of the service or a URL would make a time series for each.
const (
	OperationKey = attribute.Key("lro.operation") // the caller's name for its kind, such as "create widget"
	OutcomeKey   = attribute.Key("lro.outcome")   // of a wait: see Outcome

	StateKey    = attribute.Key("lro.state")    // spans only, like those below; last told
	WordKey     = attribute.Key("lro.word")     // the service's own, for that
	PollsKey    = attribute.Key("lro.polls")    // of a wait
	FailuresKey = attribute.Key("lro.failures") // of a wait, or in a row up to this poll
	NextKey     = attribute.Key("lro.next")     // when the next read is due
)

// A Telemetry has what all operations share. It may be used by several goroutines.
type Telemetry struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	tracer  trace.Tracer
	meter   metric.Meter

	waits    metric.Int64Counter
	polls    metric.Int64Counter
	failures metric.Int64Counter
	length   metric.Float64Histogram

	client func() *http.Client // of those who name none: one, for it has the throttle gate
}

// New returns a Telemetry that reports to the providers, such as the global ones:
// otel.GetTracerProvider() and otel.GetMeterProvider().
func New(tracers trace.TracerProvider, meters metric.MeterProvider) (*Telemetry, error) {
	t := &Telemetry{tracers: tracers, meters: meters, tracer: tracers.Tracer(scope), meter: meters.Meter(scope)}
	t.client = sync.OnceValue(func() *http.Client { return t.Client(nil) })
	var errs [4]error
	t.waits, errs[0] = t.meter.Int64Counter("lro.waits", metric.WithUnit("{wait}"),
		metric.WithDescription("Waits that are over, by outcome."))
	t.polls, errs[1] = t.meter.Int64Counter("lro.polls", metric.WithUnit("{poll}"),
		metric.WithDescription("Reads of a status or a result."))
	t.failures, errs[2] = t.meter.Int64Counter("lro.poll.failures", metric.WithUnit("{poll}"),
		metric.WithDescription("Reads that told nothing."))
	t.length, errs[3] = t.meter.Float64Histogram("lro.wait.duration", metric.WithUnit("s"),
		metric.WithDescription("How long waits took, by outcome."),
		// The default boundaries end after three hours.
		metric.WithExplicitBucketBoundaries(1, 5, 15, 60, 300, 900, hours(1), hours(3), hours(12), hours(24), hours(72)))
	return t, errors.Join(errs[:]...)
}

func hours(n float64) float64 { return n * time.Hour.Seconds() }

// Group reports the gauges of g, which is a poller.Group, at each collection, until the
// Registration is unregistered.
func (t *Telemetry) Group(name string, g interface{ Stats() poller.GroupStats }) (metric.Registration, error) {
	var errs [3]error
	waiting, err := t.meter.Int64ObservableUpDownCounter("lro.group.waiting", metric.WithUnit("{operation}"),
		metric.WithDescription("Operations that wait for their next read."))
	errs[0] = err
	reading, err := t.meter.Int64ObservableUpDownCounter("lro.group.reading", metric.WithUnit("{poll}"),
		metric.WithDescription("Reads under way."))
	errs[1] = err
	lag, err := t.meter.Float64ObservableGauge("lro.group.lag", metric.WithUnit("s"),
		metric.WithDescription("Since when the oldest read is due."))
	errs[2] = err
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	which := metric.WithAttributes(attribute.String("lro.group", name))
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
