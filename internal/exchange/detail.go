package exchange

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

const (
	maxSnippet = 1000     // maximum length in bytes of the text taken from a body
	maxPage    = 64 << 10 // how many bytes of a body are searched for text
)

var (
	htmlHidden = lazyRegexp(`(?is)<!--.*?(-->|$)|<title\b[^>]*>[^<]*|<style\b.*?(</style>|$)|<script\b.*?(</script>|$)`)
	htmlTitle  = lazyRegexp(`(?i)<title\b[^>]*>([^<]*)`)
	htmlTag    = lazyRegexp(`(?s)<[^>]*(>|$)`)
)

// lazyRegexp returns a function that compiles expr on its first call.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// byteOrderMark is at the start of the body in responses from some services (quirk W42).
var byteOrderMark = []byte("\xef\xbb\xbf")

// ErrorDetail decodes an error, such as the body of a 4xx or 5xx response. If the body is not an
// error in JSON or XML, the message is the beginning of the body's readable text. ErrorDetail
// returns nil if neither the body nor the header contains information.
func ErrorDetail(h http.Header, body []byte) *lroerrors.Detail {
	body = bytes.TrimPrefix(body, byteOrderMark)
	var d lroerrors.Detail
	err := json.Unmarshal(body, &d)
	if err != nil {
		d = decodeText(body)
	} else if d.IsZero() && !isUninformative(body) {
		start := body[:min(len(body), maxPage)]
		d.Message = bounded(string(bytes.TrimSpace(start)))
	}
	return withCode(h, d)
}

// DocumentDetail decodes the error in a larger document, such as the status of an operation. It
// returns nil if neither the document nor the header contains an error.
func DocumentDetail(h http.Header, body []byte) *lroerrors.Detail {
	var d lroerrors.Detail
	err := json.Unmarshal(bytes.TrimPrefix(body, byteOrderMark), &d)
	if err != nil {
		d = lroerrors.Detail{}
	}
	return withCode(h, d)
}

// decodeText decodes the error in a body that is not JSON.
func decodeText(body []byte) lroerrors.Detail {
	d := decodeXML(body)
	if d.IsZero() {
		d.Message = snippet(body)
	}
	return d
}

// withCode adds the code from the header to d if d has no code. It returns nil if d is still empty.
func withCode(h http.Header, d lroerrors.Detail) *lroerrors.Detail {
	if d.Code == "" {
		d.Code = bounded(h.Get("X-Ms-Error-Code"))
	}
	if d.IsZero() {
		return nil
	}
	return &d
}

// isUninformative reports whether a JSON body contains no information. It returns true for {} and
// null, for example.
func isUninformative(body []byte) bool {
	if len(body) > maxSnippet {
		return false
	}
	s := strings.Trim(string(body), "{}[]\" \t\r\n")
	return s == "" || s == "null"
}

// snippet returns the readable text of a body that is not JSON. For an HTML or XML page, the text
// starts with the title.
func snippet(body []byte) string {
	s := strings.TrimSpace(string(body[:min(len(body), maxPage)]))
	if isMarkup(body) {
		title := ""
		if m := htmlTitle().FindStringSubmatch(s); m != nil {
			title = m[1] + " "
		}
		s = htmlHidden().ReplaceAllString(s, " ")
		s = html.UnescapeString(title + htmlTag().ReplaceAllString(s, " "))
	}
	return bounded(strings.Join(strings.Fields(s), " "))
}

// isMarkup reports whether a body starts like an HTML or XML document. Text before the first tag
// makes it plain text.
func isMarkup(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// bounded returns s as valid UTF-8. If s is longer than maxSnippet bytes, bounded cuts it there and
// appends an ellipsis.
func bounded(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return redact.Cut(s, maxSnippet)
}

// CleanDetail returns a copy of d in which c has truncated and masked all text.
func CleanDetail(c *redact.Cleaner, d *lroerrors.Detail) *lroerrors.Detail {
	if d == nil {
		return nil
	}

	clean := *d
	for _, s := range []*string{&clean.Code, &clean.Message, &clean.Target, &clean.MoreInfo, &clean.Trace} {
		*s = c.Text(*s)
	}
	clean.InnerError = c.JSON(d.InnerError)
	clean.AdditionalInfo = slices.Clone(d.AdditionalInfo)
	for i, info := range d.AdditionalInfo {
		clean.AdditionalInfo[i] = lroerrors.AdditionalInfo{Type: c.Text(info.Type), Info: c.JSON(info.Info)}
	}
	clean.Details = slices.Clone(d.Details)
	for i := range d.Details {
		clean.Details[i] = *CleanDetail(c, &d.Details[i])
	}
	return &clean
}
