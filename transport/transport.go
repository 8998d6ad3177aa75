package transport

import (
	"errors"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"
)

// A Transport is an [http.RoundTripper] that retries, obeys throttling and authorizes; see
// the package comment. Make one with [New] and share it: the throttle gate and the tokens
// only help requests that go through the same Transport. Several goroutines may use it at
// once.
type Transport struct {
	opts      Options // resolved
	userAgent string
	loop      *retryablehttp.Client
	gates     *gates  // nil: none
	tokens    *tokens // nil: none
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a Transport. An http.Client that uses it applies its own redirect policy: set
// its CheckRedirect to [CheckRedirect]. Even without that, a Transport does not send a redirected request to a foreign
// origin, and adds no credential to it.
func New(opts *Options) *Transport {
	t := &Transport{opts: opts.resolved()}
	t.userAgent = userAgent(t.opts.UserAgent)
	t.loop = newLoop(t)
	if !t.opts.NoThrottleGate {
		t.gates = newGates()
	}
	if t.opts.Token != nil {
		t.tokens = newTokens(t.opts.Token, t.opts.HeaderTimeout)
	}
	return t
}

// NewClient returns a client that sends through [New] and follows redirects as
// [CheckRedirect] does. It has no overall timeout: use contexts.
func NewClient(opts *Options) *http.Client {
	t := New(opts)
	return &http.Client{Transport: t, CheckRedirect: CheckRedirect(t.opts.Origins...)}
}

var errNoURL = errors.New("the request has no URL")

// RoundTrip sends req and retries it as the Policy decides. It returns the last
// response, whatever its status. If no response came, the error is a *StatusError of
// package github.com/lro-go/lro/errors; if the context ended, errors.Is finds the context's
// error and its cause. RoundTrip does not change req, with one exception: after a 307 or 308,
// a request whose body has no GetBody gets one, because http.Client does not follow the
// redirect otherwise. The Request of the response is a copy of req with the client request id
// that the Transport added, and without its credential. Its context is a child of req's and
// carries what [AsError] reports about the attempts.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	err := errNoURL
	if req.URL != nil {
		req, err = originSet(t.opts.Origins).checkChain(req)
	}
	if err != nil {
		closeBody(req)
		return nil, (&exchange{req: req}).failure(err)
	}
	x := t.newExchange(req)
	answered := false
	defer func() {
		if !answered { // or the base panicked
			x.ctx.Abandon()
		}
	}()
	resp, err := x.run()
	if err != nil {
		return nil, x.failure(err)
	}
	answered = true
	return resp, nil
}

// CloseIdleConnections closes the idle connections of the base, if the base can do that.
// Nothing else closes them, because the base may be shared.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.opts.Base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
