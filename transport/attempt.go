package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/reqctx"
)

// attempt sends the copy of an exchange's request once the throttle gate lets it through.
// It stores what the retry loop needs to know.
func (t *Transport) attempt(req *http.Request) (resp *http.Response, err error) {
	x := exchangeOf(req.Context())
	x.what, x.token, x.err, x.final = "attempt", "", nil, true // until it is sent
	sent := x.sent
	defer func() {
		if x.err = err; x.sent == sent { // the base closes the body of a request that it gets
			closeBody(req)
		}
	}()
	if ctx := x.req.Context(); ctx.Err() != nil { // a base that works in memory may not check
		return nil, failure.Ended(ctx, nil)
	}
	pass, refused, err := t.gates.enter(x)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		x.what, x.final = "held by the throttle gate", !refused.shared
		if x.sent == 0 && x.req.Response == nil { // nor the request that was redirected here
			reqctx.SetHeld(x.req.Context())
		}
		x.ctx.Stop()
		return heldResponse(x.req, refused.pause), nil
	}
	defer func() { t.gates.leave(x, pass) }() // also when the base panics
	req.Header = x.headers
	if err := x.authorize(req); err != nil {
		return nil, failure.Ended(x.req.Context(), err)
	}
	x.final = false
	x.sent++
	resp, err = x.send(req)
	if err != nil {
		x.unanswered = x.unanswered || !isRead(req) && !failure.Unsent(err)
		return nil, failure.Ended(x.req.Context(), err)
	}
	pass.see(resp, t.opts.MinDelay)
	if resp.StatusCode == http.StatusUnauthorized && x.token != "" {
		t.tokens.reject(x.req, x.token, claimsOf(resp.Header))
	}
	return resp, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// authorize adds the credential to req.
func (x *exchange) authorize(req *http.Request) (err error) {
	if x.t.tokens != nil {
		if x.token, err = x.t.tokens.get(x.req); err != nil {
			return fmt.Errorf("getting a token: %w", failure.UnwrapURL(err))
		}
		if x.token != "" {
			req.Header["Authorization"] = []string{"Bearer " + x.token}
		}
	}
	if x.t.opts.Authorize != nil {
		if err := x.t.opts.Authorize(req); err != nil {
			return fmt.Errorf("authorizing: %w", failure.UnwrapURL(err))
		}
	}
	return nil
}

// send sends req through the base and waits for the response headers, at most for
// HeaderTimeout. The body may take longer, as long as the caller allows. Reading it to the
// end, or closing it, frees the context.
func (x *exchange) send(req *http.Request) (*http.Response, error) {
	final := x.limitHeaders()
	resp, err := x.t.opts.Base.RoundTrip(req)
	if err == nil && resp == nil {
		err = errors.New("the base returned neither a response nor an error")
	}
	if !x.ctx.Unlimit() { // the base may return after the caller's context has ended, too
		err, x.final = context.Cause(x.ctx), final
	}
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		x.ctx.Stop()
		return nil, failure.UnwrapURL(err)
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		x.ctx.Stop()
		resp.Body = http.NoBody
		return resp, nil
	}
	x.limitBody(resp)
	return resp, nil
}

// limitHeaders limits the time until the response headers arrive. It reports whether the
// time of the whole exchange is over when that limit passes.
func (x *exchange) limitHeaders() (final bool) {
	limit := x.t.opts.HeaderTimeout
	if left := time.Until(x.wishes.Due); !x.wishes.Due.IsZero() && left <= limit {
		x.ctx.Limit(left, reqctx.ResponseTimeout(x.wishes.Timeout))
		return true
	}
	x.ctx.Limit(limit, reqctx.TimeoutError{What: "no response headers", Limit: limit, Option: "HeaderTimeout"})
	return false
}

// limitBody limits the time of the body as the caller wishes. It always limits the body of
// a redirect: an http.Client reads up to 2 KiB of that before it follows the redirect, and
// a trickling one would block the client for days.
func (x *exchange) limitBody(resp *http.Response) {
	limit := x.t.opts.HeaderTimeout
	if !x.wishes.Due.IsZero() {
		x.ctx.Limit(time.Until(x.wishes.Due), reqctx.ResponseTimeout(x.wishes.Timeout))
	} else if resp.StatusCode >= 300 && resp.StatusCode <= 399 && resp.Header.Get("Location") != "" {
		x.ctx.Limit(limit, reqctx.TimeoutError{What: "no end of the redirect", Limit: limit, Option: "HeaderTimeout"})
	}
	resp.Body = x.ctx.Body(resp.Body, x.wishes.Timeout)
}
