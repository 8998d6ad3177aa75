package redact

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	userInfo = regexp.MustCompile(`^([\s\pZ]*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#]*@`) // of a URL (RFC 3986, section 3.2.1)
	anywhere = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"<>]*@`)                          // of a URL within a header's value
)

// UserInfo replaces the user-info of a URL with a marker, so that callers still reject the URL
// because of its user-info. The rest stays unchanged, byte for byte. If the text is not a URL, or
// has no host, everything up to the last @ may be user-info. UserInfo then uses a marker that
// cannot start a URL, so that an unparsable URL does not become a parsable one.
func UserInfo(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	if u, err := url.Parse(s); err != nil || u.Scheme != "" && u.Host == "" {
		return "%user-info" + s[at:]
	}
	return userInfo.ReplaceAllString(s, "${1}user-info@")
}

// HeaderUserInfo replaces user-info in the value of a header, which may contain a URL
// or, if isURL is set, is one.
func HeaderUserInfo(s string, isURL bool) string {
	trimmed := strings.TrimSpace(s)
	u, err := url.Parse(trimmed)
	if isURL || err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/")) {
		return strings.Replace(s, trimmed, UserInfo(trimmed), 1)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}
