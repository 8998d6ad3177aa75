package transport

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Origin returns the origin of u (RFC 6454, section 4) in a form that can be
// compared, and parsed: scheme and host in lower case, without the scheme's own
// port, an IPv6 address in brackets. It fails for a URL with user-info, without a host
// or with another scheme than http and https. No error holds more of u than
// scheme and host.
//
// Only ASCII letters are lowered. Unicode knows others that lower into ASCII,
// such as the Kelvin sign, and hosts that differ in them are different hosts. Nor
// is the zone of an IPv6 address lowered: eth0 and ETH0 are different interfaces.
func Origin(u *url.URL) (string, error) {
	if u == nil {
		return "", errors.New("no URL")
	}
	scheme := lower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("scheme %q is not http or https", u.Scheme)
	}
	if u.User != nil {
		return "", fmt.Errorf("URL of host %q holds user-info", u.Host)
	}
	host, err := canonicalHost(scheme, u)
	if err != nil {
		return "", err
	}
	return scheme + "://" + host, nil
}

// canonicalHost returns host and port of u, without the default port of scheme.
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

// written is a host as it stands in a URL (RFC 3986, section 3.2.2; RFC 6874).
func written(host string, bracketed bool) string {
	zone := ""
	if i := strings.IndexByte(host, '%'); bracketed && i >= 0 {
		host, zone = host[:i], host[i:]
	}
	host = strings.ReplaceAll(lower(host)+zone, "%", "%25")
	if bracketed {
		return "[" + host + "]"
	}
	return host
}

// lower lowers ASCII letters and leaves every other byte alone.
func lower(s string) string {
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
