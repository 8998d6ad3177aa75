package transport

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/exchange"
)

// Origin returns the origin of u (RFC 6454, section 4) in a form that can be compared and
// parsed: scheme and host in lower case, without the scheme's default port, and with an IPv6
// address in brackets. It fails for a URL with user-info, without a host, or with a scheme
// other than http and https. Its errors contain only the scheme and host of u.
func Origin(u *url.URL) (string, error) { return exchange.OriginOf(u) }

// maxRedirects limits the number of redirects in a row. net/http has the same limit by default.
const maxRedirects = 10

// CheckRedirect returns the redirect policy of [NewClient], for the CheckRedirect field of
// your own client. The policy follows a redirect only to the origin of the first request or
// to one of origins, never from https to http, and never to a URL with user-info. Otherwise
// the client returns an error that wraps ErrForeignOrigin of package
// github.com/lro-go/lro/errors and names the origin.
//
// A server may choose what is read, but not what is written:
//
//   - GET and HEAD follow every redirect, and every verb follows a 303 with a GET (RFC 9110,
//     section 15.4.4).
//   - A request with another verb follows a 307 or 308 to the same path, with any query. If
//     [Options.FollowWrites] of the client's Transport is set, it follows the redirect to any path.
//     A request with a body follows the redirect only within the same origin.
//   - Every other redirect, such as a 301 or 302 that would turn another verb into a GET, is
//     returned unchanged.
//
// A redirected request has no Referer. If the redirect leads to another origin, the only headers
// that it keeps from the first request are the IDs that correlate requests, Accept,
// Accept-Language, and the Header of a poller's or pager's options. The policy allows ten
// redirects in a row.
func CheckRedirect(origins ...string) func(req *http.Request, via []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		last := via[len(via)-1]
		header, err := originSet(origins).follow(req, via[0], last)
		switch {
		case exchange.Method(req) != exchange.Method(last) && (req.Response == nil || req.Response.StatusCode != http.StatusSeeOther):
			err = http.ErrUseLastResponse
		case len(via) >= maxRedirects:
			err = fmt.Errorf("stopped after %d redirects", maxRedirects)
		case errors.Is(err, errRedirectedWrite):
			err = http.ErrUseLastResponse
		}
		if err != nil {
			closeBody(req) // http.Client does not close it after an error
			return err
		}
		req.Header = header
		return nil
	}
}

// An originSet holds the origins that are allowed in addition to the first request's, as the
// caller wrote them.
type originSet []string

// header returns the headers to send with req. It checks a request that a client created for
// a redirect, regardless of that client's redirect policy.
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

var errRedirectedWrite = errors.New("a redirect may not move a write to another path or its body to another origin; see CheckRedirect")

// follow returns the headers for req, a redirect of last in a chain that head started, or an error
// if the redirect must not be followed. The context of req may allow origins that are not in the
// set.
func (set originSet) follow(req, head, last *http.Request) (http.Header, error) {
	var allowed exchange.Origins
	for _, s := range set {
		if u, err := url.Parse(s); err == nil {
			allowed, _ = allowed.With(u)
		}
	}
	allowed, _ = allowed.With(bare(head.URL))
	if err := allowed.Allow(req.URL, exchange.IsHTTPS(last.URL), exchange.SettingsOf(req.Context()).Origins...); err != nil {
		return nil, err
	}
	if !isRead(req) {
		movesBody := req.Body != nil && req.Body != http.NoBody && !sameOrigin(req, last)
		if movesBody || pathOf(req.URL) != pathOf(last.URL) && !exchange.SentOf(cameFrom(req)).FollowWrites {
			return nil, errRedirectedWrite
		}
	}
	return headersFor(req, head), nil
}

// isRead reports whether a request is a GET or HEAD. Such a request changes nothing, so a server
// may redirect it to any path, and losing its response does no harm.
func isRead(req *http.Request) bool {
	return exchange.Method(req) == http.MethodGet || exchange.Method(req) == http.MethodHead
}

func sameOrigin(a, b *http.Request) bool {
	one, err := Origin(bare(a.URL))
	two, _ := Origin(bare(b.URL))
	return err == nil && one == two
}

func pathOf(u *url.URL) string { return u.Opaque + cmp.Or(u.EscapedPath(), "/") }

// headersFor returns the headers of a redirected request in a chain that head started. A request to
// another origin gets only the headers that every request of an operation has, and the GET after a
// 303 does not get the write's conditional headers, such as If-Match (RFC 9110, section 15.4).
func headersFor(req, head *http.Request) http.Header {
	h := req.Header.Clone()
	h.Del("Referer") // net/http sets it to the last URL, which may be signed
	foreign, wanted := !sameOrigin(req, head), exchange.SettingsOf(req.Context()).Header
	for name, values := range req.Header {
		ours := name == "Accept" || slices.Contains(exchange.TravellingNames[:], name) || slices.Equal(wanted.Values(name), values)
		if foreign && !ours || isRead(req) && !isRead(head) && strings.HasPrefix(name, "If-") {
			delete(h, name)
		}
	}
	return h
}

// cameFrom returns the request whose response redirected to req, if any.
func cameFrom(req *http.Request) *http.Request {
	if req.Response == nil || req.Response.Request == nil || req.Response.Request.URL == nil {
		return nil
	}
	return req.Response.Request
}

// bare returns the scheme and host of u. It leaves out user-info, which the caller's own URL may
// contain.
func bare(u *url.URL) *url.URL { return &url.URL{Scheme: u.Scheme, Host: u.Host} }
