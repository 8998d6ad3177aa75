package exchange

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParsePlain checks that parsePlain returns either nil or the same URL as url.Parse.
func FuzzParsePlain(f *testing.F) {
	for _, s := range []string{
		"https://a.test/op?api-version=1", "http://a.test", "https://a.test?x", "https://a.test/?", "https://a.test/a%2Fb", "https://a.test/a b", "https://u@a.test/",
		"https://a.test:443/x", "HTTPS://a.test/", "https://a.test/x#y", "https://a.test/x?y#z", "https://[::1]/x", "//a.test/x", "https:///x", "https://a.test/\xff", "https://a.test/x?a=%zz&b=\x01",
		"https://a.test/a;b,c@d!e", "https://a.test//x//", "https://a.test/./x/../y", "://a.test", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := parsePlain(s)
		if got == nil {
			return
		}
		want, err := url.Parse(s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// parsePlain accepts the URLs that services usually send, and leaves others to url.Parse.
func TestParsePlain(t *testing.T) {
	for s, want := range map[string]bool{
		"https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/operations/0-1?api-version=2024-05-01&t=1&c=MII~&s=a_b-c&h=d": true,
		"http://a.test": true, "https://a.test?x=%2f": true,
		"https://a.test:8443/x": false, "https://a.test/a%2Fb": false, "https://a.test/x#y": false, "https://u@a.test/": false, "https://a.test/x?": false, "/x": false, "ftp://a.test/": false,
	} {
		require.Equal(t, want, parsePlain(s) != nil, s)
	}
}
