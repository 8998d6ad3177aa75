package transport

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// WithLongestPause returns a context for requests whose pauses between attempts last at
// most d. A response that calls for a longer pause, or a throttle gate that stays closed
// for longer, ends the exchange at once. 0 means one attempt, no pause and no wait at the
// gate. WithLongestPause is for callers that schedule the next attempt themselves. After a 401 the
// request is still repeated once with a fresh token.
func WithLongestPause(ctx context.Context, d time.Duration) context.Context {
	w := *exchange.SettingsOf(ctx)
	w.LongestPause = max(d, 0)
	return exchange.WithSettings(ctx, w)
}

// LongestPause returns the longest pause between attempts that [WithLongestPause] set in ctx, or
// the longest possible duration if none was set. It is for other transports that retry: they
// should return a response that calls for a longer pause, and make only one attempt if
// LongestPause returns 0.
func LongestPause(ctx context.Context) time.Duration { return exchange.SettingsOf(ctx).LongestPause }

// newLoop returns the retry loop of a Transport. Its http.Client does not follow redirects,
// because the client above the Transport follows them. Even so, net/http calls GetBody to
// prepare the redirected request before it calls CheckRedirect, so CheckRedirect closes that
// body.
func newLoop(t *Transport) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     attempts{},
			CheckRedirect: func(req *http.Request, _ []*http.Request) error { closeBody(req); return http.ErrUseLastResponse },
		},
		RetryWaitMin: t.opts.MinDelay,
		RetryWaitMax: t.opts.MaxDelay,
		RetryMax:     math.MaxInt, // checkRetry limits the retries
		CheckRetry:   checkRetry,
		Backoff:      pause,
		PrepareRetry: prepareRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// An unwanted response body is read to its end, so that its connection can be reused, but only up
// to these limits: beyond them, opening a new connection is cheaper.
const (
	drainBytes = 16 << 10
	drainTime  = time.Second
)

// checkRetry reports whether another attempt follows.
func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	x := callOf(ctx)
	if err != nil && x.err == nil { // http.Client rejected the response, for example a redirect with a bad Location
		x.err, x.final = redact.UnwrapURL(err), true
		x.sent.Unanswered = x.sent.Unanswered || !isRead(x.req)
	}
	delay, again := x.again(resp)
	if !again {
		x.log(resp)
		return false, nil
	}
	x.log(resp, slog.Duration("delay", delay))
	if resp != nil && !isRead(x.req) && (resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500) {
		x.sent.Unanswered = true
	}
	if resp != nil && resp.Body != http.NoBody {
		x.limits.Limit(drainTime, exchange.TimeoutError{})
		_, _ = io.CopyN(io.Discard, resp.Body, drainBytes)
	}
	x.limits = exchange.Start(x.Context, x.settings.Due) // the context of the last attempt ends with the body of its response
	return true, nil
}

// again reports whether to make another attempt and, if so, counts it. The pause before that
// attempt will last at most delay.
func (x *call) again(resp *http.Response) (delay time.Duration, ok bool) {
	if x.final || x.Err() != nil {
		return 0, false
	}
	if resp != nil && resp.StatusCode == http.StatusUnauthorized && x.token != "" && x.renewed == 0 && !x.settings.Reauthorizes {
		x.renewed++
		resp.Header = http.Header{"Retry-After": {"0"}} // no pause is needed, because the next attempt will have a fresh token
		return 0, true
	}
	if x.retries >= x.t.opts.Retries || x.settings.LongestPause == 0 || !x.t.opts.Policy(x.req, resp, x.err) {
		return 0, false
	}
	delay, asked := askedPause(resp)
	if !asked { // the back-off chooses a pause of at most this length
		delay = time.Duration(min(math.Ldexp(float64(x.t.opts.MinDelay), x.retries+x.renewed+1), float64(x.t.opts.MaxDelay)))
	}
	if asked && delay > x.t.opts.MaxRetryAfter || !x.fits(delay) {
		return 0, false
	}
	x.retries++
	return delay, true
}

// askedPause returns the pause that a response asks for.
func askedPause(resp *http.Response) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	return RetryAfter(resp.Header, time.Now())
}

// fits reports whether the caller allows a pause of this length and there is time for another
// attempt after it.
func (x *call) fits(pause time.Duration) bool {
	if pause > x.settings.LongestPause || !x.settings.Due.IsZero() && pause >= time.Until(x.settings.Due) {
		return false
	}
	deadline, ok := x.Deadline()
	return !ok || pause < time.Until(deadline)
}

// pause returns the pause before retry n, counted from zero: the one that the service asked for,
// or a random one between minimum·2ⁿ and minimum·2ⁿ⁺¹. Near maximum it lies between half of
// maximum and maximum.
func pause(minimum, maximum time.Duration, n int, resp *http.Response) time.Duration {
	if d, asked := askedPause(resp); asked {
		return d
	}
	b := backoff.NewExponentialBackOff( // each call to pause needs its own, because it has state
		backoff.WithInitialInterval(minimum+minimum/2),
		backoff.WithRandomizationFactor(1.0/3),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(maximum-maximum/4),
		backoff.WithMaxElapsedTime(0), // by default, the back-off stops after 15 minutes and returns -1
	)
	var d time.Duration
	for range n + 1 {
		d = b.NextBackOff()
	}
	if d < 0 { // the random part that the library adds can overflow near the largest duration
		return maximum
	}
	return min(max(d, minimum), maximum)
}

// prepareRetry prepares the request of the next attempt.
func prepareRetry(req *http.Request) (err error) {
	callOf(req.Context()).err = nil // the error of the last attempt no longer matters
	if req.Body == nil || req.Body == http.NoBody || req.GetBody == nil {
		return nil
	}
	if req.Body, err = req.GetBody(); err != nil {
		return fmt.Errorf("rewinding the request body: %w", err)
	}
	return nil
}
