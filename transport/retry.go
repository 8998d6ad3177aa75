package transport

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// newLoop returns a Transport's retry loop. The loop's http.Client does not follow redirects,
// because the client that uses the Transport does. CheckRedirect closes the body of the redirected
// request, which the loop does not send.
func newLoop(opts *Options) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     attempts{},
			CheckRedirect: func(req *http.Request, _ []*http.Request) error { closeBody(req); return http.ErrUseLastResponse },
		},
		RetryWaitMin: opts.MinDelay,
		RetryWaitMax: opts.MaxDelay,
		RetryMax:     math.MaxInt, // checkRetry limits the retries
		CheckRetry:   checkRetry,
		Backoff:      pause,
		PrepareRetry: prepareRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// checkRetry reports whether to make another attempt, and prepares for it.
func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	c := callOf(ctx)
	if err != nil && c.err == nil { // http.Client rejected the response, for example because of a bad Location
		c.err = redact.UnwrapURL(err)
		c.final = true
		if !isRead(c.req) {
			c.sent.Unanswered = true
		}
	}

	delay, again := c.again(resp)
	if !again {
		c.log(resp)
		return false, nil
	}
	c.log(resp, slog.Duration("delay", delay))

	if resp != nil {
		if !isRead(c.req) && leavesOutcomeOpen(resp.StatusCode) {
			c.sent.Unanswered = true
		}
		c.drain(resp)
	}
	c.current = &attempt{} // each attempt has its own context, which ends when its response body has been read or closed
	c.current.start(c)
	return true, nil
}

// leavesOutcomeOpen reports whether a write may have taken effect despite a response with this
// status code.
func leavesOutcomeOpen(code int) bool { return code == http.StatusRequestTimeout || code >= 500 }

// drainBytes and drainTime limit how much of an unwanted response body is read, and for how long.
// net/http reuses a connection only if the body has been read to the end. Beyond these limits, a
// new connection is cheaper.
const (
	drainBytes = 16 << 10
	drainTime  = time.Second
)

// drain reads and discards up to drainBytes of a response body, for at most drainTime.
func (c *call) drain(resp *http.Response) {
	if resp.Body == http.NoBody {
		return
	}
	c.current.Limit(drainTime, exchange.TimeoutError{})
	_, _ = io.CopyN(io.Discard, resp.Body, drainBytes)
}

// again reports whether to make another attempt. If so, it also counts this retry, and delay is an
// upper limit for the pause before the retry.
func (c *call) again(resp *http.Response) (delay time.Duration, ok bool) {
	if c.final || c.Err() != nil {
		return 0, false
	}
	if c.needsFreshToken(resp) {
		c.renewed++
		resp.Header = http.Header{"Retry-After": {"0"}} // retry without a pause, because the next attempt will have a fresh token
		return 0, true
	}

	if c.retries >= c.t.opts.Retries || c.LongestPause == 0 {
		return 0, false
	}
	if !c.t.opts.Policy(c.callersRequest(), resp, c.reason()) {
		return 0, false
	}
	delay, asked := askedPause(resp)
	if asked && delay > c.t.opts.MaxRetryAfter {
		return 0, false
	}
	if !asked {
		delay = c.longestBackOff()
	}
	if !c.allows(delay) {
		return 0, false
	}
	c.retries++
	return delay, true
}

// reason returns the error to pass to the Policy. It matches ErrNotSent if the last attempt was not
// sent, even if an earlier one may have been.
func (c *call) reason() error {
	if c.unsent {
		return exchange.NotSent(c.err)
	}
	return c.err
}

// needsFreshToken reports whether to repeat the request with a fresh token. The Transport does so
// at most once per request.
func (c *call) needsFreshToken(resp *http.Response) bool {
	if resp == nil || resp.StatusCode != http.StatusUnauthorized {
		return false
	}
	return c.token != "" && c.renewed == 0 && !c.Reauthorizes
}

// longestBackOff returns an upper limit for the back-off before the next attempt.
func (c *call) longestBackOff() time.Duration {
	longest := math.Ldexp(float64(c.t.opts.MinDelay), c.retries+c.renewed+1)
	return time.Duration(min(longest, float64(c.t.opts.MaxDelay))) // compared as floats, because a Duration could overflow
}

// prepareRetry clears the last attempt's error and rewinds the request body.
func prepareRetry(req *http.Request) (err error) {
	callOf(req.Context()).err = nil // if GetBody fails, the call must report that failure instead
	if !hasBody(req) || req.GetBody == nil {
		return nil
	}
	req.Body, err = req.GetBody()
	if err != nil {
		return fmt.Errorf("rewinding the request body: %w", err)
	}
	return nil
}
