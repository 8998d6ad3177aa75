package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// A forest groups spans by parent. Each group is sorted by start time.
type forest struct {
	children map[trace.SpanID][]tracetest.SpanStub
	names    map[trace.SpanID]string
	start    time.Time // the start of the current trace
	out      bytes.Buffer
}

// showSpans writes each trace as a tree, with the start, duration, name and attributes of each
// span.
func showSpans(w io.Writer, spans []tracetest.SpanStub) error {
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	f := &forest{children: map[trace.SpanID][]tracetest.SpanStub{}, names: map[trace.SpanID]string{}}
	for _, s := range spans {
		f.children[s.Parent.SpanID()] = append(f.children[s.Parent.SpanID()], s)
		f.names[s.SpanContext.SpanID()] = s.Name
	}
	for _, root := range f.children[trace.SpanID{}] {
		f.start = root.StartTime
		fmt.Fprintf(&f.out, "trace %s\n", root.SpanContext.TraceID())
		f.show(root, 0)
		fmt.Fprintln(&f.out)
	}
	_, err := f.out.WriteTo(w)
	return err
}

func (f *forest) show(s tracetest.SpanStub, depth int) {
	fmt.Fprintf(&f.out, "%6d ms %6d ms  %s%s%s\n", s.StartTime.Sub(f.start).Milliseconds(), s.EndTime.Sub(s.StartTime).Milliseconds(),
		strings.Repeat("  ", depth), s.Name, attributes(s.Attributes))
	indent := strings.Repeat(" ", 23+2*depth)
	if s.Status.Description != "" {
		fmt.Fprintf(&f.out, "%s%s\n", indent, s.Status.Description)
	}
	for _, l := range s.Links {
		if l.SpanContext.TraceID() != s.SpanContext.TraceID() {
			fmt.Fprintf(&f.out, "%slinked to %s of trace %s\n", indent, f.names[l.SpanContext.SpanID()], l.SpanContext.TraceID())
		}
	}
	for _, c := range f.children[s.SpanContext.SpanID()] {
		f.show(c, depth+1)
	}
}

// shown lists the attributes to show, in order.
var shown = []attribute.Key{"lro.outcome", "lro.state", "lro.word", "lro.polls", "lro.failures", "http.response.status_code", "http.request.resend_count", "url.full"}

func attributes(attrs []attribute.KeyValue) string {
	set := attribute.NewSet(attrs...)
	var b strings.Builder
	for _, key := range shown {
		if v, ok := set.Value(key); ok {
			fmt.Fprintf(&b, " %s=%s", strings.TrimPrefix(string(key), "lro."), shorten(v.String()))
		}
	}
	return b.String()
}

// shorten shortens a URL to the last two segments of its path, and leaves other text unchanged.
func shorten(text string) string {
	_, path, ok := strings.Cut(text, "://")
	parts := strings.Split(path, "/")
	if !ok || len(parts) < 3 {
		return text
	}
	return "…/" + strings.Join(parts[len(parts)-2:], "/")
}

// showMetrics collects the metrics, as a PeriodicReader does once a minute, and writes them to w.
func showMetrics(ctx context.Context, w io.Writer, reader *metric.ManualReader) error {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		return err
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			rows := rowsOf(m)
			slices.Sort(rows)
			if _, err := fmt.Fprintf(w, "%s\n%s\n", m.Name, strings.Join(rows, "\n")); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowsOf formats each data point of m as a row.
func rowsOf(m metricdata.Metrics) (rows []string) {
	add := func(set attribute.Set, format string, values ...any) {
		set, _ = set.Filter(attribute.NewDenyKeysFilter("server.address", "server.port", "network.protocol.version")) // omit these attributes, because their values never differ
		text := strings.ReplaceAll(set.Encoded(attribute.DefaultEncoder()), ",", " ")
		rows = append(rows, fmt.Sprintf("  %-14s  %s", fmt.Sprintf(format, values...), text))
	}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, "%d", p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, "%.3f %s", p.Value, m.Unit)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, "%d in %.3f %s", p.Count, p.Sum, m.Unit)
		}
	}
	return rows
}
