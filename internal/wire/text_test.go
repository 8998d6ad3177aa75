package wire_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/lro-go/lro/internal/wire"
	"github.com/stretchr/testify/require"
)

func TestURLTextIsNotMadeAnew(t *testing.T) {
	const text = "https://a.test:8443/sub%20scriptions/x/y?api-version=1&sig=%2F"
	u := parse(t, text)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { wire.URLText(u, text) }), 1.0, "that of the escaped path")
	const plain = "https://a.test/subscriptions/x"
	u = parse(t, plain)
	require.Zero(t, testing.AllocsPerRun(10, func() { wire.URLText(u, plain) }))
}

// FuzzURLText: the guess changes nothing.
func FuzzURLText(f *testing.F) {
	for _, text := range []string{
		"https://a.test/x?y=z", "HTTPS://A.test/x", "https://a.test", "https://a.test/", "https://a.test/?", "https://a.test/x#f", "https://u@a.test/",
		"https://b\u00fccher.test/", "https://[::1]:80/", "https:opaque", "//a.test/x", "/x", "https://a.test/a b", "https://a.test/a%2fb", "https://a.test//x", "",
		"https:///x", "https://a.test?x", "https://a.test/x??", "https://a.test/x?a b", "https://a.test:/", "https://a.test/x#", "https://a.test/\"<>",
	} {
		f.Add(text, text)
		f.Add(text, strings.ToLower(text))
		before, _, _ := strings.Cut(text, "#")
		f.Add(text, before)
	}
	f.Fuzz(func(t *testing.T, raw, guess string) {
		u, err := url.Parse(raw)
		if err != nil {
			return
		}
		require.Equal(t, u.String(), wire.URLText(u, guess))
		require.Equal(t, u.String(), wire.URLText(u, raw))
	})
}
