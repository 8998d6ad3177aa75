package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// A forest is spans, by the one that they are children of, in the order in which
// they began.
type forest struct {
	children map[trace.SpanID][]tracetest.SpanStub
	names    map[trace.SpanID]string // of all
	start    time.Time               // of the trace that is shown
	out      bytes.Buffer
}

// showSpans writes each trace as a tree: when a span began, how long it lasted, and
// what it has to say.
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
		strings.Repeat("  ", depth), s.Name, said(s.Attributes))
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

// told are the attributes that are shown, in this order.
var told = []attribute.Key{"lro.outcome", "lro.state", "lro.word", "lro.polls", "lro.failures", "http.response.status_code", "http.request.resend_count", "url.full"}

func said(attrs []attribute.KeyValue) string {
	set := attribute.NewSet(attrs...)
	var b strings.Builder
	for _, key := range told {
		if v, ok := set.Value(key); ok {
			fmt.Fprintf(&b, " %s=%s", strings.TrimPrefix(string(key), "lro."), shorten(v.String()))
		}
	}
	return b.String()
}

// shorten leaves of a URL what comes last, for people.
func shorten(text string) string {
	_, path, ok := strings.Cut(text, "://")
	parts := strings.Split(path, "/")
	if !ok || len(parts) < 3 {
		return text
	}
	return "…/" + strings.Join(parts[len(parts)-2:], "/")
}

// showMetrics collects the metrics, as a PeriodicReader does once a minute.
func showMetrics(ctx context.Context, w io.Writer, reader *metric.ManualReader) error {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		return err
	}
	rows := map[string]string{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			addRows(rows, m)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var out strings.Builder
	for _, series := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&out, "%s\t%s\n", series, rows[series])
	}
	if _, err := io.WriteString(t, out.String()); err != nil {
		return err
	}
	return t.Flush()
}

// addRows adds a row for each series of m.
func addRows(rows map[string]string, m metricdata.Metrics) {
	series := func(set attribute.Set) string {
		return m.Name + "\t" + strings.ReplaceAll(set.Encoded(attribute.DefaultEncoder()), ",", " ")
	}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			rows[series(p.Attributes)] = fmt.Sprint(p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			rows[series(p.Attributes)] = fmt.Sprintf("%.3f %s", p.Value, m.Unit)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			rows[series(p.Attributes)] = fmt.Sprintf("%d in %.3f %s", p.Count, p.Sum, m.Unit)
		}
	}
}
