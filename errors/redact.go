package errors

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a piece of a service's own words within a text of ours.
const maxText = 1000

var (
	urlUserinfo = regexp.MustCompile(`://[^/?#\s"'<>@]*@`)
	urlQuery    = regexp.MustCompile(`\?[^\s"'<>?]*=[^\s"'<>)]*`)
	bearer      = regexp.MustCompile(`(?i)\b(bearer|basic|sharedaccesssignature)\s+[a-z0-9._~+/=:%&-]+`)
)

// oneLine makes s fit to stand in an error: on one line, bounded, and without
// the places where a credential would stand. Services repeat the URL they were
// asked in their messages, and net/http prints it in its errors.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	s = urlUserinfo.ReplaceAllString(s, "://")
	s = urlQuery.ReplaceAllString(s, "?REDACTED")
	s = bearer.ReplaceAllString(s, "$1 REDACTED")
	return cut(s, maxText)
}

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
