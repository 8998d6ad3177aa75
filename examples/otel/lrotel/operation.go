package lrotel

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller"
)

// An Operation is a Poller whose reads are seen, whoever makes them: PollUntilDone,
// Poll, Updates or a Group. What there is to see of a wait is from Start to End.
type Operation[T any] struct {
	*poller.Poller[T]
	watch *watch
}

// Begin is poller.Begin, seen. name is that of a kind of operation, such as "create
// widget": it stands at metrics. A nil client means t.Client(nil).
func Begin[T any](t *Telemetry, name string, req *http.Request, client *http.Client, opts *poller.Options) (*Operation[T], error) {
	ctx, span := t.tracer.Start(req.Context(), "lro.begin", trace.WithAttributes(OperationKey.String(name)))
	defer span.End()
	w := t.watch(name, span.SpanContext())
	p, err := poller.Begin[T](req.WithContext(context.WithValue(ctx, apart{}, true)), w.client(client), w.options(opts))
	if err != nil {
		fail(span, err)
		return nil, err
	}
	return &Operation[T]{p, w}, nil
}

// Kept is what is to be stored of an operation, for another process to take it up.
type Kept struct {
	Token string `json:"token"`

	// Traceparent is the span that began the operation, in the form of W3C Trace
	// Context. It is a link at most: forged or lost, it changes nothing else.
	Traceparent string `json:"traceparent,omitempty"`
}

// Keep returns what Resume wants, at any time.
func (o *Operation[T]) Keep() (Kept, error) {
	token, err := o.ResumeToken()
	if err != nil {
		return Kept{}, err
	}
	carrier := propagation.MapCarrier{}
	ctx := trace.ContextWithSpanContext(context.Background(), o.watch.begun)
	propagation.TraceContext{}.Inject(ctx, carrier)
	return Kept{token, carrier.Get("traceparent")}, nil
}

// Resume is poller.Resume, seen: the waits are linked to the span that began the
// operation, in whichever process that was.
func Resume[T any](t *Telemetry, name string, kept Kept, client *http.Client, opts *poller.Options) (*Operation[T], error) {
	carrier := propagation.MapCarrier{"traceparent": kept.Traceparent}
	begun := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	w := t.watch(name, begun)
	p, err := poller.Resume[T](kept.Token, w.client(client), w.options(opts))
	if err != nil {
		return nil, err
	}
	return &Operation[T]{p, w}, nil
}

// PollUntilDone is that of the Poller, from Start to End.
func (o *Operation[T]) PollUntilDone(ctx context.Context) (T, error) {
	v, err := o.Poller.PollUntilDone(o.Start(ctx))
	o.End(err)
	return v, err
}

// Start begins a wait, as a child of the span in ctx, and returns ctx with its span.
// Call it before an operation is added to a Group. It does nothing while one lasts.
func (o *Operation[T]) Start(ctx context.Context) context.Context {
	return o.watch.start(ctx)
}

// End ends the wait with the error that PollUntilDone returned, or that the Group
// has yielded. It does nothing where none lasts.
func (o *Operation[T]) End(err error) { o.watch.end(string(o.Status().State), err) }

// Cancel is that of the Poller, in a span.
func (o *Operation[T]) Cancel(ctx context.Context) error {
	w := o.watch
	w.mu.Lock()
	ctx, span := w.tel.tracer.Start(w.within(ctx), "lro.cancel", trace.WithAttributes(w.name))
	w.mu.Unlock()
	defer span.End()
	err := o.Poller.Cancel(context.WithValue(ctx, apart{}, true))
	fail(span, err)
	return err
}
