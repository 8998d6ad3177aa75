package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// attempts is the RoundTripper below the retry loop. It has no CloseIdleConnections method,
// because the loop would call it after each failure, and the base may be shared.
type attempts struct{}

// RoundTrip makes one attempt, once the throttle gate lets it through. It records in the
// exchange what the retry loop needs to know. req is the loop's request; the base gets a copy of
// it.
func (attempts) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	x := callOf(req.Context())
	t := x.t
	x.what, x.token, x.err, x.final = "attempt", "", nil, true // if this attempt is not sent, no other attempt follows
	sent := x.sent.Attempts
	defer func() {
		if x.err = err; x.sent.Attempts == sent { // if the attempt was sent, the base closes the body
			closeBody(req)
		}
	}()
	if x.Err() != nil { // a base that works in memory might not check the context
		return nil, redact.RequestError(x.Context, nil)
	}
	req.Header = x.header()
	x.loop.Header = req.Header // needed if the URL has user-info, because http.Client then sends a copy of the loop's request
	if held, err := t.gates.enter(x); err != nil || held != nil {
		return held, err
	}
	defer func() { t.gates.leave(x, resp) }() // deferred, so that it also runs if the base panics
	out := req.WithContext(x.limits)
	if err := x.authorize(out); err != nil {
		return nil, redact.RequestError(x.Context, err)
	}
	if due := x.settings.Due; !due.IsZero() && !time.Now().Before(due) { // for example, because it took too long to get the token
		return nil, new(exchange.ResponseTimeout(x.settings.Timeout))
	}
	x.final = false
	x.sent.Attempts++
	resp, err = x.send(out)
	if err != nil {
		x.sent.Unanswered = x.sent.Unanswered || !isRead(req) && !exchange.Unsent(err)
		return nil, redact.RequestError(x.Context, err)
	}
	if resp.StatusCode == http.StatusUnauthorized && x.token != "" {
		t.tokens.reject(x.req, x.token, claimsOf(resp.Header))
	}
	return resp, nil
}

// authorize adds the credential to req. It replaces the headers and the URL instead of modifying
// them, because the Request of the response must not show the credential, and net/http may still
// be writing an earlier attempt.
func (x *call) authorize(req *http.Request) (err error) {
	tokens, authorize := x.t.tokens, x.t.opts.Authorize
	if tokens == nil && authorize == nil {
		return nil
	}
	req.Header = req.Header.Clone()
	if tokens != nil {
		if x.token, err = tokens.get(x.req); err != nil {
			return fmt.Errorf("getting a token: %w", redact.UnwrapURL(err))
		}
		if x.token != "" {
			req.Header["Authorization"] = []string{"Bearer " + x.token}
		}
	}
	if authorize != nil {
		u := *req.URL
		req.URL = &u
		if err := authorize(req); err != nil {
			return fmt.Errorf("authorizing: %w", redact.UnwrapURL(err))
		}
	}
	return nil
}

// send sends req through the base and waits for the response headers, for at most HeaderTimeout.
// Reading the body may take as long as the caller allows. The attempt's context ends when the
// body has been read to its end or closed.
func (x *call) send(req *http.Request) (*http.Response, error) {
	final := x.limit("no response headers", true)
	resp, err := x.t.opts.Base.RoundTrip(req)
	if err == nil && resp == nil {
		err = errors.New("the base returned neither a response nor an error")
	}
	if !x.limits.Unlimit() { // the base may return after the attempt's context has ended
		err, x.final = context.Cause(x.limits), final
	}
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		x.limits.Stop()
		return nil, redact.UnwrapURL(err)
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		x.limits.Stop()
		resp.Body = http.NoBody
		return resp, nil
	}
	// An http.Client reads up to 2 KiB of the body before it follows a redirect, so a body that
	// trickles in would block the client.
	x.limit("no end of the redirect", resp.StatusCode >= 300 && resp.StatusCode <= 399 && resp.Header.Get("Location") != "")
	resp.Body = x.limits.Body(resp.Body, x.settings.Timeout)
	return resp, nil
}

// limit ends the attempt when the caller's time for the exchange has run out or, if
// headerTimeout is set, after HeaderTimeout, whichever comes first. It reports whether the
// caller's time will run out first.
func (x *call) limit(missing string, headerTimeout bool) (callers bool) {
	limit, left := x.t.opts.HeaderTimeout, time.Until(x.settings.Due)
	switch {
	case !x.settings.Due.IsZero() && (left <= limit || !headerTimeout):
		x.limits.Limit(left, exchange.ResponseTimeout(x.settings.Timeout))
		return true
	case headerTimeout:
		x.limits.Limit(limit, exchange.TimeoutError{What: missing, Limit: limit, Option: "HeaderTimeout"})
	}
	return false
}
