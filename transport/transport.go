package transport

import (
	"errors"
	"net/http"
)

// A Transport is an [http.RoundTripper] that retries, heeds throttling and
// authorizes; see the package comment. Make one with [New] and share it: the
// throttle gate and the token are worth what they are because all requests to a
// service go through them. It is safe for use by several goroutines.
type Transport struct {
	opts    Options // resolved
	origins originSet
	gates   *gates      // nil: none
	tokens  *tokenCache // nil: none
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a Transport. The redirects that a client above it follows are
// that client's own affair: give it [CheckRedirect]. Still a redirect to a
// foreign origin is refused here too, before any credential is added.
func New(opts *Options) *Transport {
	t := &Transport{opts: opts.resolved()}
	t.origins = newOriginSet(t.opts.Origins)
	if !t.opts.NoThrottleGate {
		t.gates = newGates()
	}
	if t.opts.Token != nil {
		t.tokens = &tokenCache{fetch: t.opts.Token, limit: t.opts.HeaderTimeout}
	}
	return t
}

// NewClient returns a client that sends through [New] and follows redirects as
// [CheckRedirect] says. It has no overall timeout: use contexts.
func NewClient(opts *Options) *http.Client {
	t := New(opts)
	return &http.Client{Transport: t, CheckRedirect: t.origins.checkRedirect}
}

// RoundTrip sends req, again where the policy says so, and returns the last
// response, whatever its status. Where none came, the error is a *StatusError
// of package github.com/lro-go/lro/errors; where the context ended, errors.Is
// finds the context's error and its cause. req is not changed.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &exchange{t: t, req: req}
	if err := t.refuse(req); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, x.failure(err)
	}
	body, err := newPayload(req, t.sendsOnce())
	if err != nil {
		return nil, x.failure(err)
	}
	defer body.close()
	x.body = body
	return x.run()
}

// CloseIdleConnections closes the idle connections of the base, if it can. Only
// callers ask for that: a Transport never does so by itself, for the base may
// be shared.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.opts.Base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// refuse says why req is not to be sent at all.
func (t *Transport) refuse(req *http.Request) error {
	if req.URL == nil {
		return errors.New("the request has no URL")
	}
	return t.origins.checkChain(req)
}

// sendsOnce reports whether no request is ever sent twice, so that bodies need
// not be kept.
func (t *Transport) sendsOnce() bool { return t.opts.Retries == 0 && t.tokens == nil }
