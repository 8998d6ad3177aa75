// Package redact removes what may be a credential from texts and URLs, so that they can
// stand in an error or a log record.
package redact

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxText is the length in bytes that [Text] allows.
const MaxText = 1000

// URL returns u without query, fragment and user-info, where signatures and passwords
// are found. It returns "" if u is nil.
func URL(u *url.URL) string {
	if u == nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// RawURL is [URL] for a URL that has not been parsed, and [Bare] for one that cannot be.
func RawURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return Bare(s)
	}
	return URL(u)
}

// Bare returns the text of a URL, which need not be valid, without query and fragment, and
// with its user-info masked.
func Bare(s string) string {
	s = UserInfo(s)
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return Text(s)
}

// RawURLs returns the [RawURL] of each element of list.
func RawURLs(list []string) []string {
	redacted := make([]string, len(list))
	for i, s := range list {
		redacted[i] = RawURL(s)
	}
	return redacted
}

// Text returns s on one line, masked as [Masked] does it and cut to [MaxText]. Services
// repeat the URL of a request in their messages, and net/http does in its errors.
func Text(s string) string {
	s = strings.ToValidUTF8(Cut(s, 2*MaxText), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
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

// Masked returns s with REDACTED in place of anything that may be a credential: URL
// queries, the values of Authorization headers, JSON web tokens, and values with names
// such as password. It removes user-info from URLs.
func Masked(s string) string {
	if !mayHold(s) {
		return s
	}
	p := patterns()
	s = p.userInfo.ReplaceAllString(s, "$1")
	s = p.urlQuery.ReplaceAllString(s, "$1?REDACTED")
	s = p.pathQuery.ReplaceAllString(s, "$1?REDACTED")
	s = p.query.ReplaceAllString(s, "${1}REDACTED")
	s = p.credential.ReplaceAllStringFunc(s, maskCredential)
	s = p.named.ReplaceAllString(s, "$1=REDACTED")
	return p.jwt.ReplaceAllString(s, "REDACTED")
}

// mayHold reports whether one of the patterns can match s. Most words and ids hold no
// character that all of them need.
func mayHold(s string) bool {
	for i, c := range []byte(s) {
		switch c {
		case '?', '#', '=', '\\', ' ', '\t', '\n', '\f', '\r':
			return true
		case '/':
			if i+1 < len(s) && s[i+1] == '/' {
				return true
			}
		case 'e':
			if strings.HasPrefix(s[i:], "eyJ") {
				return true
			}
		}
	}
	return false
}

// A patternSet matches the places where a credential may stand. Inside JSON, the slashes
// of a URL may be escaped; a text that was cut may end before the @.
type patternSet struct {
	userInfo, urlQuery, pathQuery, query, credential, named, jwt *regexp.Regexp
}

var patterns = sync.OnceValue(func() patternSet {
	return patternSet{
		userInfo:   regexp.MustCompile(`(\\?/\\?/)[^\s/?#"<>\\]*(?:@|…)`),
		urlQuery:   regexp.MustCompile(`(:\\?/\\?/[^\s?#"<>]*)\?[^\s"<>]+`),
		pathQuery:  regexp.MustCompile(`((?:^|[\s"'(])/[^\s?#"<>]*)\?[^\s"<>]+`),
		query:      regexp.MustCompile(`([?#])[^\s?#"<>]*=[^\s"<>]*`),
		credential: regexp.MustCompile(`(?i)\b(bearer|basic|sharedkey|sharedkeylite|sharedaccesssignature)\s+([a-z0-9._~+/=:%&-]+)`),
		named:      regexp.MustCompile(`(?i)\b((?:access_?|refresh_?|id_?)?token|sig|signature|password|passwd|pwd|secret|client_secret|api_?key|accountkey)=[^\s&;"'<>]+`),
		jwt:        regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?`), // RFC 7519
	}
})

// maskCredential masks the credential in "Bearer eyJ…". It leaves messages about a
// "bearer token" or the "Basic tier" readable.
func maskCredential(s string) string {
	scheme, secret, _ := strings.Cut(s, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		switch strings.ToLower(strings.Trim(secret, ".:")) {
		case "auth", "authentication", "authorization", "challenge", "header", "scheme", "token", "tokens":
			return s
		}
	case "basic":
		if !isUserPassword(secret) {
			return s
		}
	}
	return scheme + " REDACTED"
}

// isUserPassword reports whether s is a credential as defined by RFC 7617, or the
// beginning of one.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}
