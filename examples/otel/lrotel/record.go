package lrotel

import (
	"context"
	"io"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// A handler tells a watch what the poller logs, and then the handler that it has
// taken the place of.
type handler struct {
	watch *watch
	slog.Handler
}

var _ slog.Handler = (*handler)(nil)

// Enabled is always, for the watch wants to know.
func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle hands on the record with the span of the poll in ctx, so that one who
// writes trace ids into the log finds it.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == pollTold || r.Message == resultTold {
		span := h.watch.told(ctx, parse(r))
		defer span.End()
		ctx = trace.ContextWithSpan(ctx, span)
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.watch, h.Handler.WithAttrs(attrs)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.watch, h.Handler.WithGroup(name)}
}

// The records that tell of a read; see "What is logged" in package poller.
const (
	pollTold   = "lro: poll"
	resultTold = "lro: result"
)

// A record is what the poller logs of a read.
type record struct {
	result      bool
	state, word string // already fit to be recorded, as all that is logged
	next        time.Time
	err         error // why it told nothing
	failures    int   // in a row
}

func parse(r slog.Record) record {
	rec := record{result: r.Message == resultTold}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
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

// show puts the record on the span of its poll.
func (r record) show(span trace.Span) {
	if r.result {
		span.SetName("lro.result")
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

// A body tells a watch that its reader was broken off.
type body struct {
	io.ReadCloser
	watch *watch
	ctx   context.Context // of the request that this is the answer to
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.watch.brokenOff(b.ctx)
	}
	return n, err
}
