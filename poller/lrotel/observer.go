package lrotel

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An observer creates the spans and records the metrics of one operation. The Doer, or a Watch's
// getter, reports the start of each read, and the Logger reports the end of the read, with one
// record. Reads do not overlap, so each record belongs to the poll that started last.
type observer struct {
	tel       *Telemetry
	operation attribute.KeyValue

	mu    sync.Mutex
	begun trace.SpanContext // the span of the request that started the operation

	wait            trace.Span // nil outside a wait
	since           time.Time  // when the wait started
	polls, failures int        // counted since the wait started
	word            string     // the service's last known status word

	poll   trace.Span // nil outside a poll
	opened time.Time
	cut    error // why the current poll's context ended, or nil
}

func (t *Telemetry) observer(name string) *observer {
	return &observer{tel: t, operation: OperationKey.String(name)}
}

// notRead is the context key of a request that starts or cancels an operation. Its value is the
// operation's observer.
type notRead struct{}

// A sender is the Do method of a Doer or the RoundTrip method of a RoundTripper.
type sender func(*http.Request) (*http.Response, error)

// doer returns a Doer that sends requests with d and reports them to o. For an *http.Client, it
// returns an *http.Client, so that the poller can check redirects.
func (o *observer) doer(d poller.Doer) poller.Doer {
	c, ok := d.(*http.Client)
	if d == nil || ok && c == nil {
		c, ok = o.tel.client(), true
	}
	if !ok {
		return &observed{o, d.Do}
	}
	own := *c
	base := c.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	own.Transport = &observed{o, base.RoundTrip}
	return &own
}

// observed is a Doer that sends each read within the span of its poll. Other requests, which start
// or cancel an operation, have no such span.
type observed struct {
	*observer
	next sender
}

var (
	_ http.RoundTripper = (*observed)(nil)
	_ poller.Doer       = (*observed)(nil)
)

// Do implements poller.Doer.
func (o *observed) Do(req *http.Request) (*http.Response, error) { return o.RoundTrip(req) }

// RoundTrip implements http.RoundTripper.
func (o *observed) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := context.WithValue(req.Context(), resends{}, resendsOf(req))
	if ctx.Value(notRead{}) == o.observer {
		return o.next(req.WithContext(ctx))
	}
	poll := o.open(ctx)
	resp, err := o.next(req.WithContext(trace.ContextWithSpan(ctx, poll)))
	if err != nil {
		o.cutShort(ctx, poll)
		return nil, err
	}
	resp.Body = &body{resp.Body, func(err error) {
		isComplete := err == nil || err == io.EOF //nolint:errorlint // a Reader returns io.EOF unwrapped
		if !isComplete {
			o.cutShort(ctx, poll)
		}
	}}
	return resp, nil
}

// resends is the context key of a counter for a request's redirects and retries.
type resends struct{}

// resendsOf returns a counter that starts at the number of redirects that led to req.
func resendsOf(req *http.Request) *atomic.Int64 {
	var n atomic.Int64
	for r := req.Response; r != nil && r.Request != nil; r = r.Request.Response {
		n.Add(1)
	}
	return &n
}

// A body is a response body that calls a function with each error from Read, including io.EOF, and
// with nil on Close.
type body struct {
	io.ReadCloser
	ended func(error)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended(err)
	}
	return n, err
}

func (b *body) Close() error {
	defer b.ended(nil)
	return b.ReadCloser.Close()
}

// options returns a copy of opts whose Logger passes each record to o, then to the original Logger.
func (o *observer) options(opts *poller.Options) *poller.Options {
	var own poller.Options
	if opts != nil {
		own = *opts
	}
	own.Logger = o.logger(own.Logger)
	return &own
}

// logger returns a Logger that passes each record to o and then to l.
func (o *observer) logger(l *slog.Logger) *slog.Logger {
	h := &handler{o, slog.DiscardHandler}
	if l != nil {
		h.Handler = l.Handler()
	}
	return slog.New(h)
}

// within returns ctx with the wait's span, if there is one. ctx may lack this span, because all
// reads of a Group share one context.
func (o *observer) within(ctx context.Context) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.withinLocked(ctx)
}

func (o *observer) withinLocked(ctx context.Context) context.Context {
	if o.wait == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, o.wait)
}

// open returns the current poll's span, and starts it at the first request. A poll may send several
// requests.
func (o *observer) open(ctx context.Context) trace.Span {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cut != nil {
		o.endPollLocked()
	}
	return o.openLocked(ctx)
}

func (o *observer) openLocked(ctx context.Context) trace.Span {
	if o.poll == nil {
		_, o.poll = o.tel.tracer.Start(o.withinLocked(ctx), "lro.poll", trace.WithAttributes(o.operation))
		o.opened = time.Now()
	}
	return o.poll
}

// cutShort records why the current poll's context has ended, if it has. It ignores the failure of
// an earlier poll, which may come after the next poll has started.
func (o *observer) cutShort(ctx context.Context, poll trace.Span) {
	if ctx.Err() == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.poll == poll {
		o.cut = context.Cause(ctx)
	}
}

// endCut ends the current poll's span if the poll was interrupted and the caller's context has
// ended. The poller does not log such a poll.
func (o *observer) endCut(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cut != nil && ctx.Err() != nil {
		o.endPollLocked()
	}
}

func (o *observer) endPollLocked() {
	if o.poll == nil {
		return
	}
	if o.cut != nil {
		o.poll.SetAttributes(causeType(o.cut))
		o.poll.SetStatus(codes.Error, "cut short: "+masked(o.cut))
	}
	o.poll.End()
	o.poll, o.cut = nil, nil
}

// logged adds the poller's record to the current poll's span, ends the span, and returns ctx with
// the span. If the poll sent no request, logged starts the span first.
func (o *observer) logged(ctx context.Context, r record) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	span := o.openLocked(ctx)
	o.cut = nil
	o.polls++
	if r.err != nil {
		o.failures++
	}
	o.word = cmp.Or(r.word, o.word)
	r.show(span)
	took := time.Since(o.opened)
	o.endPollLocked()

	ctx = trace.ContextWithSpan(ctx, span) // links exemplars to the span
	attrs := []attribute.KeyValue{o.operation}
	if r.err != nil {
		attrs = append(attrs, errorType(r.err))
	}
	o.tel.polls.Record(ctx, took.Seconds(), metric.WithAttributes(attrs...))
	return ctx
}

// start starts a wait, unless one has already started, and returns ctx with the wait's span.
func (o *observer) start(ctx context.Context) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wait == nil {
		opts := []trace.SpanStartOption{trace.WithAttributes(o.operation)}
		if o.begun.IsValid() {
			opts = append(opts, trace.WithLinks(trace.Link{SpanContext: o.begun}))
		}
		_, o.wait = o.tel.tracer.Start(ctx, "lro.wait", opts...)
		o.since, o.polls, o.failures = time.Now(), 0, 0
	}
	return o.withinLocked(ctx)
}

// final reports whether nothing is left to read after a wait that returned err. If so, only the
// goroutine that made the last read may end the span of that read.
func final(err error) bool {
	_, ok := errors.AsType[*lroerrors.OperationError](err)
	return ok || err == nil
}

// end adds the operation's state and err to the wait's span, and ends the span. Outside a wait, end
// does nothing.
func (o *observer) end(state string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wait == nil {
		return
	}
	if !final(err) {
		o.endPollLocked() // a read may have been cut short or have panicked
	}
	attrs := []attribute.KeyValue{o.operation, OutcomeKey.String(Outcome(err))}
	if err != nil {
		attrs = append(attrs, errorType(err))
	}
	o.wait.SetAttributes(attrs...)
	o.wait.SetAttributes(StateKey.String(state), PollsKey.Int(o.polls), FailuresKey.Int(o.failures))
	if o.word != "" {
		o.wait.SetAttributes(WordKey.String(o.word))
	}
	if !abandoned(err) {
		fail(o.wait, err)
	}
	o.wait.End()
	ctx := o.withinLocked(context.Background()) // links exemplars to the span
	o.tel.waits.Record(ctx, time.Since(o.since).Seconds(), metric.WithAttributes(attrs...))
	o.wait = nil
}

func (o *observer) beginning() trace.SpanContext {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}

func (o *observer) linkTo(begun trace.SpanContext) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = begun
}
