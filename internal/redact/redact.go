// Package redact removes possible credentials from texts, URLs and errors, so that errors and log
// records can contain them.
//
// It knows what a credential looks like: the query and the user-info of a URL, the values of
// Authorization headers, tokens, keys, and values with names such as password. It also knows which
// errors contain a URL, and whether a context error comes from the caller's context.
//
// It does not know where a text comes from, and it does not know any other package of this module.
//
// Most callers need only [Text] for a message, [URL] for a URL, and [RequestError] for an error that
// the caller's code returned.
package redact

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is the length in bytes to which [Text] truncates a text.
const MaxText = 1000

// URL returns u without its query, fragment and user-info, which may contain signatures and
// passwords. It returns "" if u is nil.
func URL(u *url.URL) string {
	if u == nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// RawURL is like [URL], but for a URL in text form. If the URL cannot be parsed, RawURL does the
// same as [Bare].
func RawURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return Bare(s)
	}
	return URL(u)
}

// Bare removes the query and the fragment from a URL in text form, and masks its user-info. The
// URL need not be valid.
func Bare(s string) string {
	s = UserInfo(s)
	end := strings.IndexAny(s, "?#")
	if end >= 0 {
		s = s[:end]
	}
	return Text(s)
}

// RawURLs applies [RawURL] to each element of list.
func RawURLs(list []string) []string {
	redacted := make([]string, len(list))
	for i, s := range list {
		redacted[i] = RawURL(s)
	}
	return redacted
}

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

	u, err := url.Parse(s)
	isURL := err == nil && (u.Scheme == "" || u.Host != "")
	if !isURL {
		return "%user-info" + s[at:]
	}
	return userInfo.ReplaceAllString(s, "${1}user-info@")
}

// HeaderUserInfo replaces user-info in the value of a header. If isURL is set, the whole value is
// a URL. Otherwise, the value may contain one.
func HeaderUserInfo(s string, isURL bool) string {
	trimmed := strings.TrimSpace(s)
	if !isURL {
		u, err := url.Parse(trimmed)
		isURL = err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/"))
	}
	if isURL {
		return strings.Replace(s, trimmed, UserInfo(trimmed), 1)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}

// Text returns s on one line, masked by [Masked] and truncated to [MaxText]. Messages and errors
// must be masked, because services repeat the URL of a request in their messages, as net/http
// does in its errors.
func Text(s string) string {
	s = strings.ToValidUTF8(Cut(s, 2*MaxText), "\uFFFD")
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	s = strings.Join(words, " ")
	return Cut(Masked(s), MaxText)
}

// Cut shortens s to at most n bytes without splitting a character, and appends "…" if it
// removed anything.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
