package redact_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/redact"
)

func TestRawURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.test/ops/7":                        "https://a.test/ops/7",
		"https://a.test:8443/ops/7?sig=SECRET#SECRET": "https://a.test:8443/ops/7",
		"https://user:SECRET@a.test/ops/7":            "https://a.test/ops/7",
		"https://SECRET@a.test":                       "https://a.test",
		"https://a.test/a%2Fb%20c":                    "https://a.test/a%2Fb%20c",
		"https://a.test?":                             "https://a.test",
		"/ops/7?sig=SECRET":                           "/ops/7",
		"//u:SECRET@a.test/x":                         "//a.test/x",
		"":                                            "",
		"mailto:SECRET":                               "mailto:",
		"https://a.test/%zz?sig=SECRET":               "https://a.test/%zz",
		"https://u:SECRET@a.test:x/":                  "%user-info@a.test:x/",
		"https://u:SEC?RET@a.test:x/":                 "%user-info@a.test:x/",
		"https://a.test/\n?sig=SECRET":                "https://a.test/",
		"https://a.test/%zz Bearer SECRET":            "https://a.test/%zz Bearer REDACTED",
	} {
		require.Equal(t, want, redact.RawURL(in), in)
	}
	require.Equal(t, []string{"https://a.test/x", ":"}, redact.RawURLs([]string{"https://a.test/x?y", ":"}))
}

func TestURL(t *testing.T) {
	require.Empty(t, redact.URL(nil))
	u, err := url.Parse("https://u:p@a.test/x?y=z#f")
	require.NoError(t, err)
	require.Equal(t, "https://a.test/x", redact.URL(u))
	require.Equal(t, "https://u:p@a.test/x?y=z#f", u.String(), "URL does not modify its argument")
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		" \n\t":         "",
		"a\r\n b\x00 c": "a b c",
		"not found":     "not found",
		"bad \xff byte": "bad \uFFFD byte",
		"GET https://u:SECRET@a.test/x?sig=SECRET failed":                        "GET https://a.test/x?REDACTED failed",
		`{"u":"https:\/\/u:SECRET@a.test\/x?SECRET"}`:                            `{"u":"https:\/\/a.test\/x?REDACTED"}`,
		"Authorization: Bearer SECRET":                                           "Authorization: Bearer REDACTED",
		"the bearer token has expired":                                           "the bearer token has expired",
		"the Basic tier":                                                         "the Basic tier",
		"Basic dTpTRUNSRVQ=":                                                     "Basic REDACTED",
		"password=SECRET; x":                                                     "password=REDACTED; x",
		`{"kubeconfig":"users:\n- user:\n    client-key-data: SECRET==\n"}`:      `{"kubeconfig":"users:\n- user:\n client-key-data: REDACTED\n"}`,
		`{"client-key-data": "SECRET"}`:                                          `{"client-key-data": "REDACTED"}`,
		`{"keys":[{"keyName":"key1","value":"SECRET+/=","permissions":"FULL"}]}`: `{"keys":[{"keyName":"key1","value":"REDACTED","permissions":"FULL"}]}`,
		"token eyJSECRET.SECRET.SECRET":                                          "token REDACTED",
	} {
		require.Equal(t, want, redact.Text(in), in)
	}
}

func TestCut(t *testing.T) {
	require.Equal(t, "abc", redact.Cut("abc", 3))
	require.Equal(t, "ab…", redact.Cut("abc", 2))
	require.Equal(t, "é…", redact.Cut("éé", 3), "a character is not split")
	require.Equal(t, "…", redact.Cut("é", 1))
	require.Equal(t, strings.Repeat("x", redact.MaxText)+"…", redact.Text(strings.Repeat("x", 1<<20)))
}

func FuzzText(f *testing.F) {
	f.Add("GET https://u:p@a.test/x?sig=s failed\nBearer eyJ.a.b")
	f.Fuzz(func(t *testing.T, s string) {
		text := redact.Text(s)
		require.True(t, utf8.ValidString(text))
		require.NotContains(t, text, "\n")
		require.LessOrEqual(t, len(text), redact.MaxText+len("…"))
		require.Equal(t, s, redact.Cut(s, len(s)))
	})
}
