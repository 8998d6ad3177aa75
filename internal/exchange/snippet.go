package exchange

import (
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/lro-go/lro/internal/redact"
)

const (
	maxSnippet = 1000     // maximum length in bytes of the text that is kept
	maxPage    = 64 << 10 // how many bytes of the body are searched for text
)

var (
	htmlHidden = lazyRegexp(`(?is)<!--.*?(-->|$)|<title\b[^>]*>[^<]*|<style\b.*?(</style>|$)|<script\b.*?(</script>|$)`)
	htmlTitle  = lazyRegexp(`(?i)<title\b[^>]*>([^<]*)`)
	htmlTag    = lazyRegexp(`(?s)<[^>]*(>|$)`)
)

// lazyRegexp returns a function that compiles expr when it is first called.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// snippet returns the readable text of a body that is not JSON. The text of an HTML or XML
// page begins with its title.
func snippet(body []byte) string {
	s := strings.TrimSpace(string(body[:min(len(body), maxPage)]))
	if strings.HasPrefix(s, "<") {
		title := ""
		if m := htmlTitle().FindStringSubmatch(s); m != nil {
			title = m[1] + " "
		}
		s = htmlHidden().ReplaceAllString(s, " ")
		s = html.UnescapeString(title + htmlTag().ReplaceAllString(s, " "))
	}
	return bounded(strings.Join(strings.Fields(s), " "))
}

// bounded returns s as valid UTF-8, truncated to the length of a snippet.
func bounded(s string) string { return redact.Cut(strings.ToValidUTF8(s, "\uFFFD"), maxSnippet) }
