package redact

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

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
		if strings.Contains(lower, m.needs) {
			s = m.apply(s)
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
var plain = setOf(nameChars + "/")

// A mask applies only to texts that contain its needs string, ignoring case. Each match of its find
// pattern is replaced according to its with template or, if that is empty, by maskCredential.
type mask struct {
	needs string
	find  *regexp.Regexp
	with  string
}

// apply masks each match in s.
func (m mask) apply(s string) string {
	if m.with == "" {
		return m.find.ReplaceAllStringFunc(s, maskCredential)
	}
	return m.find.ReplaceAllString(s, m.with)
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
	i := strings.IndexAny(s, " \t\n\f\r%") // every match contains one of these
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

// isBearerPhrase reports whether word forms a phrase with "bearer".
func isBearerPhrase(word string) bool {
	switch strings.ToLower(strings.Trim(word, ".:")) {
	case "auth", "authentication", "authorization", "challenge", "header", "scheme", "token", "tokens":
		return true
	}
	return false
}

// isUserPassword reports whether s is a user name and a password, encoded as RFC 7617 requires,
// or the beginning of such a credential.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}
