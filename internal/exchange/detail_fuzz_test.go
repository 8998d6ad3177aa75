package exchange_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
)

// FuzzDetail checks that ErrorDetail keeps all of a JSON error, and makes a short message in valid
// UTF-8 from a body that is not JSON. ErrorDetail may return nil only if the response has neither a
// code nor readable text.
func FuzzDetail(f *testing.F) {
	for _, body := range []string{
		`{"error":{"code":"Busy","message":"later"}}`, `{"something-went":"wrong"}`, `"Solution Not Found : s1"`, ``, ` {} `, `[]`, `{"status":"Failed"}`,
		"the gateway\n is\tdown", "<html><head><title>Runtime Error</title><style>p{}</style></head><body><p>It &lt;broke&gt;", "<", "\xff\xfe", "{\"error\":", "\ufeff{}", "<Error><Code>A</Code><Message>m", "\ufeff<Error><Code>A</Code><Message>m</Message></Error>", "\ufefb<Error><Code></Code><Message>m</Message></Error>", "<!-- <script>x</script>",
		strings.Repeat("ä", 600), `{"x":"` + strings.Repeat("ä", 600) + `"}`,
	} {
		f.Add([]byte(body), "")
		f.Add([]byte(body), "Conflict")
		f.Add([]byte(body), strings.Repeat("\xffä", 500))
	}
	f.Fuzz(func(t *testing.T, body []byte, code string) {
		h := http.Header{"X-Ms-Error-Code": {code}}
		code = shortened(code)
		d := exchange.ErrorDetail(h, body)
		within := exchange.DocumentDetail(h, body)
		body = bytes.TrimPrefix(body, []byte("\ufeff"))
		var own lroerrors.Detail
		valid := json.Unmarshal(body, &own) == nil
		if d == nil {
			require.Empty(t, code)
			require.Nil(t, within)
			require.True(t, hasNoText(body), "ErrorDetail returned nil, but %q has text", body)
			return
		}
		require.False(t, d.IsZero())
		if own.Code == "" {
			own.Code = code
		}
		switch {
		case !valid:
			isXML := bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
			require.True(t, d.Code == code || isXML)
			requireSnippet(t, d.Message, body)
		case hasBodyDetail(own, code):
			require.Equal(t, own, *d)
			require.Equal(t, own, *within)
		default:
			require.Equal(t, code, d.Code)
			require.True(t, strings.HasPrefix(strings.ToValidUTF8(strings.TrimSpace(string(body)), "\uFFFD"), strings.TrimSuffix(d.Message, "…")) || d.Message == "")
		}
	})
}

// shortened makes text valid UTF-8 and cuts it to at most 1000 bytes. It appends an ellipsis if it
// cut anything, as ErrorDetail does.
func shortened(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= 1000 {
		return text
	}
	kept := ""
	for _, r := range text {
		if len(kept)+utf8.RuneLen(r) > 1000 {
			break
		}
		kept += string(r)
	}
	return kept + "…"
}

// hasBodyDetail reports whether a Detail contains anything besides the code from the header.
func hasBodyDetail(d lroerrors.Detail, code string) bool {
	if d.Code == code {
		d.Code = ""
	}
	return !d.IsZero()
}

// requireSnippet asserts that message is short and valid UTF-8. Unless the body is a page or very
// long, message must be the beginning of the body's text.
func requireSnippet(t *testing.T, message string, body []byte) {
	t.Helper()
	require.True(t, utf8.ValidString(message))
	require.LessOrEqual(t, len(message), 1000+len("…"))
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") || len(text) > 64<<10 {
		return
	}
	words := strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	require.Equal(t, shortened(words), message)
}

// hasNoText reports whether a body may lack readable text: it contains only white space or empty
// JSON, or starts like an HTML page.
func hasNoText(body []byte) bool {
	text := strings.TrimSpace(string(body))
	return strings.HasPrefix(text, "<") || strings.Trim(text, "{}[] \t\r\n\"") == "" || text == "null"
}
