package transport

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
)

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
	return newOriginSet(origins).checkRedirect
}

// An originSet holds the origins that are allowed in addition to the first one.
type originSet map[string]bool

func newOriginSet(origins []string) originSet {
	set := originSet{}
	for _, s := range origins {
		u, err := url.Parse(s)
		if err != nil {
			continue
		}
		if origin, err := Origin(u); err == nil {
			set[origin] = true
		}
	}
	return set
}

func (set originSet) checkRedirect(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if failure.Method(req) != failure.Method(last) {
		return http.ErrUseLastResponse
	}
	if len(via) >= maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	return set.check(req.Context(), via[0].URL, last.URL, req.URL)
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
	return set.check(req.Context(), head.URL, last.URL, req.URL)
}

// cameFrom returns the request whose response redirected to req, if any.
func cameFrom(req *http.Request) *http.Request {
	if req.Response == nil || req.Response.Request == nil || req.Response.Request.URL == nil {
		return nil
	}
	return req.Response.Request
}

// check returns an error unless a redirect from last to target may be followed, in a chain
// whose first URL is head. The context may allow more origins than the set.
func (set originSet) check(ctx context.Context, head, last, target *url.URL) error {
	origin, err := Origin(target)
	if err != nil {
		return foreign(err)
	}
	if lower(last.Scheme) == "https" && lower(target.Scheme) == "http" {
		return foreign(fmt.Errorf("redirect from https to %s", origin))
	}
	if home, err := homeOrigin(head); err == nil && origin == home || set[origin] || slices.Contains(originsOf(ctx), origin) {
		return nil
	}
	return foreign(fmt.Errorf("redirect to %s", origin))
}

// homeOrigin returns the origin of the caller's own URL, which may contain user-info.
func homeOrigin(u *url.URL) (string, error) {
	return Origin(&url.URL{Scheme: u.Scheme, Host: u.Host})
}

func foreign(err error) error { return fmt.Errorf("%w: %w", lroerrors.ErrForeignOrigin, err) }
