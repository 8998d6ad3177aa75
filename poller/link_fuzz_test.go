package poller_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

var linkSeeds = append([]string{
	"/op?api-version=1", "op", "../x", "?a=b c%zz", "https://a.test/a%2fb/../c?$x=1#f", "HTTPS://A.test:443/x", "https://u@a.test/", "//a.test/x", "https://a.test:0443/", "http://a.test/",
	":", "#f", "?", " ", "\t/x ", "/\xe4?\xe4", "/\u00e4", "https://a.test/\xe4", "https://a.test/\x80", "https:/x", "https:x", "https://a.test:x/", "https://[a.test]/", "https://a%2etest/",
}, foreign...)

var linkHeaders = []string{"Azure-Asyncoperation", "Operation-Location", "Location"}

// FuzzLink checks how the poller follows a URL in a response header. The poller resolves the URL
// like net/url (RFC 3986, section 5), does not change the path and query of an absolute URL that
// needs no escaping, and never sends a request to another origin.
func FuzzLink(f *testing.F) {
	for i, s := range linkSeeds {
		f.Add(s, uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, link string, kind uint8, updated bool) {
		name := linkHeaders[int(kind)%len(linkHeaders)]
		first, base := link, fuzzTarget
		if updated {
			first, base = "/first", "https://a.test/first"
		}
		var asked []*url.URL
		client := doer(func(req *http.Request) (*http.Response, error) {
			asked = append(asked, req.URL)
			answer := linked(req, name, link)
			return &answer, nil
		})
		req := newRequest(t, http.MethodPost, "/w")
		req.URL, _ = url.Parse(fuzzTarget)
		began := linked(req, name, first)
		p, err := poller.New[raw](&began, client, nil)
		if updated {
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, base, asked[0].String())
			asked = asked[1:]
		}
		want, leads := leadsTo(base, link)
		defer func() {
			if p != nil {
				requireFixpoint(t, p, len(link))
			}
		}()
		switch {
		case leads:
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, want.String(), asked[0].String())
			if rest, absolute := strings.CutPrefix(link, "https://a.test/"); absolute && strings.Trim(rest, byteForByte) == "" {
				require.Equal(t, "/"+rest, asked[0].RequestURI())
			}
		case !updated:
			requireUnfollowable(t, err)
			require.Empty(t, asked, "the poller must send nothing")
		default:
			_, err = p.Poll(t.Context())
			if want == nil { // the poller must ignore an invalid URL and read the previous one again
				require.NoError(t, err)
				require.Equal(t, base, asked[0].String())
				return
			}
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			require.Empty(t, asked, "the poller must send nothing")
		}
	})
}

// byteForByte lists the characters that need no escaping in a path or query.
const byteForByte = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?"

// linked returns a response that reports a running operation and has a URL in a header.
func linked(req *http.Request, name, link string) http.Response {
	return http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{name: {link}}, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"status":"Running"}`)),
	}
}

// requireUnfollowable requires that err is a WaitError with the reason Unfollowable, and that
// resuming its token fails for the same reason.
func requireUnfollowable(t *testing.T, err error) {
	t.Helper()
	requireWait(t, err, lroerrors.ReasonUnfollowable)
	require.True(t, errors.Is(err, lroerrors.ErrForeignOrigin) || errors.Is(err, lroerrors.ErrNoOperation), "%v", err)
	wait, _ := errors.AsType[*lroerrors.WaitError](err)
	token, err := wait.ResumeToken()
	require.NoError(t, err)
	_, err = poller.Resume[raw](token, nil, fuzzTrust)
	requireWait(t, err, lroerrors.ReasonUnfollowable)
}

// leadsTo returns the absolute URL of a link, or nil if the link is invalid or has no host. It also
// reports whether the link stays on the test's origin.
func leadsTo(base, link string) (*url.URL, bool) {
	link = strings.TrimSpace(link)
	if !utf8.ValidString(link) { // escape it as net/http does
		var b strings.Builder
		for _, c := range []byte(link) {
			if c < utf8.RuneSelf {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		link = b.String()
	}
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return nil, false
	}
	if !u.IsAbs() {
		from, _ := url.Parse(base)
		if u, err = url.Parse(from.ResolveReference(u).String()); err != nil {
			return nil, false
		}
	}
	if u.Host == "" {
		return nil, false
	}
	if u.Scheme == "http" && (u.Port() == "" || u.Port() == "80") && strings.EqualFold(u.Hostname(), "a.test") {
		u.Scheme, u.Host = "https", u.Hostname() // the poller must upgrade the URL to https
	}
	port := strings.TrimLeft(u.Port(), "0")
	home := u.Scheme == "https" && u.User == nil && !strings.Contains(u.Host, "[") && (u.Port() == "" || port == "443")
	return u, home && strings.EqualFold(u.Hostname(), "a.test") && len(u.Hostname()) == len("a.test")
}
