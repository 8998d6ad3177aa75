// Package redact removes possible credentials from texts, URLs and errors, so that they are safe
// for error messages and log records.
//
// It recognizes credentials by their form: the query and the user-info of a URL, the values of
// Authorization headers, tokens, keys, and values with names such as password. It also redacts the
// URLs in errors, and hides context errors that do not come from the caller's context.
//
// It imports no other package of this module, because packages in all layers use it.
//
// Most callers need only [Text] for a message, [URL] for a URL, and [RequestError] for an error
// from the caller's code.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxText is the number of bytes after which [Text] truncates its result.
const MaxText = 1000

// URL returns u without its query, fragment and user-info, which may contain signatures and
// passwords. It returns "" if u is nil.
func URL(u *url.URL) string {
	if u == nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// RawURL is like [URL], but for a URL in text form. If the URL cannot be parsed, RawURL falls back
// to [Bare].
func RawURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return Bare(s)
	}
	return URL(u)
}

// Bare removes the query and the fragment from a URL in text form and masks its user-info. The URL
// need not be valid.
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
	userInfo = regexp.MustCompile(`^([\s\pZ]*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#]*@`) // matches a URL's scheme and user-info (RFC 3986, section 3.2.1)
	anywhere = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"<>]*@`)                          // matches a URL's user-info anywhere in a header's value
)

// UserInfo replaces a URL's user-info with "user-info", so that callers that reject URLs with
// user-info also reject the result. If s is not a URL, or has a scheme but no host, UserInfo
// replaces everything before the last @ with "%user-info", so that the result cannot be parsed as a
// URL.
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

// HeaderUserInfo replaces user-info in a header's value, which may be a URL or contain one.
func HeaderUserInfo(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	isURL := err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/"))
	if isURL {
		return LinkUserInfo(s)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}

// LinkUserInfo is like [UserInfo], but for a header such as Location, whose value may have spaces
// around the URL.
func LinkUserInfo(s string) string {
	trimmed := strings.TrimSpace(s)
	return strings.Replace(s, trimmed, UserInfo(trimmed), 1)
}

// Text returns s on one line, masked by [Masked] and truncated to [MaxText]. Callers must apply it
// to messages from services and errors from net/http, because both may quote a request's URL.
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

// Masked returns s with REDACTED in place of everything that looks like a credential: URL queries,
// the values of Authorization headers, JSON web tokens, private keys, and values with names such as
// password. It also removes user-info from URLs. Masked cannot find every credential, because
// services can write credentials in any form.
func Masked(s string) string {
	if isPlain(s) {
		return s
	}

	lower := strings.ToLower(s)
	for _, m := range masks() {
		if strings.Contains(lower, m.needs) {
			s = m.apply(s)
		}
	}
	return maskNamed(s)
}

// isPlain reports whether s contains only plain characters, so that no mask can match it. Most
// strings in a status are plain, so Masked rarely has to try the masks.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

// plain is the set of characters that may occur in names and paths. It excludes J, because every
// JSON web token starts with eyJ.
var plain = setOf(strings.ReplaceAll(nameChars, "J", "") + "/")

// A mask replaces every match of a pattern in a text.
type mask struct {
	needs string // Masked calls apply only if the text contains this string, ignoring case
	find  *regexp.Regexp
	with  string // the replacement template; if empty, apply calls maskCredential
}

func (m mask) apply(s string) string {
	if m.with == "" {
		return m.find.ReplaceAllStringFunc(s, maskCredential)
	}
	return m.find.ReplaceAllString(s, m.with)
}

// masks returns the masks for credentials. The URL masks also match URLs whose slashes are escaped
// in JSON, and URLs that are truncated before the @.
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
		{"digest", regexp.MustCompile(`(?i)\b(digest\s+)username=.*`), "${1}REDACTED"},                                      // RFC 7616, section 3.4
		{"eyj", regexp.MustCompile(`\beyJ[\w-]+(?:\.[\w-]*)+`), "REDACTED"},                                                 // RFC 7519, section 3; RFC 7516, section 3
		{"private key-", regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|$)`), "${1}REDACTED$2"},   // RFC 7468
		{"client-key-data", regexp.MustCompile(`(?i)(client-key-data[\\"']*\s*:\s*[\\"']*)[a-z0-9+/=_-]+`), "${1}REDACTED"}, // in a kubeconfig, for example from requestAdminCredential
		{"keyname", regexp.MustCompile(`(?i)("keyName"\s*:\s*"[^"]*"\s*,\s*"value"\s*:\s*")[^"]*`), "${1}REDACTED"},         // in the response to a listKeys request
	}
})

// maskCredential masks the credential in a text such as "Bearer eyJ…", but keeps phrases such as
// "bearer token" and "Basic tier".
func maskCredential(s string) string {
	i := strings.IndexAny(s, " \t\n\f\r%") // never -1, because every match has one of these after the scheme
	scheme := s[:i]
	secret := strings.TrimPrefix(strings.TrimSpace(s[i:]), "%20")
	switch strings.ToLower(scheme) {
	case "bearer":
		if isBearerPhrase(secret) {
			return s
		}
	case "basic":
		if !isUserPassword(secret) {
			return s
		}
	}
	return scheme + " REDACTED"
}

// isBearerPhrase reports whether "bearer" and word form a phrase such as "bearer token", in which
// word is not a credential.
func isBearerPhrase(word string) bool {
	switch strings.ToLower(strings.Trim(word, ".:")) {
	case "auth", "authentication", "authorization", "challenge", "header", "scheme", "token", "tokens":
		return true
	}
	return false
}

// isUserPassword reports whether s is a user name and password in the encoding of RFC 7617, or the
// beginning of such a credential.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}

// maxTexts limits how many bytes of text a [Cleaner] keeps from one response.
const maxTexts = 256 << 10

// A Cleaner copies strings from a service's response. It truncates each string, masks the
// credentials in it, and limits the total length of all strings. A nil Cleaner is for strings that
// are already clean, and copies them unchanged.
type Cleaner struct{ used int }

// Text returns s, truncated and masked.
func (c *Cleaner) Text(s string) string {
	if c == nil || s == "" {
		return s
	}
	s = Cut(s, min(MaxText, maxTexts-c.used))
	c.used = min(c.used+len(s), maxTexts)
	return Masked(s)
}

// JSON returns a masked copy of raw, or nil if raw is too large or masking would make it invalid.
func (c *Cleaner) JSON(raw json.RawMessage) json.RawMessage {
	if c == nil {
		return bytes.Clone(raw)
	}
	if len(raw) > maxTexts-c.used {
		return nil
	}

	c.used += len(raw)
	masked := json.RawMessage(Masked(string(raw)))
	if !json.Valid(masked) {
		return nil
	}
	return masked
}

// EncodeUTF8 percent-encodes the non-ASCII bytes of ref if ref is not valid UTF-8, because JSON
// cannot hold such text. net/http would encode these bytes the same way.
func EncodeUTF8(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	var b strings.Builder
	for i := range len(ref) {
		if ref[i] < utf8.RuneSelf {
			b.WriteByte(ref[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", ref[i])
		}
	}
	return b.String()
}
