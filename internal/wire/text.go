package wire

import (
	"net/url"
	"strings"
)

// URLText returns u.String(). It is likely to be guess, which is then returned in
// place of a text made anew.
func URLText(u *url.URL, guess string) string {
	if isText(guess, u) {
		return guess
	}
	return u.String()
}

// isText reports whether text is what u.String() writes. It denies what is no
// plain "scheme://host/path?query".
func isText(text string, u *url.URL) bool {
	path := u.EscapedPath()
	if u.Scheme == "" || !plainHost(u.Host) || !strings.HasPrefix(path, "/") ||
		u.Opaque != "" || u.User != nil || u.ForceQuery || u.Fragment != "" {
		return false
	}
	for _, part := range []string{u.Scheme, "://", u.Host, path} {
		var ok bool
		if text, ok = strings.CutPrefix(text, part); !ok {
			return false
		}
	}
	if u.RawQuery == "" {
		return text == ""
	}
	query, ok := strings.CutPrefix(text, "?")
	return ok && query == u.RawQuery
}

// plainHost reports whether there is a host with nothing to escape in it.
func plainHost(host string) bool {
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:") == ""
}
