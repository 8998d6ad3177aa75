// Package redact removes possible credentials from texts and URLs, so that errors and log
// records can contain them.
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
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
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

// Text returns s on one line, masked by [Masked] and truncated to [MaxText]. Messages and errors
// must be masked, because services repeat the URL of a request in their messages, as net/http
// does in its errors.
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

// Masked returns s with REDACTED in place of everything that looks like a credential: URL queries,
// the values of Authorization headers, JSON web tokens, private keys, and values with names such as
// password. It removes user-info from URLs. It cannot find every credential, because services can
// write them in any form.
func Masked(s string) string {
	if isPlain(s) {
		return s
	}
	lower := strings.ToLower(s)
	for _, m := range masks() {
		switch {
		case !strings.Contains(lower, m.needs):
		case m.with == "":
			s = m.find.ReplaceAllStringFunc(s, maskCredential)
		default:
			s = m.find.ReplaceAllString(s, m.with)
		}
	}
	return maskNamed(s)
}

// isPlain reports whether s is only a word, an ID or a path, and so cannot contain a credential.
// Nearly every text in a status is plain.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return !strings.Contains(s, "eyJ")
}

// plain is the set of characters that may occur in names and paths.
var plain = func() (set [256]bool) {
	for c := range set {
		set[c] = c == '/' || !notInName(rune(c))
	}
	return set
}()

// A mask applies only to texts that contain its needs string, ignoring case. Each match of its find
// pattern is replaced according to its with template or, if that is empty, by maskCredential.
type mask struct {
	needs string
	find  *regexp.Regexp
	with  string
}

// masks returns the patterns of credentials. The patterns for URLs allow for slashes that are
// escaped in JSON, and for a text that was truncated before the @.
var masks = sync.OnceValue(func() []mask {
	const userInfo = `(\\?/\\?/)(?:[^\s/?#"<>\\]*|[^\s/?#"<>\\:\[]*:\d*[^\s\d/?#"<>\\][^\s"<>\\]*)` // also matches a password that contains a slash
	const credential = `(?:\s|%20)+[a-z0-9._~+/=:%&-]+`
	return []mask{
		{"@", regexp.MustCompile(userInfo + `@`), "$1"},
		{"…", regexp.MustCompile(userInfo + `…`), "$1"},
		{"%2f%2f", regexp.MustCompile(`(?i)(%2F%2F)[^\s"<>]*?(?:%40|…)`), "$1"},
		{"?", regexp.MustCompile(`(:\\?/\\?/[^\s?#"<>]*)\?[^\s"<>]+`), "$1?REDACTED"},
		{"?", regexp.MustCompile(`((?:^|[\s"'(])/[^\s?#"<>]*)\?[^\s"<>]+`), "$1?REDACTED"},
		{"=", regexp.MustCompile(`([?#])[^\s?#"<>]*=[^\s"<>]*`), "${1}REDACTED"},
		{"bearer", regexp.MustCompile(`(?i)\bbearer` + credential), ""},
		{"basic", regexp.MustCompile(`(?i)\bbasic` + credential), ""},
		{"shared", regexp.MustCompile(`(?i)\b(?:sharedkey|sharedkeylite|sharedaccesssignature)` + credential), ""},
		{"digest", regexp.MustCompile(`(?i)\b(digest\s+)username=.*`), "${1}REDACTED"},                                    // RFC 7616, section 3.4
		{"eyj", regexp.MustCompile(`\beyJ[\w-]+(?:\.[\w-]*)+`), "REDACTED"},                                               // RFC 7519, section 3; RFC 7516, section 3
		{"private key-", regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|$)`), "${1}REDACTED$2"}, // RFC 7468
	}
})

// maskCredential masks the credential in a text such as "Bearer eyJ…". It does not change phrases
// such as "bearer token" and "Basic tier", so that messages stay readable.
func maskCredential(s string) string {
	scheme, secret := s, ""
	if i := strings.IndexAny(s, " \t\n\f\r%"); i > 0 {
		scheme, secret = s[:i], strings.TrimPrefix(strings.TrimSpace(s[i:]), "%20")
	}
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

// isUserPassword reports whether s is a user name and a password, encoded as RFC 7617 requires,
// or the beginning of such a credential.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}
