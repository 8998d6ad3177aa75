package redact

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	userInfo = regexp.MustCompile(`^([\s\pZ]*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#]*@`) // matches the user-info of a URL (RFC 3986, section 3.2.1)
	anywhere = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"<>]*@`)                          // matches the user-info of a URL anywhere in the value of a header
)

// UserInfo replaces the user-info of a URL with a marker. The marker is user-info too, so callers
// still reject the URL. The rest of the URL stays unchanged, byte for byte. If the text is not a
// URL, or has no host, everything up to the last @ may be user-info. UserInfo then uses a marker
// that cannot start a URL, so that an unparsable URL does not become a parsable one.
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

// HeaderUserInfo replaces user-info in the value of a header. If isURL is set, the whole value is
// a URL. Otherwise, the value may contain one.
func HeaderUserInfo(s string, isURL bool) string {
	trimmed := strings.TrimSpace(s)
	u, err := url.Parse(trimmed)
	if isURL || err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/")) {
		return strings.Replace(s, trimmed, UserInfo(trimmed), 1)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}
