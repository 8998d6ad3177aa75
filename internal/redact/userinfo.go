package redact

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	userInfo = regexp.MustCompile(`^(\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#]*@`) // of a URL (RFC 3986, section 3.2.1)
	anywhere = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"<>]*@`)                     // of a URL within a header's value
)

// UserInfo replaces the user-info of a URL with a marker, so that the URL is still
// refused as one with user-info. The rest stays, byte for byte.
func UserInfo(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return userInfo.ReplaceAllString(s, "${1}user-info@")
}

// HeaderUserInfo replaces user-info in the value of a header, which may contain a URL
// or, if isURL is set, is one. A value that could not be parsed must not become a URL
// that can.
func HeaderUserInfo(s string, isURL bool) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/") || isURL) {
		return UserInfo(s)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}
