package exchange

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// Origins are the origins that requests may go to. The zero Origins allow none. No method changes
// them.
type Origins struct{ list []string }

// NewOrigins returns the set of the given origins, such as "https://management.azure.com". It
// rejects a URL with a path, because the path would not be checked.
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

// parseOrigin parses a URL that has neither a path nor anything after it.
func parseOrigin(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("it cannot be parsed") // the error from url.Parse may quote a part of a password
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

// List returns the normalized origins, which the caller must not change.
func (o Origins) List() []string { return o.list }

// Allow returns nil if the origin of u is in the set or in more. Otherwise, it returns an error
// that wraps ErrForeignOrigin. If fromHTTPS is true, an https URL led to u, so u must be an https
// URL as well.
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

// allowsExactly reports whether u is allowed and its origin needs no normalization. This is so for
// nearly every URL, and allocates nothing.
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

// Mark returns a context for requests. A request with this context may be redirected to the
// origins in o, even if its transport would not allow that, and may keep the headers h on such a
// redirect.
func (o Origins) Mark(ctx context.Context, h http.Header) context.Context {
	s := *SettingsOf(ctx)
	s.Origins = o.List()
	s.Header = h
	s.Reauthorizes = false
	return WithSettings(ctx, s)
}

// OriginOf implements transport.Origin.
//
// It lowercases only ASCII letters. Some other letters, such as the Kelvin sign, have a lower-case
// form that is an ASCII letter, but a host with such a letter is a different host. It does not
// lowercase the zone of an IPv6 address either: eth0 and ETH0 are different interfaces.
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

// canonicalHost returns the host and port of u, without the default port of scheme.
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

// LowerASCII returns s with its ASCII letters in lower case, and every other byte unchanged.
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

// IsLoopback reports whether the host of u is this machine (RFC 6761, section 6.3; RFC 1122,
// section 3.2.1.3).
func IsLoopback(u *url.URL) bool {
	host := LowerASCII(u.Hostname())
	ip := net.ParseIP(host)
	return ip.IsLoopback() || ip == nil && host == "localhost"
}
