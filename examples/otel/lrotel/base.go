package lrotel

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// Client returns transport.NewClient(opts) with a span and metrics for each
// attempt: the retries of package transport are above [Telemetry.Base].
func (t *Telemetry) Client(opts *transport.Options) *http.Client {
	var o transport.Options
	if opts != nil {
		o = *opts
	}
	o.Base = t.Base(o.Base)
	return transport.NewClient(&o)
}

// Base returns base with a span and metrics for each request, by otelhttp. A nil
// base means a clone of http.DefaultTransport.
//
// otelhttp records url.full with its query, and the text of every error. So it
// stands between two of ours. The one above gives it a URL without query and
// user-info, and the one below puts that back which is to be asked. What it does
// not know it cannot tell: in no attribute, no metric and no later release.
func (t *Telemetry) Base(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = defaultBase()
	}
	return &bare{base: base, seen: otelhttp.NewTransport(&whole{base},
		otelhttp.WithTracerProvider(t.tracers),
		otelhttp.WithMeterProvider(t.meters),
		// The service may know the trace, and not our baggage.
		otelhttp.WithPropagators(propagation.TraceContext{}),
	)}
}

// defaultBase keeps as many idle connections as package transport does where it is
// given no Base: net/http keeps 2 a host, and a fleet would dial anew for each poll.
func defaultBase() http.RoundTripper {
	std, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // replaced by the program, which will know why
	}
	base := std.Clone()
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 128, 128
	base.MaxResponseHeaderBytes = 1 << 20
	return base
}

// target is the key of the URL that is to be asked.
type target struct{}

// A bare tells what is below it no more of the URL than may be recorded.
type bare struct{ base, seen http.RoundTripper }

var _ http.RoundTripper = (*bare)(nil)

func (b *bare) RoundTrip(req *http.Request) (*http.Response, error) {
	told := req.WithContext(context.WithValue(req.Context(), target{}, req.URL))
	told.URL = &url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path, RawPath: req.URL.RawPath}
	return b.seen.RoundTrip(told) // the response's Request is what whole has sent
}

// CloseIdleConnections is for http.Client, from which otelhttp would hide it.
func (b *bare) CloseIdleConnections() {
	if c, ok := b.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// A whole asks the URL that a bare has kept back.
type whole struct{ base http.RoundTripper }

var _ http.RoundTripper = (*whole)(nil)

func (w *whole) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.WithContext(req.Context())
	sent.URL, _ = req.Context().Value(target{}).(*url.URL)
	resp, err := w.base.RoundTrip(sent)
	if err != nil {
		return nil, quiet(err)
	}
	resp.Body = quietBody{resp.Body}
	return resp, nil
}

// A quietBody fails with errors that are fit to be recorded.
type quietBody struct{ io.ReadCloser }

func (b quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, quiet(err)
}

// quiet returns err, or one in its place whose text is fit to be recorded: net/http
// quotes what a service sends, which knows our URLs and may well send them back. The
// texts of package errors are without them. errors.Is and errors.As find err all
// the same.
func quiet(err error) error {
	fit := &lroerrors.StatusError{Err: err}
	if fit.Error() == "lro: "+err.Error() {
		return err // as almost always; its type is an attribute
	}
	return fit
}
