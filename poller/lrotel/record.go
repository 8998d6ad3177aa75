package lrotel

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// A handler passes the poller's records to an observer, then to the caller's handler.
type handler struct {
	observer *observer
	slog.Handler
}

var _ slog.Handler = (*handler)(nil)

// Enabled returns true, because the observer needs every record.
func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle passes the record to the observer and to the caller's handler. It adds the poll's span to
// ctx, for handlers that write trace IDs.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "lro: poll" || r.Message == "lro: result" { // see poller.Options.Logger
		ctx = h.observer.logged(ctx, parse(r))
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.observer, h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.observer, h.Handler.WithGroup(name)}
}

// A record is what the poller logs about a read, with secrets already masked.
type record struct {
	result            bool
	name, state, word string // name is a Watch's name, and empty for an operation
	next              time.Time
	err               error // why the read failed
	failures          int   // failed reads in a row
}

func parse(r slog.Record) record {
	rec := record{result: r.Message == "lro: result"}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "name":
			rec.name = a.Value.String()
		case "state":
			rec.state = a.Value.String()
		case "word":
			rec.word = a.Value.String()
		case "next":
			rec.next = a.Value.Time()
		case "error":
			rec.err, _ = a.Value.Any().(error)
		case "failures":
			rec.failures = int(a.Value.Int64())
		}
		return true
	})
	return rec
}

// show sets the attributes and the status of a poll's span.
func (r record) show(span trace.Span) {
	if r.result {
		span.SetName("lro.result")
	}
	if r.name != "" {
		span.SetAttributes(NameKey.String(r.name))
	}
	if r.state != "" {
		span.SetAttributes(StateKey.String(r.state))
	}
	if r.word != "" {
		span.SetAttributes(WordKey.String(r.word))
	}
	if !r.next.IsZero() {
		span.SetAttributes(NextKey.String(r.next.UTC().Format(time.RFC3339Nano)))
	}
	if r.failures > 0 {
		span.SetAttributes(FailuresKey.Int(r.failures))
	}
	fail(span, r.err)
}
