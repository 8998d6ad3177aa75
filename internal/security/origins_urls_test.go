package security

import (
	"net/url"
	"slices"
	"strings"
)

const (
	homeHost = "management.example.test"
	home     = "https://" + homeHost
)

// A form is a URL that a service may send or a token may contain. Most forms have the path /h, so
// that lastRequestToH finds the requests for them.
type form struct {
	url   string
	is    kind
	widen string // the origin that Options.Origins must contain to allow the URL; "" if no origin would help
}

type kind string

const (
	ours    kind = "ours"    // at the test's own origin, in any spelling; the poller must follow it
	secured kind = "secured" // at homeHost, but with http; kindOfSecured decides whether the poller must reject it or use https
	stays   kind = "stays"   // seems to name another host, but stays at the test's own origin; any outcome is allowed
	foreign kind = "foreign" // at another origin or with user-info; the poller must return ErrForeignOrigin
	broken  kind = "broken"  // not a valid http or https URL
)

// classes groups the forms by the trick they use. Shorter runs try only the first form of each
// class.
var classes = [][]form{
	// The test's own origin in several spellings.
	{
		{"HTTPS://MANAGEMENT.Example.TEST/h", ours, ""},
		{home + "/h", ours, ""},
		{home + ":443/h", ours, ""},
		{home + ":0443/h", ours, ""},
		{home + ":/h", ours, ""},
	},

	// Relative URLs.
	{
		{"//" + homeHost + ":443/h", ours, ""},
		{"//" + homeHost + "/h", ours, ""},
		{"/h", ours, ""},
	},

	// Another URL or host in the query or the fragment. The poller must keep the query byte for
	// byte.
	{
		{home + "/h?u=https://user:pw@evil.test/&v=//a@b", ours, ""},
		{home + "/h?@evil.test/", ours, ""},
		{home + "/h#@evil.test/", ours, ""},
	},

	// Paths, queries and fragments that look like another host.
	{
		{"///evil.test/h", stays, ""},
		{"////evil.test/h", stays, ""},
		{`/\evil.test/h`, stays, ""},
		{`\\evil.test\h`, stays, ""},
		{`\/evil.test/h`, stays, ""},
		{"/.//evil.test/h", stays, ""},
		{"/..//evil.test/h", stays, ""},
		{".//evil.test/h", stays, ""},
		{"/%2f/evil.test/h", stays, ""},
		{"evil.test/h", stays, ""},
		{"@evil.test/h", stays, ""},
		{";@evil.test/h", stays, ""},
		{"?//evil.test/h", stays, ""},
		{"#//evil.test/h", stays, ""},
		{home + "?@evil.test/h", stays, ""},
		{home + "#@evil.test/h", stays, ""},
	},

	// Another host.
	{
		{"https://evil.test:443/h?sig=signed", foreign, "https://EVIL.test"},
		{"https://evil.test/h", foreign, "https://evil.test"},
		{"//evil.test/h", foreign, "https://evil.test"},
		{"https://evil.test/h?" + home, foreign, "https://evil.test"},
		{"https://evil.test/h#" + home, foreign, "https://evil.test"},
	},

	// Another port.
	{
		{home + ":8443/h", foreign, home + ":8443"},
		{home + ":80/h", foreign, home + ":80"},
		{home + ":444/h", foreign, home + ":444"},
	},

	// Invalid ports.
	{
		{home + ":65979/h", foreign, ""}, // equals 443 modulo 2^16
		{home + ":99999/h", foreign, ""},
	},

	// Plain http on its default port.
	{
		{"http://" + homeHost + "/h", secured, ""},
		{"http://" + homeHost + ":80/h", secured, ""},
		{"HTTP://" + strings.ToUpper(homeHost) + ":80/h?sig=%2f", secured, ""},
	},

	// Plain http with another port, user-info or another host.
	{
		{"http://" + homeHost + ":443/h", foreign, ""},
		{"http://" + homeHost + ":8080/h", foreign, ""},
		{"http://user:s3cret@" + homeHost + "/h", foreign, ""},
		{"http://evil.test/h", foreign, ""},
	},

	// Schemes other than http and https.
	{
		{"ftp://" + homeHost + "/h", broken, ""},
		{"wss://" + homeHost + "/h", broken, ""},
		{"unix://" + homeHost + "/h", broken, ""},
	},

	// Hosts that share a prefix or a suffix with homeHost.
	{{home + ".evil.test/h", foreign, home + ".evil.test"}},
	{
		{"https://sub." + homeHost + "/h", foreign, "https://sub." + homeHost},
		{"https://evil" + homeHost + "/h", foreign, "https://evil" + homeHost},
		{"https://example.test/h", foreign, "https://example.test"},
	},

	// A trailing dot.
	{
		{home + "./h", foreign, home + "."},
		{home + ".:443/h", foreign, home + "."},
	},

	// User-info before homeHost.
	{
		{"https://user:s3cret@" + homeHost + "/h", foreign, ""},
		{"https://user:p@s3cret@" + homeHost + "/h", foreign, ""},
		{"https://s3cret@" + homeHost + "/h", foreign, ""},
		{"https://@" + homeHost + "/h", foreign, ""},
		{"https://:@" + homeHost + "/h", foreign, ""},
		{"https://evil.test@" + homeHost + "/h", foreign, ""},
		{"//s3cret@" + homeHost + "/h", foreign, ""},
	},

	// User-info that looks like homeHost.
	{
		{home + "@evil.test/h", foreign, ""},
		{home + ":443@evil.test/h", foreign, ""},
		{home + "&@evil.test/h", foreign, ""},
		{home + "%40@evil.test/h", foreign, ""},
	},

	// Internationalized host names with characters that look like ASCII characters, or that IDNA
	// maps to ASCII characters or ignores (UTS 46).
	{
		{"https://m\u0430nagement.example.test/h", foreign, "https://m\u0430nagement.example.test"}, // a Cyrillic a
		{"https://xn--mnagement-v6g.example.test/h", foreign, "https://xn--mnagement-v6g.example.test"},
	},
	{
		{"https://\uff4danagement.example.test/h", foreign, ""},            // a full-width m
		{"https://management\u3002example\u3002test/h", foreign, ""},       // ideographic full stops
		{"https://management\uff0eexample.test/h", foreign, ""},            // a full-width full stop
		{"https://management.example.te\u017ft/h", foreign, ""},            // a long s
		{"https://management.example.te\u00dft/h", foreign, ""},            // a sharp s
		{"https://manage\u00adment.example.test/h", foreign, ""},           // a soft hyphen
		{"https://management.example.test\u200b/h", foreign, ""},           // a zero-width space
		{"https://management.example.test\u2044.evil.test/h", foreign, ""}, // a fraction slash
		{"https://management.example.test\uff0f.evil.test/h", foreign, ""}, // a full-width slash
		{"https://management.example.test\u2024evil.test/h", foreign, ""},  // a one dot leader
		{"https://MANAGEMENT.EXAMPLE.\u0130TEST/h", foreign, ""},
	},

	// Percent-encoding.
	{
		{home + "%2eevil.test/h", broken, ""},
		{"https://management%2eexample.test/h", broken, ""},
		{home + "%2f.evil.test/h", broken, ""},
		{home + "%00.evil.test/h", broken, ""},
		{"https://%6danagement.example.test/h", broken, ""},
		{home + "%zz/h", broken, ""},
	},
	{
		{home + "%25.evil.test/h", foreign, ""},
		{"https://m%D0%B0nagement.example.test/h", foreign, ""},
	},

	// IP addresses.
	{
		{"https://127.0.0.1/h", foreign, "https://127.0.0.1"},
		{"https://127.1/h", foreign, "https://127.1"},
		{"https://2130706433/h", foreign, "https://2130706433"},
		{"https://0x7f.1/h", foreign, "https://0x7f.1"},
		{"https://0177.0.0.1/h", foreign, "https://0177.0.0.1"},
		{"https://169.254.169.254/h", foreign, "https://169.254.169.254"},
	},
	{
		{"https://[::1]/h", foreign, "https://[::1]:443"},
		{"https://[::]:443/h", foreign, "https://[::]"},
		{"https://[::ffff:127.0.0.1]/h", foreign, "https://[::FFFF:127.0.0.1]"},
		{"https://[fe80::1%25eth0]/h", foreign, "https://[FE80::1%25eth0]"},
	},
	{
		{"https://[::1/h", broken, ""},
		{"https://::1/h", broken, ""},
	},

	// Backslashes.
	{
		{home + `\@evil.test/h`, broken, ""},
		{home + `\.evil.test/h`, broken, ""},
		{`https://evil.test\.` + homeHost + "/h", broken, ""},
		{`https:\\evil.test\h`, broken, ""},
		{`https:/\evil.test/h`, broken, ""},
	},

	// White space, control characters, and lists of URLs.
	{
		{home + "\t/h", broken, ""},
		{"https://evil.test\t/h", broken, ""},
		{"https://manage\nment.example.test/h", broken, ""},
		{home + "\r\nHost: evil.test/h", broken, ""},
		{"https://evil\x00.test/h", broken, ""},
		{"https://evil\x7f.test/h", broken, ""},
		{"https://evil.test /h", broken, ""},
		{"ht\ttps://evil.test/h", broken, ""},
		{"https://" + homeHost + ",https://evil.test/h", broken, ""},
		{"https://" + homeHost + " https://evil.test/h", broken, ""},
	},

	// No host.
	{
		{"https:evil.test/h", broken, ""},
		{"https:/evil.test/h", broken, ""},
		{"https:///evil.test/h", broken, ""},
		{"https://:443/h", broken, ""},
		{"https://@/h", broken, ""},
		{"https://", broken, ""},
		{"https:", broken, ""},
	},

	// Ports with characters other than digits.
	{
		{home + ":-1/h", broken, ""},
		{home + ":443x/h", broken, ""},
	},

	// Schemes without an origin, and a missing scheme.
	{
		{"javascript:alert(1)", broken, ""},
		{"file:///etc/passwd", broken, ""},
		{"data:text/plain,x", broken, ""},
		{"mailto:a@evil.test", broken, ""},
		{"://evil.test/h", broken, ""},
	},
}

var forms, few = slices.Concat(classes...), firsts(classes)

// firsts returns the first form of each class. With the race detector, it skips the classes of
// broken URLs.
func firsts(classes [][]form) (all []form) {
	for _, c := range classes {
		if everyForm || c[0].is != broken {
			all = append(all, c[0])
		}
	}
	return all
}

var longHost = strings.Repeat("a.", 32<<10)

// long is a list of forms whose host names are much longer than DNS allows and expensive to check.
var long = []form{
	{"https://" + longHost + "test/h", foreign, ""},
	{home + "." + longHost + "test/h", foreign, ""},
}

// absolute reports whether the form has a scheme and a host, as every URL in a token must.
func (f form) absolute() bool {
	u, err := url.Parse(f.url)
	return err == nil && u.IsAbs() && u.Host != ""
}
