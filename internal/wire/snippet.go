package wire

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxSnippet = 1000     // is kept of a body that is no error we know
	maxPage    = 64 << 10 // of it is looked at
)

var (
	htmlHidden = regexp.MustCompile(`(?is)<!--.*?(-->|$)|<title\b[^>]*>[^<]*|<style\b.*?(</style>|$)|<script\b.*?(</script>|$)`)
	htmlTitle  = regexp.MustCompile(`(?i)<title\b[^>]*>([^<]*)`)
	htmlTag    = regexp.MustCompile(`(?s)<[^>]*(>|$)`)
)

// snippet returns the readable text of a body that is not JSON. That of an HTML
// or XML page begins with its title.
func snippet(body []byte) string {
	s := strings.TrimSpace(string(body[:min(len(body), maxPage)]))
	if strings.HasPrefix(s, "<") {
		title := ""
		if m := htmlTitle.FindStringSubmatch(s); m != nil {
			title = m[1] + " "
		}
		s = htmlHidden.ReplaceAllString(s, " ")
		s = html.UnescapeString(title + htmlTag.ReplaceAllString(s, " "))
	}
	return cut(strings.Join(strings.Fields(s), " "))
}

// cut shortens s to whole characters that fit into a snippet.
func cut(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxSnippet {
		return s
	}
	n := maxSnippet
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
