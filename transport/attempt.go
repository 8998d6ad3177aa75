package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// attempts is the RoundTripper below the retry loop. It has no CloseIdleConnections method, because
// the loop would call it after each failure and other clients may share the base.
type attempts struct{}

// RoundTrip waits at the throttle gate and then makes one attempt with a copy of req. It stores the
// outcome in the call for the retry loop's hooks.
func (attempts) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	c := callOf(req.Context())
	c.token = ""
	c.err = nil
	c.unsent = false
	c.held = false
	c.final = true // if nothing is sent, no attempt follows; the method send sets it to false

	sentBefore := c.sent.Attempts
	defer func() { // deferred so that it also runs if the caller's code panics
		c.err = err
		wasSent := c.sent.Attempts > sentBefore
		if !wasSent { // otherwise, the base closes the body
			closeBody(req)
		}
	}()
	return c.attempt(req)
}

// attempt makes one attempt. It sends nothing if the context has ended, the throttle gate stays
// closed, authorizing fails, or no time is left.
func (c *call) attempt(req *http.Request) (resp *http.Response, err error) {
	if c.Err() != nil { // an in-memory base might not check the context
		return nil, redact.RequestError(c, nil)
	}
	req.Header = c.header()
	req.Host = c.host
	c.loop.Header = req.Header // req may be a copy, because an http.Client copies a request whose URL has user-info

	gates := c.t.gates
	turn, err := gates.enter(&c.caller, &c.gate)
	if err != nil {
		return nil, err
	}
	if !turn.IsZero() {
		return c.hold(turn), nil
	}
	defer func() { gates.leave(&c.caller, &c.gate, resp) }() // deferred so that it also runs if the base panics

	out := &c.current.request
	*out = *req.WithContext(c.current.traceContext())
	if err := c.authorize(out); err != nil {
		return nil, redact.RequestError(c, err)
	}
	left, why := c.current.timeLeft("no response headers")
	if left <= 0 { // for example, because fetching the token took too long
		return nil, new(why)
	}
	c.current.Limit(left, why)
	return c.send(out)
}

// hold returns the gate's own 429 for an attempt whose turn comes too late.
func (c *call) hold(turn time.Time) *http.Response {
	c.held = true
	if c.sent.Attempts == 0 && c.req.Response == nil { // nothing has been sent yet, not even before a redirect
		c.sent.Turn = turn
	}
	c.current.Stop()
	return gateResponse(c.req, time.Until(turn))
}

// authorize adds the credential to req. It replaces the headers and the URL of req instead of
// changing them, because other requests share them and must not show the credential.
func (c *call) authorize(req *http.Request) (err error) {
	tokens := c.t.tokens
	authorize := c.t.opts.Authorize
	if tokens == nil && authorize == nil {
		return nil
	}

	req.Header = req.Header.Clone()
	if tokens != nil {
		callers := c.Context.Context // the Token function must not see the exchange's state
		c.token, err = tokens.get(callers, c.req.URL)
		if err != nil {
			return fmt.Errorf("getting a token: %w", redact.UnwrapURL(err))
		}
	}
	if c.token != "" {
		req.Header["Authorization"] = []string{"Bearer " + c.token}
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

// send sends an authorized request and records the outcome in the call.
func (c *call) send(req *http.Request) (*http.Response, error) {
	c.final = false
	c.sent.Attempts++
	resp, err := c.sendInTime(req)
	if !c.unsent {
		c.everSent = true
	}
	if err != nil {
		if !isRead(req) && !c.unsent {
			c.sent.Unanswered = true
		}
		return nil, redact.RequestError(c, err)
	}

	if resp.StatusCode == http.StatusUnauthorized && c.token != "" {
		c.t.tokens.reject(c.req, c.token, resp.Header)
	}
	return resp, nil
}

// sendInTime sends req through the base and waits for the response headers, within the attempt's
// time limit. Reading the body may take as long as the caller allows. The attempt's context ends
// when the body has been read to the end or closed.
func (c *call) sendInTime(req *http.Request) (*http.Response, error) {
	resp, err := c.t.opts.Base.RoundTrip(req)
	if resp == nil && err == nil {
		err = errors.New("the base returned neither a response nor an error")
	}
	c.unsent = err != nil && c.current.unsent(err)
	if !c.current.Unlimit() { // the attempt's time limit expired before the base returned
		err = context.Cause(c.current)
		c.final = c.isOverdue()
	}
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		c.current.Stop()
		return nil, redact.UnwrapURL(err)
	}

	if resp.Body == nil || resp.Body == http.NoBody {
		c.current.Stop()
		resp.Body = http.NoBody
		return resp, nil
	}

	// An http.Client reads up to 2 KiB of the body before it follows a redirect. A slow body must
	// not block the client.
	if isRedirect(resp) {
		c.current.limit("no end of the redirect")
	} else if c.hasDue() {
		c.current.Limit(c.current.callersTime())
	}
	resp.Body = c.current.Body(resp.Body, c.Timeout)
	return resp, nil
}

// isRedirect reports whether resp is a redirect that an http.Client may follow.
func isRedirect(resp *http.Response) bool {
	return resp.StatusCode >= 300 && resp.StatusCode <= 399 && resp.Header.Get("Location") != ""
}
