// Otel prints the OpenTelemetry spans and metrics of long-running operations. Each wait, poll and
// HTTP request has a span.
//
//	cd examples/otel && go run .
//
// The service runs in the same process, and the program follows its operations over real HTTP.
// Package [github.com/lro-go/lro/poller/lrotel] records the spans and metrics, and the program
// exports them to memory. A real program replaces the exporters in telemetry.go.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
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

// run follows the operations and then prints their spans and metrics to w.
func run(ctx context.Context, w io.Writer) (err error) {
	_, _ = fmt.Fprint(w, "The spans and metrics of five operations, offline. This takes about 2 seconds.\n\n")
	server := httptest.NewServer(newService())
	defer server.Close()
	seen := newTelemetry()
	defer seen.shutdown(ctx, &err) // if you use a BatchSpanProcessor, shutdown exports its remaining spans

	tel := lrotel.NewTelemetry(&lrotel.Options{TracerProvider: seen.tracers, MeterProvider: seen.meters})
	d := &demo{tel: tel, client: tel.Client(transportOptions()), origin: server.URL}
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

// inSpan runs a part in a new root span, as a server would for each request.
func inSpan(ctx context.Context, tracer trace.Tracer, p part) error {
	ctx, span := tracer.Start(ctx, p.title, trace.WithNewRoot())
	defer span.End()
	return p.run(ctx)
}
