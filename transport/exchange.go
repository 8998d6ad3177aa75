package transport

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/redact"
)

// An exchange is one call of RoundTrip: the attempts and the pauses between them.
type exchange struct {
	t      *Transport
	req    *http.Request // the caller's; never changed
	body   *payload
	pauses *pauses // nil: none yet

	// Of the last attempt; one of resp and err is nil.
	resp *http.Response
	err  error

	sent    int           // how many times the request was sent
	retries int           // attempts after the first
	renewed bool          // a 401 led to a second request
	final   bool          // do not consult the policy
	what    string        // name of the last attempt in the log
	pause   time.Duration // before the next attempt
}

// run makes the attempts. retryablehttp loops over stand-ins: a request without body, query
// and headers, and a response that is always 200. So its errors cannot contain a query, its
// http.Client follows no redirect and closes no idle connections, and it neither buffers a
// body, nor sends one chunked, nor turns a final 503 into an error.
func (x *exchange) run() (*http.Response, error) {
	loop := &retryablehttp.Client{
		HTTPClient: &http.Client{Transport: roundTripFunc(x.attempt)},
		RetryMax:   x.t.opts.Retries,
		CheckRetry: func(context.Context, *http.Response, error) (bool, error) { return x.again(), nil },
		Backoff:    func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return x.pause },
	}
	stand, err := loop.Do(standInRequest(x.req.Context()))
	if err != nil { // the context ended during a pause, and the last response has been read
		return nil, x.failure(ended(x.req.Context(), x.err))
	}
	stand.Body.Close()
	if x.err != nil {
		return nil, x.failure(x.err)
	}
	return x.resp, nil
}

// attempt sends the request and stores the response or the error.
func (x *exchange) attempt(*http.Request) (*http.Response, error) {
	x.what = "attempt"
	x.resp, x.err = x.throughGate()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// again reports whether another attempt follows after x.pause. If so, it frees the
// connection of the last one.
func (x *exchange) again() bool {
	pause, ok := x.nextPause()
	if !ok {
		x.log()
		return false
	}
	x.log(slog.Duration("delay", pause))
	if x.resp != nil {
		discard(x.resp.Body)
	}
	x.retries++
	x.pause = pause
	return true
}

// nextPause returns the pause before the next attempt, and false if there is none.
func (x *exchange) nextPause() (time.Duration, bool) {
	if x.final || x.retries >= x.t.opts.Retries || !x.t.opts.Policy(x.req, x.resp, x.err) {
		return 0, false
	}
	if x.pauses == nil {
		x.pauses = newBackOff(x.t.opts.MinDelay, x.t.opts.MaxDelay)
	}
	pause := x.pauses.next()
	if x.resp != nil {
		if asked, ok := RetryAfter(x.resp.Header, time.Now()); ok {
			if asked > x.t.opts.MaxRetryAfter {
				return 0, false
			}
			pause = asked
		}
	}
	return pause, fits(x.req.Context(), pause)
}

func (x *exchange) log(more ...slog.Attr) {
	ctx, logger := x.req.Context(), x.t.opts.Logger
	if !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", failure.Method(x.req)),
		slog.String("url", redact.URL(x.req.URL)),
		slog.Int("attempt", x.sent),
	}
	if x.resp != nil {
		attrs = append(attrs, slog.Int("status", x.resp.StatusCode))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("error", errorText(x.err)))
	}
	logger.LogAttrs(ctx, slog.LevelDebug, "lro: "+x.what, append(attrs, more...)...)
}

var standInURL = &url.URL{Scheme: "http", Host: "stand-in.invalid"}

func standInRequest(ctx context.Context) *retryablehttp.Request {
	req := &http.Request{Method: http.MethodGet, URL: standInURL, Header: http.Header{}}
	return &retryablehttp.Request{Request: req.WithContext(ctx)}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
