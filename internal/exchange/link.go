package exchange

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// A Link is a URL without user-info, from a service, a caller or a token. It keeps the exact text,
// because a signature may cover every byte. It does not keep the parsed form, which takes 144 bytes,
// because the record of an operation has several links.
type Link string

// NewLink removes the user-info of a URL, even of one that cannot be parsed.
func NewLink(text string) Link { return Link(redact.UserInfo(EncodeUTF8(text))) }

// IsZero reports whether there is no URL.
func (l Link) IsZero() bool { return l == "" }

// Parse returns the parsed URL, or nil if l cannot be parsed.
func (l Link) Parse() *url.URL {
	if u := parsePlain(string(l)); u != nil {
		return u
	}

	u, err := url.Parse(string(l))
	if err != nil {
		return nil
	}
	return u
}

const (
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	hostChars    = alphanumeric + ".-"
	pathChars    = alphanumeric + "/.-_~$&+=:"
)

// parsePlain parses an absolute URL that contains nothing to decode, as the URL of a status nearly
// always is. It returns nil for any other URL. A URL is parsed for each poll, and url.Parse would
// take a tenth of a poll's CPU time; a fuzz test compares the two.
func parsePlain(text string) *url.URL {
	scheme, rest, _ := strings.Cut(text, "://")
	if scheme != "https" && scheme != "http" {
		return nil
	}

	address, query, hasQuery := strings.Cut(rest, "?")
	host := address
	path := ""
	if slash := strings.IndexByte(address, '/'); slash >= 0 {
		host = address[:slash]
		path = address[slash:]
	}
	if host == "" || !hasOnly(host, &isHostChar) || !hasOnly(path, &isPathChar) {
		return nil
	}
	if hasQuery && (query == "" || !hasOnly(query, &isQueryChar)) {
		return nil
	}
	return &url.URL{Scheme: scheme, Host: host, Path: path, RawQuery: query}
}

var (
	isHostChar  = charSet(hostChars)
	isPathChar  = charSet(pathChars)
	isQueryChar = charSet(pathChars + "?%,;@!*'()")
)

// charSet returns the set of the characters in a string.
func charSet(chars string) (set [256]bool) {
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return set
}

// hasOnly reports whether all bytes of s are in a set.
func hasOnly(s string, set *[256]bool) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

// IsHTTPS reports whether the scheme is https. It does not parse the link.
func (l Link) IsHTTPS() bool {
	scheme, _, _ := strings.Cut(string(l), ":")
	return strings.EqualFold(scheme, "https")
}

// IsAbsolute reports whether the link has a scheme and a host.
func (l Link) IsAbsolute() bool {
	u := l.Parse()
	return u != nil && u.IsAbs() && u.Host != ""
}

// Resolve resolves ref, a URL in a response from l (RFC 3986, section 5). If ref is absolute, its
// text is returned unchanged, except that user-info is removed. The error wraps ErrNoOperation.
func (l Link) Resolve(ref string) (Link, error) {
	to := NewLink(ref)
	u := to.Parse()
	if u != nil && !u.IsAbs() {
		to, u = l.join(u)
	}
	if u == nil {
		return "", fmt.Errorf("%w: the URL cannot be parsed", lroerrors.ErrNoOperation)
	}
	if u.Host == "" {
		return "", fmt.Errorf("%w: the URL has no host", lroerrors.ErrNoOperation)
	}
	return to, nil
}

// join returns the absolute form of a relative URL, also parsed. The parsed form is nil if there is
// no such form.
func (l Link) join(relative *url.URL) (Link, *url.URL) {
	base := l.Parse()
	if base == nil {
		return "", nil
	}
	to := NewLink(base.ResolveReference(relative).String())
	return to, to.Parse() // "//::" is valid, but its resolved form is not
}

// String returns the URL without its query, fragment and user-info.
func (l Link) String() string { return redact.RawURL(string(l)) }

// UnmarshalText accepts any text. The validity and the origin of the URL are checked when the
// token is resumed and before the URL is read.
func (l *Link) UnmarshalText(b []byte) error {
	*l = NewLink(string(b))
	return nil
}

// EncodeUTF8 percent-encodes the non-ASCII bytes of ref if ref is not valid UTF-8, because JSON
// cannot hold such text. net/http would encode these bytes in the same way.
func EncodeUTF8(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	var b strings.Builder
	for i := range len(ref) {
		if ref[i] < utf8.RuneSelf {
			b.WriteByte(ref[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", ref[i])
		}
	}
	return b.String()
}
