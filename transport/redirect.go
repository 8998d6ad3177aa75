package transport

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/origin"
	"github.com/lro-go/lro/internal/reqctx"
)

// Origin returns the origin of u (RFC 6454, section 4) in a form that can be compared and
// parsed: scheme and host in lower case, without the scheme's default port, an IPv6 address
// in brackets. It fails for a URL with user-info, without a host, or with a scheme other
// than http and https. Its errors hold no more of u than scheme and host.
func Origin(u *url.URL) (string, error) { return origin.Of(u) }

// maxRedirects is net/http's own limit.
const maxRedirects = 10

// CheckRedirect returns the redirect policy of [NewClient], for the CheckRedirect field of
// your own client. It follows a redirect only to the origin of the first request or to one
// of origins, never from https to http, and never with user-info. Otherwise it returns an
// error that wraps ErrForeignOrigin of package github.com/lro-go/lro/errors and names the
// origin.
//
// GET and HEAD follow every redirect, other verbs only 307 and 308, for which net/http keeps
// the verb and the body. A 301, 302 or 303 that would turn another verb into a GET is
// returned unchanged. The policy allows ten redirects in a row.
func CheckRedirect(origins ...string) func(req *http.Request, via []*http.Request) error {
	return originSet(origins).checkRedirect
}

// An originSet holds the origins that are allowed in addition to the first one, in any
// notation.
type originSet []string

func (set originSet) checkRedirect(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if failure.Method(req) != failure.Method(last) {
		return http.ErrUseLastResponse
	}
	if len(via) >= maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	return set.check(req, via[0], last)
}

// checkChain checks a request that a client created for a redirect, whatever the redirect
// policy of that client.
func (set originSet) checkChain(req *http.Request) error {
	last := cameFrom(req)
	if last == nil {
		return nil
	}
	head := last
	for r := cameFrom(head); r != nil; r = cameFrom(head) {
		head = r
	}
	return set.check(req, head, last)
}

// cameFrom returns the request whose response redirected to req, if any.
func cameFrom(req *http.Request) *http.Request {
	if req.Response == nil || req.Response.Request == nil || req.Response.Request.URL == nil {
		return nil
	}
	return req.Response.Request
}

// check returns an error unless a redirect from last to req may be followed, in a chain
// that head started. The context may allow more origins than the set.
func (set originSet) check(req, head, last *http.Request) error {
	var allowed origin.Set
	for _, s := range set {
		if u, err := url.Parse(s); err == nil {
			allowed, _ = allowed.With(u)
		}
	}
	allowed, _ = allowed.With(bare(head.URL))
	return allowed.Allow(req.URL, last.URL, reqctx.Of(req.Context()).Origins...)
}

// bare returns u without user-info, which the caller's own URL may contain.
func bare(u *url.URL) *url.URL { return &url.URL{Scheme: u.Scheme, Host: u.Host} }
