package main

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// telemetry is an OpenTelemetry SDK that keeps spans and metrics in memory.
type telemetry struct {
	tracers *sdktrace.TracerProvider
	meters  *metric.MeterProvider
	spans   *tracetest.InMemoryExporter
	reader  *metric.ManualReader
}

// newTelemetry sets up the OpenTelemetry SDK. A real program passes an otlptracehttp exporter to
// sdktrace.WithBatcher and an otlpmetrichttp exporter to a PeriodicReader, and sets a resource with
// the service's name.
func newTelemetry() *telemetry {
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	return &telemetry{
		tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)),
		meters:  metric.NewMeterProvider(metric.WithReader(reader)),
		spans:   spans,
		reader:  reader,
	}
}

// shutdown exports the remaining spans and metrics, even if ctx is done. It joins its errors to
// *err.
func (t *telemetry) shutdown(ctx context.Context, err *error) {
	ctx = context.WithoutCancel(ctx)
	*err = errors.Join(*err, t.tracers.Shutdown(ctx), t.meters.Shutdown(ctx))
}
