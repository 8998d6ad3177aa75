package transport

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/exchange"
)

// Origin returns the origin of u (RFC 6454, section 4) in a form that can be compared and parsed:
// scheme and host in lower case, without the scheme's default port, and with an IPv6 address in
// brackets. It fails if u has user-info, no host, or a scheme other than http and https. Its errors
// contain only the scheme and host of u.
func Origin(u *url.URL) (string, error) { return exchange.OriginOf(u) }

// maxRedirects is the maximum number of consecutive requests, including the first. net/http has the
// same limit by default.
const maxRedirects = 10

// CheckRedirect returns the redirect policy of [NewClient], for the CheckRedirect field of your own
// client. The policy follows a redirect only to the origin of the first request or to one of the
// given origins, never from https to http, and never to a URL with user-info. If a redirect leads
// elsewhere, the client returns an error that wraps ErrForeignOrigin of package
// github.com/lro-go/lro/errors and names the origin. If the client uses a [Transport], set
// [Options.Origins] to the same origins, because the Transport refuses redirects to others.
//
// Within these origins, a server may choose the URLs of reads, but not of writes:
//
//   - A GET or HEAD follows every redirect. Any other request follows a 303 with a GET (RFC 9110,
//     section 15.4.4).
//   - Any other request follows a 307 or 308 only to the same path, with any query, or to any path
//     if the client's Transport has [Options.FollowWrites] set. If the request has a body, the
//     redirect must also stay at the same origin.
//   - The client returns any other redirect unchanged, such as a 301 or 302 that would turn a POST
//     into a GET.
//
// A redirected request has no Referer. If the redirect leads to another origin, the request keeps
// only these headers of the first request: the IDs that correlate requests, Accept,
// Accept-Language, and the Header of a poller's or pager's options. The policy stops after ten
// consecutive requests.
func CheckRedirect(origins ...string) func(req *http.Request, via []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		header, err := originSet(origins).check(req, via)
		if err != nil {
			closeBody(req) // http.Client does not close the body after an error
			return err
		}
		req.Header = header
		return nil
	}
}

// An originSet holds the allowed origins as the caller wrote them. The first request's origin is
// always allowed too.
type originSet []string

// check returns the headers for a redirected request, or the error that the policy of
// [CheckRedirect] returns.
func (set originSet) check(req *http.Request, via []*http.Request) (http.Header, error) {
	last := via[len(via)-1]
	if changesVerb(req, last) {
		return nil, http.ErrUseLastResponse
	}
	if len(via) >= maxRedirects {
		return nil, fmt.Errorf("stopped after %d redirects", maxRedirects)
	}

	header, err := set.follow(req, via[0], last)
	if errors.Is(err, errRedirectedWrite) {
		return nil, http.ErrUseLastResponse
	}
	return header, err
}

// changesVerb reports whether a redirect other than a 303 changed the verb. net/http also changes
// some verbs to GET after a 301 or 302, but only a 303 asks for that.
func changesVerb(req, last *http.Request) bool {
	if exchange.Method(req) == exchange.Method(last) {
		return false
	}
	return req.Response == nil || req.Response.StatusCode != http.StatusSeeOther
}

// header returns the headers to send with req. If req follows a redirect, header checks the
// redirect, even if the client has its own redirect policy.
func (set originSet) header(req *http.Request) (http.Header, error) {
	if req.URL == nil {
		return nil, errors.New("the request has no URL")
	}
	last := cameFrom(req)
	if last == nil {
		return req.Header, nil
	}

	head := last
	for r := last; r != nil; r = cameFrom(r) {
		head = r
	}
	return set.follow(req, head, last)
}

// cameFrom returns the request whose response redirected to req, if any.
func cameFrom(req *http.Request) *http.Request {
	if req.Response == nil || req.Response.Request == nil || req.Response.Request.URL == nil {
		return nil
	}
	return req.Response.Request
}

var errRedirectedWrite = errors.New("a redirect may not move a write to another path or its body to another origin; see CheckRedirect")

// follow returns the headers for req, which follows a redirect from last, or an error if the
// redirect is not allowed. head is the first request of the chain.
func (set originSet) follow(req, head, last *http.Request) (http.Header, error) {
	settings := exchange.SettingsOf(req.Context())
	err := set.parsed(head).Allow(req.URL, exchange.IsHTTPS(last.URL), settings.Origins...)
	if err != nil {
		return nil, err
	}
	if !isRead(req) && !mayMoveWrite(req, last) {
		return nil, errRedirectedWrite
	}

	h := req.Header.Clone()
	h.Del("Referer") // net/http sets it to the previous URL, which may be signed
	if !sameOrigin(req, head) {
		keepPropagated(h, settings.Header)
	}
	if isRead(req) && !isRead(head) {
		removeConditions(h)
	}
	return h, nil
}

// parsed returns the set's valid origins and the origin of head.
func (set originSet) parsed(head *http.Request) exchange.Origins {
	var allowed exchange.Origins
	for _, s := range set {
		u, err := url.Parse(s)
		if err == nil {
			allowed, _ = allowed.With(u)
		}
	}
	allowed, _ = allowed.With(bare(head.URL))
	return allowed
}

// mayMoveWrite reports whether req, which is neither a GET nor a HEAD, may follow a redirect from
// last.
func mayMoveWrite(req, last *http.Request) bool {
	if hasBody(req) && !sameOrigin(req, last) {
		return false
	}
	if pathOf(req.URL) == pathOf(last.URL) {
		return true
	}
	return exchange.SentOf(cameFrom(req)).FollowWrites
}

func pathOf(u *url.URL) string { return u.Opaque + cmp.Or(u.EscapedPath(), "/") }

// isRead reports whether req is a GET or HEAD. Such a request changes nothing, so a server may
// redirect it to any path, and losing its response does no harm.
func isRead(req *http.Request) bool {
	method := exchange.Method(req)
	return method == http.MethodGet || method == http.MethodHead
}

func sameOrigin(a, b *http.Request) bool {
	one, err := Origin(bare(a.URL))
	two, _ := Origin(bare(b.URL))
	return err == nil && one == two
}

// bare returns the scheme and host of u. It drops user-info, which the caller's own URL may
// contain.
func bare(u *url.URL) *url.URL { return &url.URL{Scheme: u.Scheme, Host: u.Host} }

// keepPropagated removes from h the headers that must not reach another origin. It keeps Accept,
// the headers that all requests of an operation share, and each header whose values in h and wanted
// are the same.
func keepPropagated(h, wanted http.Header) {
	maps.DeleteFunc(h, func(name string, values []string) bool {
		if name == "Accept" || slices.Contains(exchange.PropagatedNames[:], name) {
			return false
		}
		return !slices.Equal(wanted.Values(name), values)
	})
}

// removeConditions removes a write's conditional headers, such as If-Match, from the GET after a
// 303 (RFC 9110, section 15.4).
func removeConditions(h http.Header) {
	maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.HasPrefix(name, "If-") })
}
