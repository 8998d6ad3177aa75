// Otel shows long-running operations as OpenTelemetry sees them: the spans of each
// wait, poll and HTTP request, and the metrics.
//
//	cd examples/otel && go run .
//
// It follows operations over real HTTP, against a service that it starts itself, and
// prints what package [github.com/lro-go/lro/poller/lrotel] exported to memory. A real
// program replaces the exporters in telemetry.go.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller/lrotel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

// run follows the operations, then prints their spans and metrics to w.
func run(ctx context.Context, w io.Writer) (err error) {
	origin, stop, err := startService(ctx)
	if err != nil {
		return err
	}
	defer stop()
	seen := newTelemetry()
	defer seen.shutdown(ctx, &err) // a BatchSpanProcessor keeps spans until then

	tel := lrotel.NewTelemetry(&lrotel.Options{TracerProvider: seen.tracers, MeterProvider: seen.meters})
	d := &demo{tel: tel, client: tel.Client(transportOptions()), origin: origin}
	tracer := seen.tracers.Tracer("otel")
	for _, part := range d.parts() {
		if err := inSpan(ctx, tracer, part); err != nil {
			return err
		}
	}
	if err := showSpans(w, seen.spans.GetSpans()); err != nil {
		return err
	}
	return showMetrics(ctx, w, seen.reader)
}

// inSpan runs a part within a span, as a program that serves a request does.
func inSpan(ctx context.Context, tracer trace.Tracer, p part) error {
	ctx, span := tracer.Start(ctx, p.title, trace.WithNewRoot())
	defer span.End()
	return p.run(ctx)
}
