package exchange_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
)

func parse(t testing.TB, rawURL string) *url.URL {
	t.Helper()
	u, err := url.Parse(rawURL)
	require.NoError(t, err)
	return u
}

func origins(t testing.TB, list ...string) exchange.Origins {
	t.Helper()
	o, err := exchange.NewOrigins(list)
	require.NoError(t, err)
	return o
}

func TestOriginsAllow(t *testing.T) {
	const base = "https://a.test/ops/7"
	tests := []struct {
		url  string
		want bool
	}{
		{"https://a.test", true},
		{"https://a.test/x?y=z#f", true},
		{"HTTPS://A.TEST/x", true},
		{"https://a.test:443/x", true},
		{"/ops/8", true},
		{"8?y=z", true},
		{"?y=z", true},
		{"", true},
		{"//a.test/x", true},
		{"//A.test:443/x", true},
		{"///evil.test/x", true},             // net/url parses this as a path
		{"https://b\u00fccher.test/x", true}, // the origin is listed with this spelling
		{"https://[::1]:8443/x", true},
		{"https://192.0.2.1/x", true},
		{"http://c.test/x", true}, // http://c.test is a listed origin

		{"https://a.test:8443/x", false},
		{"https://a.test:80/x", false},
		{"https://a.test./x", false},
		{"https://b.a.test/x", false},
		{"https://a.test.evil.test/x", false},
		{"https://evil.test/a.test", false},
		{"https://a.test\\@evil.test", false},
		{"https://a.test@evil.test/x", false},
		{"https://user@a.test/x", false},
		{"https://user:password@a.test/x", false},
		{"https://@a.test/x", false},
		{"//evil.test/x", false},
		{"http://a.test/x", false},
		{"http://a.test:443/x", false},
		{"https://xn--bcher-kva.test/x", false}, // the ASCII form of b\u00fccher.test is a different origin
		{"https://\u212Aelvin.test/x", false},   // the host starts with a Kelvin sign, whose lower-case form is an ASCII k
		{"https://[::1]/x", false},
		{"https://[::ffff:192.0.2.1]/x", false},
		{"https://3221225985/x", false}, // 192.0.2.1 as a number
		{"https:///x", false},
		{"https:a.test/x", false},
		{"ftp://a.test/x", false},
		{"file:///etc/passwd", false},
		{"javascript:alert(1)", false},
		{"data:,x", false},
	}
	o := origins(t, "https://a.test", "https://kelvin.test", "https://b\u00fccher.test", "https://[::1]:8443", "https://192.0.2.1", "http://c.test")
	for _, tt := range tests {
		ref, err := url.Parse(tt.url)
		if err != nil {
			require.False(t, tt.want, tt.url)
			continue
		}
		from := parse(t, base)
		u := from.ResolveReference(ref)
		if u.Host == "c.test" {
			from = u
		}
		err = o.Allow(u, exchange.IsHTTPS(from))
		if tt.want {
			require.NoError(t, err, tt.url)
			continue
		}
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, tt.url)
		require.NotContains(t, err.Error(), "password")
	}
}

func TestOriginsAllowFrom(t *testing.T) {
	o := origins(t, "https://a.test", "http://a.test")
	tests := []struct {
		from, to *url.URL
		want     bool
	}{
		{nil, parse(t, "http://a.test"), true},
		{parse(t, "http://a.test"), parse(t, "http://a.test"), true},
		{parse(t, "http://a.test"), parse(t, "https://a.test"), true},
		{parse(t, "https://a.test"), parse(t, "https://a.test"), true},
		{parse(t, "https://a.test"), parse(t, "http://a.test"), false},
		{&url.URL{Scheme: "HTTPS", Host: "a.test"}, parse(t, "http://a.test"), false},
		{parse(t, "https://a.test"), &url.URL{Scheme: "HTTPS", Host: "a.test"}, true},
		{parse(t, "https://a.test"), nil, false},
		{nil, &url.URL{}, false},
	}
	for _, tt := range tests {
		err := o.Allow(tt.to, exchange.IsHTTPS(tt.from))
		if tt.want {
			require.NoError(t, err, "%v to %v", tt.from, tt.to)
		} else {
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, "%v to %v", tt.from, tt.to)
		}
	}
	require.ErrorIs(t, exchange.Origins{}.Allow(parse(t, "https://a.test"), false), lroerrors.ErrForeignOrigin, "the zero Origins allows none")
}

func TestNewOrigins(t *testing.T) {
	for _, s := range []string{"https://a.test", "https://a.test/", "HTTPS://A.test:443", "https://a.test?", "https://a.test#"} {
		require.Equal(t, []string{"https://a.test"}, origins(t, s).List(), s)
	}
	require.Empty(t, origins(t).List())
	for _, s := range []string{
		"https://a.test/path", "https://a.test//", "https://a.test?q=SECRET", "https://a.test#SECRET", "https://u:SECRET@a.test",
		"a.test", "a.test:443", "//a.test", "https:a.test", "https://", "ftp://a.test", "", "*", "https://a.test:x", "https://[::1", "\x00",
		" https://a.test", "https://a.test:99999", "u:SECRET@a.test",
	} {
		_, err := exchange.NewOrigins([]string{"https://good.test", s})
		require.ErrorContains(t, err, "lro: Origins: ", s)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

// Origins.With adds a normalized origin to a copy of the set. Origins.Allow compares origins by
// scheme, host and port.
func TestOriginsWithCopies(t *testing.T) {
	few, many := origins(t, "https://a.test"), origins(t, "https://a.test", "https://b.test")
	for _, tt := range []struct {
		base exchange.Origins
		url  string
		want []string
	}{
		{many, "http://c.test", []string{"https://a.test", "https://b.test", "http://c.test"}},
		{few, "http://c.test/x", []string{"https://a.test", "http://c.test"}},
		{few, "http://c.test", []string{"https://a.test", "http://c.test"}},
		{few, "https://c.test", []string{"https://a.test", "https://c.test"}},
		{few, "http://c.test", []string{"https://a.test", "http://c.test"}},
		{few, "http://C.test:80", []string{"https://a.test", "http://c.test"}},
		{few, "http://c.test:8080", []string{"https://a.test", "http://c.test:8080"}},
		{exchange.Origins{}, "http://c.test:8080", []string{"http://c.test:8080"}},
	} {
		got, err := tt.base.With(parse(t, tt.url))
		require.NoError(t, err)
		require.Equal(t, tt.want, got.List(), tt.url)
	}
	o, err := few.With(parse(t, "http://c.test"))
	require.NoError(t, err)
	_, err = few.With(parse(t, "http://u@c.test"))
	require.Error(t, err)
	require.NoError(t, o.Allow(parse(t, "http://c.test/x"), false))
	require.Error(t, o.Allow(parse(t, "http://c.test/x"), true), "an https URL must not lead to an http URL")
	require.Error(t, o.Allow(parse(t, "https://c.test/x"), false), "it is another origin")
	zone, err := exchange.NewOrigins([]string{"https://[fe80::1%25eth0]"})
	require.NoError(t, err)
	require.NoError(t, zone.Allow(parse(t, "https://[fe80::1%25eth0]/x"), false))
	require.Error(t, zone.Allow(parse(t, "https://[fe80::1%2525eth0]/x"), false), "it is another zone")
}

func TestOriginsWith(t *testing.T) {
	base := origins(t, "https://a.test", "https://b.test", "https://c.test") // the list has spare capacity, which the copies must not share
	one, err := base.With(parse(t, "https://d.test/x?q=1"))
	require.NoError(t, err)
	two, err := base.With(parse(t, "https://e.test"))
	require.NoError(t, err)
	require.Equal(t, []string{"https://a.test", "https://b.test", "https://c.test"}, base.List())
	require.Equal(t, []string{"https://a.test", "https://b.test", "https://c.test", "https://d.test"}, one.List())
	require.Equal(t, []string{"https://a.test", "https://b.test", "https://c.test", "https://e.test"}, two.List())

	_, err = base.With(parse(t, "https://u@b.test"))
	require.Error(t, err)
	_, err = base.With(nil)
	require.Error(t, err)

	given := []string{"https://a.test"}
	kept := origins(t, given...)
	given[0] = "https://evil.test"
	require.Equal(t, []string{"https://a.test"}, kept.List())
}
