package lrotel

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/poller"
)

// A watch sees what one operation does, at the two places where the poller calls
// out. It is the outermost RoundTripper of the operation's own copy of a client,
// where a read begins, and the [slog.Handler] of its options, where the poller says
// what the read told. One read is made at a time, so that what is told is of the
// poll that was opened last. A Doer would do in place of the RoundTripper, but the
// poller keeps the redirects of an *http.Client at home, and not those of a Doer.
type watch struct {
	tel   *Telemetry
	name  attribute.KeyValue
	begun trace.SpanContext // the span that began the operation
	base  http.RoundTripper

	mu              sync.Mutex
	wait, poll      trace.Span // nil: none is open
	since           time.Time  // of the wait
	polls, failures int        // of the wait
	word            string     // last told
}

var _ http.RoundTripper = (*watch)(nil)

// apart marks the context of a request that is no read of the poller's.
type apart struct{}

func (t *Telemetry) watch(name string, begun trace.SpanContext) *watch {
	return &watch{tel: t, name: OperationKey.String(name), begun: begun}
}

// client is a copy of c that has w as its outermost RoundTripper.
func (w *watch) client(c *http.Client) *http.Client {
	if c == nil {
		c = w.tel.client()
	}
	own := *c
	own.Transport, w.base = w, c.Transport
	if w.base == nil {
		w.base = http.DefaultTransport
	}
	return &own
}

// options is a copy of opts whose Logger tells w, and then who was told before.
func (w *watch) options(opts *poller.Options) *poller.Options {
	var own poller.Options
	if opts != nil {
		own = *opts
	}
	h := &handler{w, slog.DiscardHandler}
	if own.Logger != nil {
		h.Handler = own.Logger.Handler()
	}
	own.Logger = slog.New(h)
	return &own
}

// RoundTrip sends req within the span of the poll that it is of.
func (w *watch) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if ctx.Value(apart{}) != nil {
		return w.base.RoundTrip(req)
	}
	resp, err := w.base.RoundTrip(req.WithContext(trace.ContextWithSpan(ctx, w.read(ctx))))
	if err != nil {
		w.brokenOff(ctx)
		return nil, err
	}
	resp.Body = &body{resp.Body, w, ctx}
	return resp, nil
}

// read is the span of the poll under way. A poll has several requests where a
// redirect leads on, a 401 is asked once more, or the resource of a DELETE is
// looked at.
func (w *watch) read(ctx context.Context) trace.Span {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.poll == nil {
		_, w.poll = w.tel.tracer.Start(w.within(ctx), "lro.poll", trace.WithAttributes(w.name))
	}
	return w.poll
}

// within is ctx in the span of the wait. In a Group, whose context is that of all its
// operations, this is what tells them apart; a reconciler, which does not wait, has a
// span of its own in ctx. w is locked.
func (w *watch) within(ctx context.Context) context.Context {
	if w.wait == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, w.wait)
}

// brokenOff ends the poll if ctx has ended: the poller has no record of a read that
// its caller breaks off.
func (w *watch) brokenOff(ctx context.Context) {
	if ctx.Err() == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.poll != nil {
		w.poll.SetStatus(codes.Error, "broken off: "+quiet(context.Cause(ctx)).Error())
		w.poll.End()
		w.poll = nil
	}
}

// told takes over what a record tells, and returns the poll that it is of.
func (w *watch) told(ctx context.Context, r record) trace.Span {
	span := w.read(ctx) // one of no length where nothing was sent: a foreign URL, for one
	w.mu.Lock()
	defer w.mu.Unlock()
	w.poll = nil
	w.polls++
	if r.err != nil {
		w.failures++
	}
	w.word = cmp.Or(r.word, w.word)
	r.show(span)

	ctx = trace.ContextWithSpan(ctx, span) // for exemplars
	w.tel.polls.Add(ctx, 1, metric.WithAttributes(w.name))
	if r.err != nil {
		w.tel.failures.Add(ctx, 1, metric.WithAttributes(w.name, errorType(r.err)))
	}
	return span
}
