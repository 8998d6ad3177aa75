package pager_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
)

// pages is a Doer that returns the bodies in order and repeats the last one. It records the
// requested URLs.
type pages struct {
	bodies [][]byte
	asked  []url.URL
}

func (p *pages) Do(req *http.Request) (*http.Response, error) {
	p.asked = append(p.asked, *req.URL)
	body := p.bodies[0]
	if len(p.bodies) > 1 {
		p.bodies = p.bodies[1:]
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body))), Request: req}, nil
}

// FuzzNextLink checks that the pager resolves links according to RFC 3986, section 5, as net/url
// does, leaves absolute links to the same origin unchanged, and sends nothing to another origin.
func FuzzNextLink(f *testing.F) {
	for _, s := range []string{
		"?page=2", "/widgets?page=2", "widgets/2", "../x", "//evil.test/", "https://evil.test/", "https://u@management.example.test/", origin + "/a%2fb/../c?$skiptoken=a b%zz#f",
		"HTTPS://Management.Example.Test:443/x", "http://management.example.test/", "http://management.example.test:80/x?y", "http://management.example.test:8080/", "https://management.example.test./", `https:\\evil.test`, "https:/x", "https:x", ":", "#f", "\t/x", " ",
		list, "https://management.example.test:x/", "https://management.example.test:/x", "javascript:1", "/\u00e4?\u00e4", "https://management.example.test/a/./b//c", "?", "//management.example.test/x",
	} {
		f.Add(s)
	}
	base, err := url.Parse(list)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, link string) {
		link = strings.ToValidUTF8(link, "") // JSON can contain only valid UTF-8
		body, err := json.Marshal(map[string]any{"value": []int{1}, "nextLink": link})
		require.NoError(t, err)
		service := &pages{bodies: [][]byte{body, []byte(`{"value":[2]}`)}}
		p := pager.New[int](newRequest(t, http.MethodGet, list, ""), service, nil)
		first, err := p.NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, link, first.NextLink)
		require.Equal(t, link != "", p.More())
		if link == "" {
			return
		}
		_, err = p.NextPage(t.Context())
		want, mayFollow := resolved(base, link)
		if !mayFollow {
			require.Error(t, err)
			require.Len(t, service.asked, 1, "the pager must not send a request")
			return
		}
		if sameBut(*want, *base) {
			require.ErrorIs(t, err, lroerrors.ErrRepeatedLink)
			return
		}
		require.NoError(t, err)
		require.Len(t, service.asked, 2)
		asked := service.asked[1]
		require.Equal(t, want.String(), asked.String())
		if rest, absolute := strings.CutPrefix(link, origin+"/"); absolute && !strings.ContainsAny(rest, "#\"<>[\\]^`{|} ") && isASCII(rest) {
			require.Equal(t, "/"+rest, asked.RequestURI())
		}
	})
}

// resolved returns the URL that a link leads to, and whether the pager may follow it. To be
// followed, the URL must have base's origin and no user-info.
func resolved(base *url.URL, link string) (*url.URL, bool) {
	u, err := url.Parse(link)
	if err != nil {
		return nil, false
	}
	if !u.IsAbs() {
		u = base.ResolveReference(u)
	}
	host := u.Hostname()
	if u.Scheme == "http" && (u.Port() == "" || u.Port() == "80") && strings.EqualFold(host, base.Host) {
		u.Scheme, u.Host = "https", host // the pager upgrades such a link
	}
	if port := strings.TrimLeft(u.Port(), "0"); u.Port() != "" && port != "443" {
		return nil, false
	}
	return u, u.Scheme == "https" && u.User == nil && !strings.Contains(u.Host, "[") && isASCII(host) && strings.ToLower(host) == base.Host
}

// sameBut reports whether two URLs are equal except for their fragments.
func sameBut(a, b url.URL) bool {
	a.Fragment, a.RawFragment, b.Fragment, b.RawFragment = "", "", "", ""
	return a.String() == b.String()
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
