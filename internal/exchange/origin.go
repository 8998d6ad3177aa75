package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// Origins is an immutable set of origins that requests may go to. The zero value is the empty set.
type Origins struct{ list []string }

// NewOrigins returns the set of the given origins, such as "https://management.azure.com". It
// rejects a URL with a path, a query or a fragment, because Allow ignores them.
func NewOrigins(origins []string) (Origins, error) {
	var set Origins
	for _, s := range origins {
		u, err := parseOrigin(s)
		if err == nil {
			set, err = set.With(u)
		}
		if err != nil {
			return Origins{}, fmt.Errorf("lro: Origins: %q is not an origin such as https://management.azure.com: %w", redact.Bare(s), err)
		}
	}
	return set, nil
}

// parseOrigin parses a URL. It returns an error if the URL has a path, a query or a fragment.
func parseOrigin(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("it cannot be parsed") // the error from url.Parse may quote part of a password
	}

	path := strings.TrimPrefix(u.Path, "/")
	if path != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("it has a path, a query or a fragment")
	}
	return u, nil
}

// With returns a copy of the set that also contains the origin of u.
func (o Origins) With(u *url.URL) (Origins, error) {
	origin, err := OriginOf(u)
	if err != nil {
		return o, err
	}
	return Origins{append(slices.Clip(o.list), origin)}, nil
}

// List returns the normalized origins. The caller must not modify the list.
func (o Origins) List() []string { return o.list }

// Allow returns nil if the origin of u is in the set or among the additional origins. Otherwise, it
// returns an error that wraps ErrForeignOrigin. If fromHTTPS is true, the URL that led to u was
// https, and u must be https as well.
func (o Origins) Allow(u *url.URL, fromHTTPS bool, more ...string) error {
	if o.allowsExactly(u, fromHTTPS) {
		return nil
	}

	origin, err := OriginOf(u)
	if err != nil {
		return fmt.Errorf("%w: %w", lroerrors.ErrForeignOrigin, err)
	}
	if fromHTTPS && !strings.HasPrefix(origin, "https:") {
		return fmt.Errorf("%w: %s is not https, but the URL before it was", lroerrors.ErrForeignOrigin, origin)
	}
	if slices.Contains(o.list, origin) || slices.Contains(more, origin) {
		return nil
	}
	return fmt.Errorf("%w: %s is not an allowed origin", lroerrors.ErrForeignOrigin, origin)
}

// allowsExactly reports whether u is allowed without any normalization. It does not allocate, and
// is enough for nearly every URL.
func (o Origins) allowsExactly(u *url.URL, fromHTTPS bool) bool {
	if u == nil || u.User != nil || strings.Contains(u.Host, "%") {
		return false
	}
	if fromHTTPS && u.Scheme != "https" {
		return false
	}

	for _, origin := range o.list {
		scheme, host, _ := strings.Cut(origin, "://")
		if scheme == u.Scheme && host == u.Host {
			return true
		}
	}
	return false
}

// OriginOf implements transport.Origin.
//
// OriginOf lowercases only ASCII letters. The lower-case form of the Kelvin sign is an ASCII k, but
// a host with a k is a different host. OriginOf keeps the case of an IPv6 zone, because eth0 and
// ETH0 are different interfaces.
func OriginOf(u *url.URL) (string, error) {
	if u == nil {
		return "", errors.New("no URL")
	}

	scheme := LowerASCII(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("scheme %q is not http or https", u.Scheme)
	}
	if u.User != nil {
		return "", fmt.Errorf("URL of host %q contains user-info", u.Host)
	}

	host, err := canonicalHost(scheme, u)
	if err != nil {
		return "", err
	}
	return scheme + "://" + host, nil
}

// canonicalHost returns the normalized host and port of u. It omits the scheme's default port.
func canonicalHost(scheme string, u *url.URL) (string, error) {
	host := u.Hostname()
	if host == "" {
		return "", errors.New("URL without a host")
	}

	bracketed := strings.HasPrefix(u.Host, "[")
	if strings.Contains(host, ":") != bracketed {
		return "", fmt.Errorf("bad host %q", u.Host)
	}
	host = written(host, bracketed)

	if u.Port() == "" {
		return host, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return "", fmt.Errorf("bad port in host %q", u.Host)
	}
	if port == defaultPorts[scheme] {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(port, 10), nil
}

var defaultPorts = map[string]uint64{"http": 80, "https": 443}

// written returns a host as it appears in a URL (RFC 3986, section 3.2.2; RFC 6874).
func written(host string, bracketed bool) string {
	if !bracketed {
		return strings.ReplaceAll(LowerASCII(host), "%", "%25")
	}
	address, zone, hasZone := strings.Cut(host, "%")
	if hasZone {
		zone = "%" + zone
	}
	return "[" + LowerASCII(address) + strings.ReplaceAll(zone, "%", "%25") + "]"
}

// LowerASCII returns s with its ASCII letters lowercased and all other bytes unchanged.
func LowerASCII(s string) string {
	if !strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

// IsHTTPS reports whether u is an https URL. u may be nil.
func IsHTTPS(u *url.URL) bool { return u != nil && strings.EqualFold(u.Scheme, "https") }

// IsLoopback reports whether u's host is this machine (RFC 6761, section 6.3; RFC 1122, section
// 3.2.1.3).
func IsLoopback(u *url.URL) bool {
	host := LowerASCII(u.Hostname())
	ip := net.ParseIP(host)
	return ip.IsLoopback() || ip == nil && host == "localhost"
}

// A Link is a URL from a service, a caller or a token, with its user-info masked. The rest keeps
// its exact text, because a signature may cover every byte. The only exception is a URL that is not
// valid UTF-8: its non-ASCII bytes are percent-encoded.
type Link string

// NewLink returns text as a Link, with its user-info masked. The text need not be a valid URL.
func NewLink(text string) Link { return Link(redact.UserInfo(redact.EncodeUTF8(text))) }

// IsZero reports whether l is empty.
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

// parsePlain parses an absolute URL that needs no decoding, and returns nil for any other URL.
// Parsing the status URL with url.Parse would take a tenth of a poll's CPU time.
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
	const prefix = "https:"
	return len(l) >= len(prefix) && strings.EqualFold(string(l[:len(prefix)]), prefix)
}

// IsAbsolute reports whether the link has a scheme and a host.
func (l Link) IsAbsolute() bool {
	u := l.Parse()
	return u != nil && u.IsAbs() && u.Host != ""
}

// Resolve resolves ref, a URL in a response from l (RFC 3986, section 5). If ref is absolute,
// Resolve only masks its user-info. Its errors wrap ErrNoOperation.
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

// join returns the absolute form of a relative URL, as a Link and parsed. The parsed form is nil if
// the absolute form is not valid.
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

// UnmarshalText accepts any text, because a poller checks each URL before it sends a request.
func (l *Link) UnmarshalText(b []byte) error {
	*l = NewLink(string(b))
	return nil
}

// Propagated holds the values of the headers in PropagatedNames. Requests omit a header whose value
// is empty. None of the headers contains a credential. Propagated is an array because a map would
// take 400 bytes for each waiting operation.
type Propagated [len(PropagatedNames)]string

// PropagatedOf returns the values of the headers in PropagatedNames. If several sets have a value
// for a header, the first one wins.
func PropagatedOf(sets ...http.Header) (t Propagated) {
	for i, name := range PropagatedNames {
		for _, h := range sets {
			v := FirstValue(h, name)
			if v != "" && IsHeaderValue(v) {
				t[i] = strings.Clone(v)
				break
			}
		}
	}
	return t
}

// Header returns t as a new http.Header, or nil if t is empty.
func (t Propagated) Header() http.Header {
	if t == (Propagated{}) {
		return nil
	}

	h := http.Header{}
	for i, v := range t {
		if v != "" {
			h[PropagatedNames[i]] = []string{v}
		}
	}
	return h
}

// MarshalJSON encodes t as an [http.Header].
func (t Propagated) MarshalJSON() ([]byte, error) { return json.Marshal(t.Header()) }

// UnmarshalJSON accepts only the headers in PropagatedNames, with one value each.
func (t *Propagated) UnmarshalJSON(b []byte) error {
	var h http.Header
	if err := json.Unmarshal(b, &h); err != nil {
		return err
	}

	for name, values := range h {
		i := slices.Index(PropagatedNames[:], name)
		if i < 0 || len(values) != 1 || !IsHeaderValue(values[0]) {
			return errors.New("a header that must not be repeated")
		}
		t[i] = values[0]
	}
	return nil
}

// IsHeaderValue reports whether s can be sent as a header value and stored in a resume token.
func IsHeaderValue(s string) bool {
	const longest = 8 << 10
	if len(s) > longest || !utf8.ValidString(s) {
		return false
	}
	isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	return !strings.ContainsFunc(s, isControl)
}
