package transport

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/internal/failure"
)

// throughGate makes an attempt once the throttle gate lets the request through.
func (x *exchange) throughGate() (*http.Response, error) {
	ctx, gates, key := x.req.Context(), x.t.gates, gateKeyOf(x.req)
	probe, held, err := gates.enter(ctx, key, x.t.opts.MaxRetryAfter)
	if err != nil {
		x.final = true
		return nil, err
	}
	if held > 0 {
		x.final, x.what = true, "held by the throttle gate"
		return heldResponse(x.req, held), nil
	}
	told := closing{key: key, probe: probe}
	defer func() { gates.leave(told) }() // also when the base panics
	resp, err := x.ask()
	if resp != nil {
		told.see(resp, x.t.opts.MinDelay)
	}
	return resp, err
}

// ask sends the request, and a second time if the service rejected our token.
func (x *exchange) ask() (*http.Response, error) {
	resp, token, err := x.send()
	if err != nil || resp.StatusCode != http.StatusUnauthorized || token == "" {
		return resp, err
	}
	x.t.tokens.drop(token)
	if x.renewed || polling(x.req.Context()) {
		return resp, nil
	}
	x.renewed = true
	x.resp, x.err = resp, nil
	x.log()
	discard(resp.Body)
	if resp, token, err = x.send(); err == nil && resp.StatusCode == http.StatusUnauthorized {
		x.t.tokens.drop(token)
	}
	return resp, err
}

// send sends a copy of the request and returns the token that it carried.
func (x *exchange) send() (*http.Response, string, error) {
	ctx := x.req.Context()
	if ctx.Err() != nil { // a base that works in memory may not check
		x.final = true
		return nil, "", ended(ctx, nil)
	}
	req := x.req.Clone(ctx)
	token, err := x.prepare(req)
	if err != nil {
		x.final = true
		return nil, "", err
	}
	x.sent++
	resp, err := roundTrip(x.t.opts.Base, req, x.t.opts.HeaderTimeout)
	if err != nil {
		x.final = ctx.Err() != nil
		return nil, "", ended(ctx, err)
	}
	resp.Request = x.req // our copy holds the credential
	return resp, token, nil
}

// prepare adds the body and the credential to req.
func (x *exchange) prepare(req *http.Request) (token string, err error) {
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if err := x.body.attach(req); err != nil {
		return "", err
	}
	defer func() {
		if err != nil && req.Body != nil {
			req.Body.Close()
		}
	}()
	if x.t.tokens != nil {
		if token, err = x.t.tokens.get(req.Context()); err != nil {
			return "", credentialError(req, "getting a token", err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if x.t.opts.Authorize != nil {
		if err := x.t.opts.Authorize(req); err != nil {
			return "", credentialError(req, "authorizing", err)
		}
	}
	return token, nil
}

// credentialError returns an error that says what failed, or the context's error if the
// context has ended.
func credentialError(req *http.Request, what string, err error) error {
	if ctx := req.Context(); ctx.Err() != nil {
		return ended(ctx, err)
	}
	return fmt.Errorf("%s: %w", what, failure.UnwrapURL(err))
}

var errNoResponse = errors.New("the base returned neither a response nor an error")
