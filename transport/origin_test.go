package transport_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestOrigin(t *testing.T) {
	tests := []struct{ url, want string }{ // if want is "", Origin must return an error
		{"https://a.test", "https://a.test"},
		{"https://a.test/p?q=1#f", "https://a.test"},
		{"HTTPS://A.Test", "https://a.test"},
		{"https://a.test:443/", "https://a.test"},
		{"https://a.test:0443/", "https://a.test"},
		{"https://a.test:/", "https://a.test"},
		{"http://a.test:80", "http://a.test"},
		{"http://a.test:443", "http://a.test:443"},
		{"https://a.test:80", "https://a.test:80"},
		{"https://a.test:8443", "https://a.test:8443"},
		{"https://a.test.", "https://a.test."},
		{"https://[::1]:443", "https://[::1]"},
		{"https://[::1]:8443", "https://[::1]:8443"},
		{"https://[FE80::1%25eth0]/", "https://[fe80::1%25eth0]"},
		{"https://[FE80::1%25ETH0]/", "https://[fe80::1%25ETH0]"}, // ETH0 is not the same network interface as eth0
		{"https://a%25b.test", "https://a%25b.test"},
		{"https://127.0.0.1:443", "https://127.0.0.1"},
		{"https://\u212Aelvin.test", "https://\u212Aelvin.test"}, // the Kelvin sign is not lowercased to a k
		{"https://b\u00fccher.test", "https://b\u00fccher.test"}, // the host is not converted to Punycode
		{"https://B\u00dcCHER.test", "https://b\u00dccher.test"}, // only ASCII letters are lowercased
		{"https://user@a.test", ""},
		{"https://user:password@a.test", ""},
		{"https://@a.test", ""},
		{"https:///path", ""},
		{"https://:443", ""},
		{"https:a.test", ""},
		{"https://a.test:99999", ""},
		{"ftp://a.test", ""},
		{"file:///etc/passwd", ""},
		{"//a.test/p", ""},
		{"/ops/7", ""},
		{"", ""},
	}
	for _, tt := range tests {
		u, err := url.Parse(tt.url)
		require.NoError(t, err, tt.url)
		got, err := transport.Origin(u)
		require.Equal(t, tt.want, got, "Origin(%s)", tt.url)
		require.Equal(t, tt.want == "", err != nil, "Origin(%s): %v", tt.url, err)
		if err != nil {
			require.NotContains(t, err.Error(), "password")
			require.NotContains(t, err.Error(), "user@")
			continue
		}
		u, err = url.Parse(got)
		require.NoError(t, err, "an origin can be parsed")
		again, err := transport.Origin(u)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
	_, err := transport.Origin(nil)
	require.Error(t, err)
	for _, host := range []string{"::1", "a:b:c", "[", "[]", "a.test:x"} {
		_, err := transport.Origin(&url.URL{Scheme: "https", Host: host})
		require.Error(t, err, host)
	}
}
