package wire_test

import (
	"net/url"
	"testing"

	"github.com/lro-go/lro/internal/wire"
	"github.com/stretchr/testify/require"
)

func TestRedacted(t *testing.T) {
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
		"https://a.test/%zz?sig=SECRET":               "(unparsable URL)",
		"https://u:SECRET@a.test:x/":                  "(unparsable URL)",
		"https://a.test/\n?sig=SECRET":                "(unparsable URL)",
	} {
		require.Equal(t, want, wire.Redacted(in), in)
	}
	require.Empty(t, wire.RedactedURL(nil))

	u := parse(t, "https://u:p@a.test/x?y=z#f")
	require.Equal(t, "https://a.test/x", wire.RedactedURL(u))
	require.Equal(t, url.UserPassword("u", "p"), u.User, "the URL is left as it was")
	require.Equal(t, "y=z", u.RawQuery)
}
