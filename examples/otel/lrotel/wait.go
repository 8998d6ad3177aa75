package lrotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// start opens the wait, unless one lasts, and returns ctx in it.
func (w *watch) start(ctx context.Context) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wait == nil {
		opts := []trace.SpanStartOption{trace.WithAttributes(w.name)}
		if w.begun.IsValid() {
			opts = append(opts, trace.WithLinks(trace.Link{SpanContext: w.begun}))
		}
		_, w.wait = w.tel.tracer.Start(ctx, "lro.wait", opts...)
		w.since, w.polls, w.failures = time.Now(), 0, 0
	}
	return w.within(ctx)
}

// end closes the wait, if one lasts, with the state and the error it ended with.
func (w *watch) end(state string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wait == nil {
		return
	}
	end := []attribute.KeyValue{OutcomeKey.String(Outcome(err))}
	if err != nil {
		end = append(end, errorType(err))
	}
	if w.poll != nil { // of a read that panicked
		w.poll.End()
		w.poll = nil
	}
	w.wait.SetAttributes(end...)
	w.wait.SetAttributes(StateKey.String(state), PollsKey.Int(w.polls), FailuresKey.Int(w.failures))
	if w.word != "" {
		w.wait.SetAttributes(WordKey.String(w.word))
	}
	if !abandoned(err) {
		fail(w.wait, err)
	}
	w.wait.End()

	ctx, set := w.within(context.Background()), metric.WithAttributes(append(end, w.name)...) // ctx for exemplars
	w.tel.waits.Add(ctx, 1, set)
	w.tel.length.Record(ctx, time.Since(w.since).Seconds(), set)
	w.wait = nil
}
