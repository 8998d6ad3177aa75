package lrotel

import (
	"cmp"
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller"
)

// An Operation is a Poller that records a span for each read, whether by PollUntilDone, Poll,
// Updates, Result or a Group. For a span of the whole wait, call Start before the wait and End
// after it; PollUntilDone does this itself.
type Operation[T any] struct {
	*poller.Poller[T]
	observer *observer
}

// Begin is [poller.Begin] with spans and metrics. name is the kind of operation, such as "create
// widget", and an attribute of the spans and metrics. A nil client means t.Client(nil). Begin sends
// the request within a span named lro.begin, a child of the span in the request's context. It
// returns the errors from poller.Begin.
func Begin[T any](t *Telemetry, name string, req *http.Request, client poller.Doer, opts *poller.Options) (*Operation[T], error) {
	if req == nil {
		_, err := poller.Begin[T](nil, client, opts)
		return nil, err
	}
	o := t.observer(name)
	ctx, span := t.tracer.Start(req.Context(), "lro.begin", trace.WithAttributes(o.operation))
	defer span.End()
	o.begun = span.SpanContext()
	op, err := operation[T]{o}.follow(poller.Begin[T](req.WithContext(context.WithValue(ctx, notRead{}, o)), o.doer(client), o.options(opts)))
	fail(span, err)
	return op, err
}

// New is [poller.New] with spans and metrics; see [Begin]. The span of each wait is linked to the
// span in the context of resp.Request.
func New[T any](t *Telemetry, name string, resp *http.Response, client poller.Doer, opts *poller.Options) (*Operation[T], error) {
	o := t.observer(name)
	if resp != nil && resp.Request != nil {
		o.begun = trace.SpanContextFromContext(resp.Request.Context())
	}
	return operation[T]{o}.follow(poller.New[T](resp, o.doer(client), o.options(opts)))
}

// Resume is [poller.Resume] with spans and metrics; see [Begin] and [Operation.LinkTo].
func Resume[T any](t *Telemetry, name, token string, client poller.Doer, opts *poller.Options) (*Operation[T], error) {
	o := t.observer(name)
	return operation[T]{o}.follow(poller.Resume[T](token, o.doer(client), o.options(opts)))
}

// Watch is [poller.Watch] with spans and metrics; see [Begin]. The getter's context contains the
// poll's span. Each poll has the attribute lro.name, set to WatchOptions.Name or, if that is empty,
// to name.
func Watch[T any](t *Telemetry, name string, get func(context.Context) (T, error), judge poller.Judge[T], opts *poller.WatchOptions) *Operation[T] {
	var own poller.WatchOptions
	if opts != nil {
		own = *opts
	}
	o := t.observer(name)
	own.Name, own.Logger = cmp.Or(own.Name, name), o.logger(own.Logger)
	read := get
	if get != nil { // poller.Watch panics if get is nil
		read = func(ctx context.Context) (T, error) {
			poll := o.open(ctx)
			defer o.cutShort(ctx, poll)
			return get(trace.ContextWithSpan(ctx, poll))
		}
	}
	return &Operation[T]{poller.Watch(read, judge, &own), o}
}

// operation holds an observer, so that follow can take both results of poller.Begin, poller.New or
// poller.Resume directly.
type operation[T any] struct{ *observer }

func (o operation[T]) follow(p *poller.Poller[T], err error) (*Operation[T], error) {
	if err != nil {
		return nil, err
	}
	return &Operation[T]{p, o.observer}, nil
}

// Traceparent returns the traceparent (W3C Trace Context) of the span of the request that started
// the operation, or "" if that span is unknown. Store it with the resume token, and pass it to
// [Operation.LinkTo] after a resume.
func (o *Operation[T]) Traceparent() string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), o.observer.beginning()), carrier)
	return carrier.Get("traceparent")
}

// LinkTo links the spans of all later waits to the span of the request that started the operation,
// usually in another process. Pass the traceparent that [Operation.Traceparent] returned in that
// process. LinkTo ignores an invalid traceparent.
func (o *Operation[T]) LinkTo(traceparent string) {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	if begun := trace.SpanContextFromContext(ctx); begun.IsValid() {
		o.observer.linkTo(begun)
	}
}

// PollUntilDone calls Start, Poller.PollUntilDone and End.
func (o *Operation[T]) PollUntilDone(ctx context.Context) (T, error) {
	v, err := o.Poller.PollUntilDone(o.Start(ctx))
	o.End(err)
	return v, err
}

// Poll calls Poller.Poll. Without Start, the read's span is a child of the span in ctx.
func (o *Operation[T]) Poll(ctx context.Context) (poller.Status, error) {
	defer o.observer.endCut(ctx)
	return o.Poller.Poll(ctx)
}

// Result calls Poller.Result. Without Start, the read's span is a child of the span in ctx.
func (o *Operation[T]) Result(ctx context.Context) (T, error) {
	defer o.observer.endCut(ctx)
	return o.Poller.Result(ctx)
}

// Start starts a wait's span as a child of the span in ctx, and returns ctx with the new span. Call
// Start before Group.Add, and before a loop over Updates. If a wait has already started, Start
// returns ctx with that wait's span.
func (o *Operation[T]) Start(ctx context.Context) context.Context { return o.observer.start(ctx) }

// End ends the span of the wait. PollUntilDone calls End itself. After any other wait, pass the
// error from Group.Wait, Updates or Result, or nil after a success. Without a wait, End is a no-op.
func (o *Operation[T]) End(err error) { o.observer.end(string(o.Status().State), err) }

// Cancel calls Poller.Cancel within a span named lro.cancel.
func (o *Operation[T]) Cancel(ctx context.Context) error {
	ctx, span := o.observer.tel.tracer.Start(o.observer.within(ctx), "lro.cancel", trace.WithAttributes(o.observer.operation))
	defer span.End()
	err := o.Poller.Cancel(context.WithValue(ctx, notRead{}, o.observer))
	fail(span, err)
	return err
}
