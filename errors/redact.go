package errors

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a piece of a service's own words within a text of ours.
const maxText = 1000

// Where a credential would stand. The slashes of a URL within JSON may be
// escaped, and a text that was cut may end before the @.
var (
	userInfo   = regexp.MustCompile(`(\\?/\\?/)[^\s/?#"<>\\]*(?:@|…)`)
	urlQuery   = regexp.MustCompile(`(:\\?/\\?/[^\s?#"<>]*)\?[^\s"<>]+`)
	pathQuery  = regexp.MustCompile(`((?:^|[\s"'(])/[^\s?#"<>]*)\?[^\s"<>]+`)
	query      = regexp.MustCompile(`([?#])[^\s?#"<>]*=[^\s"<>]*`)
	credential = regexp.MustCompile(`(?i)\b(bearer|basic|sharedkey|sharedkeylite|sharedaccesssignature)\s+([a-z0-9._~+/=:%&-]+)`)
	named      = regexp.MustCompile(`(?i)\b((?:access_?|refresh_?|id_?)?token|sig|signature|password|passwd|pwd|secret|client_secret|api_?key|accountkey)=[^\s&;"'<>]+`)
	jwt        = regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?`) // RFC 7519
)

// oneLine makes s fit to stand in an error: on one line, bounded, and without
// the places where a credential would stand. Services repeat the URL they were
// asked in their messages, and net/http prints it in its errors.
func oneLine(s string) string {
	s = strings.ToValidUTF8(cut(s, 2*maxText), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	return cut(redacted(s), maxText)
}

// redacted is s without the places where a credential would stand.
func redacted(s string) string {
	s = userInfo.ReplaceAllString(s, "$1")
	s = urlQuery.ReplaceAllString(s, "$1?REDACTED")
	s = pathQuery.ReplaceAllString(s, "$1?REDACTED")
	s = query.ReplaceAllString(s, "${1}REDACTED")
	s = credential.ReplaceAllStringFunc(s, withoutCredential)
	s = named.ReplaceAllString(s, "$1=REDACTED")
	return jwt.ReplaceAllString(s, "REDACTED")
}

// withoutCredential takes the credential out of "Bearer eyJ…". Messages speak
// of a "bearer token" and of the "Basic tier", too, and stay readable.
func withoutCredential(s string) string {
	scheme, secret, _ := strings.Cut(s, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		if schemeWords[strings.ToLower(strings.Trim(secret, ".:"))] {
			return s
		}
	case "basic":
		if !isUserPassword(secret) {
			return s
		}
	}
	return scheme + " REDACTED"
}

var schemeWords = map[string]bool{
	"auth": true, "authentication": true, "authorization": true, "challenge": true,
	"header": true, "scheme": true, "token": true, "tokens": true,
}

// isUserPassword reports whether s is the credential of RFC 7617, or its
// beginning.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}

// bareURL returns a URL without query, fragment and user-info, should there be
// any.
func bareURL(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return oneLine(s)
}

var prefix = regexp.MustCompile(`\blro: ?`)

// prefixed puts our prefix before s, and nowhere else.
func prefixed(s string) string { return "lro: " + prefix.ReplaceAllString(s, "") }

// cut shortens s to at most n bytes, whole characters only.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
