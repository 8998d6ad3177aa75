package exchange_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
)

func TestUpgrade(t *testing.T) {
	allowed, err := exchange.NewOrigins([]string{"https://a.test", "https://b.test:8443", "https://[::1]", "http://c.test", "https://d.test:80"})
	require.NoError(t, err)
	for from, to := range map[string]string{
		"http://a.test:80/op?x=%2f&sig=a+b#f": "https://a.test/op?x=%2f&sig=a+b#f",
		"http://a.test/op:80":                 "https://a.test/op:80",
		"http://a.test":                       "https://a.test",
		"http://a.test:80":                    "https://a.test",
		"http://a.test:/op":                   "https://a.test/op",
		"http://a.test?x=://":                 "https://a.test?x=://",
		"HTTP://A.Test:80/Op":                 "https://A.Test/Op",
		"http://[::1]:80/op":                  "https://[::1]/op",
		"http://[::1]/op":                     "https://[::1]/op",

		"http://a.test:8080/op":  "", // another port
		"http://a.test:443/op":   "",
		"http://a.test:080/op":   "",
		"http://b.test/op":       "", // https is allowed only on another port
		"http://b.test:8443/op":  "",
		"http://d.test:80/op":    "",
		"http://c.test/op":       "", // https is not allowed
		"http://evil.test/op":    "",
		"http://a.test.evil/op":  "",
		"http://u@a.test/op":     "", // user-info
		"http://a.test@evil/op":  "",
		"http:a.test/op":         "",
		"http:///op":             "",
		"http://a.test\\@evil/x": "",
		"https://a.test:443/op":  "",
		"ftp://a.test/op":        "",
		"//a.test/op":            "",
		"/op?u=http://a.test":    "",
		"":                       "",
	} {
		want := to
		if want == "" {
			want = from
		}
		require.Equal(t, want, allowed.Upgrade(from), from)
	}
}

// FuzzUpgrade checks that an upgraded URL keeps its host, path and query, and that net/http dials
// the allowed origin for it.
func FuzzUpgrade(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://a.test", "http://a.test:80/op?x=%2f"},
		{"https://a.test", "HTTP://A.TEST/op"},
		{"https://a.test", "http://a.test:443/"},
		{"https://a.test:80", "http://a.test:80/"},
		{"https://[fe80::1%25eth0]", "http://[FE80::1%25eth0]:80/"},
		{"https://a.test", "http://a.test:80@evil.test/"},
		{"https://a.test", `http://a.test\@evil.test/`},
		{"https://a.test", "http://a.test%3a80/"},
		{"https://a.test", "http://a.test:80?x"},
		{"https://a.test", "http://a.test:#:80"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, origin, from string) {
		allowed, err := exchange.NewOrigins([]string{origin})
		if err != nil {
			return
		}
		to := allowed.Upgrade(from)
		if to == from {
			return
		}
		require.True(t, strings.HasPrefix(to, "https://"))
		before, err := url.Parse(from)
		require.NoError(t, err)
		after, err := url.Parse(to)
		require.NoError(t, err)
		require.NoError(t, allowed.Allow(after, true))
		home, err := url.Parse(origin)
		require.NoError(t, err)
		require.Equal(t, dialled(t, home), dialled(t, after))
		require.Equal(t, before.Hostname(), after.Hostname())
		require.Equal(t, before.RequestURI(), after.RequestURI())
		require.Equal(t, before.Fragment, after.Fragment)
		require.Equal(t, to, allowed.Upgrade(to))
	})
}
