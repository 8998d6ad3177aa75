package main

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lro-go/lro/poller/lrotel"
)

// A versioner is a TracerProvider that records the instrumentation version of the last tracer it
// created.
type versioner struct {
	noop.TracerProvider
	version string
}

func (v *versioner) Tracer(name string, opts ...trace.TracerOption) trace.Tracer {
	config := trace.NewTracerConfig(opts...)
	v.version = config.InstrumentationVersion()
	return v.TracerProvider.Tracer(name, opts...)
}

// Spans have the version of the published module in their instrumentation scope.
func TestVersionOfTelemetry(t *testing.T) {
	seen := &versioner{}
	lrotel.NewTelemetry(&lrotel.Options{TracerProvider: seen})
	if !strings.HasPrefix(seen.version, "0.") {
		t.Errorf("the version of the scope is %q, want a version 0.x", seen.version)
	}
}
