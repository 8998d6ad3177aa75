// Package origin compares the origins of URLs (RFC 6454). It decides where a request may go,
// and therefore who receives a credential.
package origin

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Of implements transport.Origin.
//
// It lowercases only ASCII letters. Some other letters, such as the Kelvin sign, have a lower-case
// form that is an ASCII letter, but a host with such a letter is a different host. It does not
// lowercase the zone of an IPv6 address either: eth0 and ETH0 are different interfaces.
func Of(u *url.URL) (string, error) {
	if u == nil {
		return "", errors.New("no URL")
	}
	scheme := Lower(u.Scheme)
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
	if scheme == "http" && port == 80 || scheme == "https" && port == 443 {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(port, 10), nil
}

// written returns a host as it appears in a URL (RFC 3986, section 3.2.2; RFC 6874).
func written(host string, bracketed bool) string {
	zone := ""
	if i := strings.IndexByte(host, '%'); bracketed && i >= 0 {
		host, zone = host[:i], host[i:]
	}
	host = strings.ReplaceAll(Lower(host)+zone, "%", "%25")
	if bracketed {
		return "[" + host + "]"
	}
	return host
}

// Lower returns s with its ASCII letters in lower case, and every other byte unchanged.
func Lower(s string) string {
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
	host := Lower(u.Hostname())
	ip := net.ParseIP(host)
	return ip.IsLoopback() || ip == nil && host == "localhost"
}
