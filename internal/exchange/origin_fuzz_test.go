package exchange_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
)

// FuzzOrigin checks that net/http dials the same address for an allowed URL and for the origin that
// allows it.
func FuzzOrigin(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://a.test", "https://a.test/x?y=z"},
		{"https://a.test", "HTTPS://A.TEST:443/x"},
		{"https://a.test", "https://a.test:0443/x"},
		{"https://a.test", "https://a.test:/x"},
		{"https://a.test:8443", "//a.test:08443"},
		{"https://a.test", "https://a.test.:443/"},
		{"https://a.test", "https://a.test@evil.test/"},
		{"https://a.test", `https://a.test\@evil.test/`},
		{"https://a.test", "https://a.test%2eevil.test/"},
		{"https://a.test", "https://a.test%25evil/"},
		{"https://a.test", "https:evil.test/"},
		{"https://a.test", "///evil.test/"},
		{"https://a.test", `\\evil.test\x`},
		{"https://a.test", "https://a.test:65979/"},
		{"https://a\u3002test", "https://a.test/"},
		{"https://a.test", "https://a\uff0etest/"},
		{"https://k.test", "https://\u212a.test/"},
		{"https://stra\u00dfe.test", "https://STRASSE.test/"},
		{"https://b\u00fccher.test", "https://b%C3%BCcher.test/"},
		{"https://b\u00fccher.test", "https://xn--bcher-kva.test/"},
		{"http://127.0.0.1", "http://2130706433/"},
		{"http://127.0.0.1:80", "http://0x7f.1:0080/"},
		{"https://[::1]", "https://[0:0:0:0:0:0:0:1]/"},
		{"https://[::ffff:127.0.0.1]", "https://127.0.0.1/"},
		{"https://[fe80::1%25eth0]", "https://[FE80::1%25eth0]:443/"},
		{"https://[fe80::1%25eth0]", "https://[fe80::1%25ETH0]/"},
		{"https://[::1]:443", "https://[::1%25]/"},
		{"http://a.test", "https://a.test:80/"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, origin, ref string) {
		allowed, err := exchange.NewOrigins([]string{origin})
		if err != nil {
			return
		}
		home, err := url.Parse(origin)
		require.NoError(t, err)
		u, err := home.Parse(ref) // a poller resolves redirects, links and URLs in headers the same way
		if err != nil || allowed.Allow(u, home.Scheme == "https") != nil {
			return
		}
		require.Nil(t, u.User)
		want := dialled(t, home)
		require.Equal(t, want, dialled(t, u), "%s of %s", ref, origin)
		for _, text := range []string{u.String(), ref} { // the forms in which a poller stores a URL
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, text, http.NoBody)
			if err == nil && req.URL.IsAbs() {
				require.Equal(t, want, dialled(t, req.URL), "%s as it is written", text)
			}
		}
	})
}

// dialled returns the scheme, host and port that net/http dials for a URL, or "" if net/http
// refuses to dial.
func dialled(t *testing.T, u *url.URL) string {
	t.Helper()
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: http.Header{}}).WithContext(t.Context())
	type call struct{ scheme, address string }
	calls := make(chan call, 2)
	dial := func(scheme string) func(context.Context, string, string) (net.Conn, error) {
		return func(_ context.Context, _, address string) (net.Conn, error) {
			calls <- call{scheme, address}
			return nil, errors.New("not here")
		}
	}
	base := &http.Transport{DialContext: dial("http"), DialTLSContext: dial("https")}
	resp, err := base.RoundTrip(req)
	if resp != nil {
		resp.Body.Close()
	}
	require.Error(t, err)
	select {
	case c := <-calls:
		require.Empty(t, calls)
		return c.scheme + " " + canonical(t, c.address)
	default:
		return ""
	}
}

// canonical returns the same text for addresses that a resolver treats as equal. Case matters only
// in an IPv6 zone (RFC 4343; RFC 4007, section 11.2).
func canonical(t *testing.T, address string) string {
	t.Helper()
	colon := strings.LastIndexByte(address, ':')
	host, port := address[:colon], address[colon+1:]
	name, zone, zoned := strings.Cut(host, "%")
	if zoned && strings.Contains(name, ":") {
		host = strings.ToLower(name) + "%" + zone
	} else {
		host = asciiLower(host)
	}
	n, err := strconv.Atoi(port)
	require.NoError(t, err, address)
	return host + " " + strconv.Itoa(n)
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
