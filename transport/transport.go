package transport

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/lro-go/lro/internal/exchange"
)

// A Transport is an [http.RoundTripper] that retries requests, respects throttling and adds
// credentials; see the package comment. Create one with [New] and share it, because requests share
// the throttle gate and the tokens only if they use the same Transport. It is safe for concurrent
// use.
type Transport struct {
	opts      Options // with the defaults filled in
	userAgent string
	loop      *retryablehttp.Client
	gates     *gates  // nil if NoThrottleGate is set
	tokens    *tokens // nil if there is no Token function
	crowd     exchange.Crowd
}

func init() {
	exchange.CrowdOf = func(t http.RoundTripper) *exchange.Crowd { return &t.(*Transport).crowd }
	exchange.ForExchange = func(ctx context.Context, s exchange.Settings) context.Context { return newCall(ctx, s) }
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a Transport. If you use it in an [http.Client], set the client's CheckRedirect field
// to the policy that [CheckRedirect] returns. Even without this policy, the Transport refuses a
// redirect to a foreign origin before it adds a credential.
func New(opts *Options) *Transport {
	t := &Transport{opts: opts.resolved()}
	t.userAgent = userAgent(t.opts.UserAgent)
	t.loop = newLoop(&t.opts)
	if !t.opts.NoThrottleGate {
		t.gates = newGates(&t.opts)
	}
	if t.opts.Token != nil {
		t.tokens = newTokens(t.opts.Token, t.opts.HeaderTimeout)
	}
	return t
}

// NewClient returns a client that uses a new [Transport] and the redirect policy of
// [CheckRedirect]. The client has no overall timeout, so limit each request with its context.
func NewClient(opts *Options) *http.Client {
	t := New(opts)
	return &http.Client{Transport: t, CheckRedirect: CheckRedirect(t.opts.Origins...)}
}

// RoundTrip sends req and retries it if the Policy allows it. It returns the last response, even if
// that reports a failure. If no response came, the error is a *StatusError of package
// github.com/lro-go/lro/errors. If the context ended, the *StatusError matches the context's error
// and its cause.
//
// A request with a Trailer needs a body. The Transport sends that body without a Content-Length,
// because HTTP/1 allows trailers only then. The trailer follows the body in every attempt.
//
// RoundTrip does not change req. The response's Request is a copy of req with the headers that the
// Transport added, but without the credential. The context of this copy holds what [AsError]
// reports about the attempts.
func (t *Transport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	header, err := originSet(t.opts.Origins).header(req)
	if err != nil {
		closeBody(req)
		return nil, failure(req, exchange.SentOf(cameFrom(req)), false, err)
	}

	c := t.start(req, header)
	defer func() {
		if resp == nil { // an error occurred, or the caller's code panicked
			c.current.Abandon()
		}
	}()
	resp, err = c.run()
	if err != nil {
		return nil, c.failure(err)
	}
	return resp, nil
}

// mayRepeat reports whether the Transport may send a request more than once.
func (t *Transport) mayRepeat() bool { return t.opts.Retries > 0 || t.tokens != nil }

// String describes the Transport's options.
func (t *Transport) String() string { return "transport " + t.opts.String() }

// CloseIdleConnections closes the base's idle connections, if the base supports that. The Transport
// never closes them on its own, because the base may be shared.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.opts.Base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
