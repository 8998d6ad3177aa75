package lrotel

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.24.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/transport"
)

// Client returns a client from transport.NewClient that sends each request through
// [Telemetry.Transport], so that each retry has its own span. It copies opts.
func (t *Telemetry) Client(opts *transport.Options) *http.Client {
	var o transport.Options
	if opts != nil {
		o = *opts
	}
	o.Base = t.Transport(o.Base)
	return transport.NewClient(&o)
}

// Transport returns a RoundTripper that sends requests with base. The RoundTripper records a span
// and a duration for each request, with the names from the semantic conventions for HTTP clients.
// The span ends when the response body has been read or closed. The propagator of [Options] adds
// its headers to the request. A nil base means a clone of http.DefaultTransport that keeps more
// idle connections, or http.DefaultTransport itself if it is not an *http.Transport. Use the
// RoundTripper as the Base of transport.Options, or in your own client.
//
// Unlike otelhttp, the RoundTripper does not record a URL's query, and masks secrets in the errors
// that it records. It returns errors unchanged.
func (t *Telemetry) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = defaultBase()
	}
	return &requests{t, base}
}

// defaultBase returns a transport that keeps enough idle connections. net/http keeps only two per
// host, so with many operations in progress, most polls would open a new one.
func defaultBase() http.RoundTripper {
	std, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // the program has set a transport of another type
	}
	base := std.Clone()
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 128, 128
	base.MaxResponseHeaderBytes = 1 << 20
	return base
}

// requests is a RoundTripper that records a span and a duration for each request.
type requests struct {
	tel  *Telemetry
	base http.RoundTripper
}

var _ http.RoundTripper = (*requests)(nil)

// RoundTrip implements http.RoundTripper.
func (r *requests) RoundTrip(req *http.Request) (*http.Response, error) {
	name, attrs := describe(req)
	x := &exchange{tel: r.tel, began: time.Now(), attrs: attrs}
	ctx, span := r.tel.tracer.Start(req.Context(), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	x.span = span
	span.SetAttributes(semconv.URLFull(bare(req.URL)))
	if name == "HTTP" {
		span.SetAttributes(semconv.HTTPRequestMethodOriginal(req.Method))
	}
	if n, ok := ctx.Value(resends{}).(*atomic.Int64); ok {
		if again := n.Add(1) - 1; again > 0 {
			span.SetAttributes(semconv.HTTPRequestResendCount(int(again)))
		}
	}
	sent := req.Clone(ctx)
	r.tel.propagator.Inject(ctx, propagation.HeaderCarrier(sent.Header))
	resp, err := r.base.RoundTrip(sent)
	if err != nil {
		x.end(err)
		return nil, err
	}
	x.answered(resp)
	resp.Body = &body{resp.Body, x.end}
	return resp, nil
}

// CloseIdleConnections closes the base's idle connections. http.Client calls this method if a
// transport has it.
func (r *requests) CloseIdleConnections() {
	if c, ok := r.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// methods lists the HTTP methods allowed in the attribute http.request.method. The conventions
// require _OTHER for any other method.
var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}

// describe returns the name of a request's span, and the attributes shared by the span and the
// metric.
func describe(req *http.Request) (string, []attribute.KeyValue) {
	name := cmp.Or(req.Method, http.MethodGet)
	method := semconv.HTTPRequestMethodKey.String(name)
	if !slices.Contains(methods, name) {
		name, method = "HTTP", semconv.HTTPRequestMethodOther
	}
	port, err := strconv.Atoi(req.URL.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[req.URL.Scheme]
	}
	return name, []attribute.KeyValue{method, semconv.ServerAddress(req.URL.Hostname()), semconv.ServerPort(port)}
}

// bare returns a URL as text, without its user info, query and fragment.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// An exchange is one request and its response.
type exchange struct {
	tel   *Telemetry
	span  trace.Span
	began time.Time
	attrs []attribute.KeyValue // attributes of the metric
	once  sync.Once
}

func (x *exchange) answered(resp *http.Response) {
	version := strings.TrimSuffix(fmt.Sprintf("%d.%d", resp.ProtoMajor, resp.ProtoMinor), ".0") // such as 1.1, 2 or 3
	attrs := []attribute.KeyValue{semconv.HTTPResponseStatusCode(resp.StatusCode), semconv.NetworkProtocolVersion(version)}
	if resp.StatusCode >= http.StatusBadRequest {
		attrs = append(attrs, semconv.ErrorTypeKey.String(strconv.Itoa(resp.StatusCode)))
		x.span.SetStatus(codes.Error, "") // the conventions say to leave the description empty
	}
	x.span.SetAttributes(attrs...)
	x.attrs = append(x.attrs, attrs...)
}

// end ends the span and records the duration. Only the first call has an effect. err is io.EOF once
// the whole body has been read, and nil once the body is closed. Any other err says why the
// response is missing or incomplete.
func (x *exchange) end(err error) {
	x.once.Do(func() {
		if err != nil && err != io.EOF { //nolint:errorlint // a Reader returns io.EOF unwrapped
			x.span.SetAttributes(causeType(err))
			x.span.SetStatus(codes.Error, masked(err))
			x.attrs = append(x.attrs, causeType(err))
		}
		x.tel.requests.Record(trace.ContextWithSpan(context.Background(), x.span), time.Since(x.began).Seconds(), metric.WithAttributes(x.attrs...))
		x.span.End()
	})
}
