package pager_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// The pager requests an absolute link byte for byte and resolves a relative one. It drops the
// fragment.
func TestLinks(t *testing.T) {
	tests := []struct{ link, want string }{
		{origin + "/2?$skipToken=a%2fb+c%20d&x=;'", "/2?$skipToken=a%2fb+c%20d&x=;'"},
		{"HTTPS://MANAGEMENT.example.test:443/%41/../b?", "/%41/../b?"},
		{"https://management.example.test:/2", "/2"},
		{"/2?a=b", "/2?a=b"},
		{"more?a=b", "/more?a=b"},
		{"?page=2", "/widgets?page=2"},
		{"//management.example.test/2", "/2"},
		{"*&*#&$", "/*&*"},
	}
	for _, tt := range tests {
		s := serve(map[string][]string{
			"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "` + tt.link + `"}`},
			tt.want:                  {`200 {"value": [2]}`},
		})
		got, err := items(t.Context(), newPager[int](t, s, nil))
		require.NoError(t, err, tt.link)
		require.Equal(t, []int{1, 2}, got)
		require.Equal(t, []string{"GET /widgets?api-version=1", "GET " + tt.want}, s.requests())
	}
}

func TestForeignLinks(t *testing.T) {
	tests := []struct {
		link    string
		origins []string
		ok      bool
	}{
		{link: "https://evil.test/2?sig=SECRET"},
		{link: "//evil.test/2"},
		{link: "http://management.example.test:8080/2"},
		{link: "https://u:SECRET@management.example.test/2"},
		{link: "ftp://management.example.test/2"},
		{link: "https://management.example.test:8443/2"},
		{link: "https://b.test/2", origins: []string{"https://b.test"}, ok: true},
		{link: "http://b.test/2", origins: []string{"http://b.test"}}, // the pager never follows a link from https to http
	}
	for _, tt := range tests {
		s := serve(map[string][]string{
			"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "` + tt.link + `"}`},
			"/2":                     {`200 {"value": [2]}`},
		})
		p := newPager[int](t, s, &pager.Options{Origins: tt.origins})
		got, err := items(t.Context(), p)
		if tt.ok {
			require.NoError(t, err)
			require.Equal(t, []int{1, 2}, got)
			continue
		}
		require.Equal(t, []int{1}, got, "the pager must return the page with the link")
		for range 2 {
			require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin, tt.link)
			require.Len(t, s.requests(), 1, "the pager must not request the linked page")
			require.True(t, p.More())
			_, err = p.NextPage(t.Context())
		}
	}
	p := pager.New[int](newRequest(t, "GET", "https://u:SECRET@a.test/", ""), nil, nil)
	_, err := p.NextPage(t.Context())
	require.ErrorContains(t, statusError(t, err), "user-info")
	p = pager.New[int](nil, nil, nil)
	_, err = p.NextPage(t.Context())
	require.ErrorContains(t, statusError(t, err), "the first request is nil")

	s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [], "nextLink": "%zz"}`}})
	_, err = items(t.Context(), newPager[int](t, s, nil))
	require.ErrorContains(t, statusError(t, err), "not a valid URL")
}

// The pager follows redirects only to the origins that are also allowed for links.
func TestRedirects(t *testing.T) {
	s := serve(map[string][]string{
		"/widgets?api-version=1": {"307 \nLocation: /other?sig=SECRET"},
		"/other?sig=SECRET":      {`200 {"value": [1], "nextLink": "next"}`},
		"/next":                  {"302 \nLocation: https://evil.test/?sig=SECRET"},
	})
	p := newPager[int](t, s, nil)
	page, err := p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, origin+"/other?sig=SECRET", page.URL)
	_, err = p.NextPage(t.Context())
	require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin)
	require.Len(t, s.requests(), 3)
}

// The pager does not follow a redirect that would send a POST to another path. Redirected requests
// have no Referer.
func TestRedirectsOfPost(t *testing.T) {
	var asked []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String()+r.Header.Get("Referer"))
		switch r.URL.Path {
		case "/list":
			http.Redirect(w, r, "/victim", http.StatusTemporaryRedirect)
		case "/other":
			http.Redirect(w, r, "/there?page=1", http.StatusSeeOther)
		case "/same":
			if r.URL.RawQuery == "sig=SECRET" {
				http.Redirect(w, r, "/same?sig=2", http.StatusPermanentRedirect)
				return
			}
			fallthrough
		default:
			_, _ = io.WriteString(w, `{"value":[1]}`)
		}
	})
	for path, want := range map[string][]string{
		"/list":  {"POST /list?sig=SECRET"},
		"/other": {"POST /other?sig=SECRET", "GET /there?page=1"},
		"/same":  {"POST /same?sig=SECRET", "POST /same?sig=2"},
	} {
		asked = nil
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+path+"?sig=SECRET", io.MultiReader(strings.NewReader("{}")))
		require.NoError(t, err)
		_, err = pager.New[int](req, fakes.Client(h), nil).NextPage(t.Context())
		require.Equal(t, want, asked)
		if path == "/list" {
			require.Equal(t, http.StatusTemporaryRedirect, statusError(t, err).StatusCode)
			continue
		}
		require.NoError(t, err)
	}
}

func TestRepeatedLink(t *testing.T) {
	tests := []struct {
		second string // the link on the second page, which is at /2
		want   int    // number of requests
	}{
		{list, 2}, {origin + "/2", 2}, {"/2#x", 2}, {"2", 2}, {"/3", 3}, {"/2?", 3},
	}
	for _, tt := range tests {
		s := serve(map[string][]string{
			"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "/2"}`},
			"/2":                     {`200 {"value": [2], "nextLink": "` + tt.second + `"}`},
			"/3":                     {`200 {"value": [3], "nextLink": "/2"}`},
			"/2?":                    {`200 {"value": [3], "nextLink": "/2"}`},
		})
		p := newPager[int](t, s, nil)
		got, err := items(t.Context(), p)
		require.ErrorIs(t, statusError(t, err), lroerrors.ErrRepeatedLink)
		require.Equal(t, count(1, tt.want+1), got)
		_, err = p.NextPage(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrRepeatedLink)
		require.Len(t, s.requests(), tt.want)
		_, err = p.Place()
		require.ErrorIs(t, err, lroerrors.ErrRepeatedLink)
	}
}

func TestMaxPages(t *testing.T) {
	for n := range 5 {
		s := numbers(3)
		p := newPager[int](t, s, &pager.Options{MaxPages: n})
		got, err := items(t.Context(), p)
		if n == 0 || n >= 3 {
			require.NoError(t, err)
			require.Equal(t, count(0, 6), got)
			continue
		}
		require.ErrorIs(t, statusError(t, err), lroerrors.ErrTooManyPages)
		require.Equal(t, count(0, 2*n), got)
		require.Len(t, s.requests(), n)
	}
}

func TestRedirectsMayLeadToOrigins(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"value":[1]}`)
	}))
	defer there.Close()
	here := httptest.NewServer(http.RedirectHandler(there.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	for _, origins := range [][]string{{there.URL}, nil} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, here.URL, http.NoBody)
		require.NoError(t, err)
		page, err := pager.New[int](req, nil, &pager.Options{Origins: origins}).NextPage(t.Context())
		if origins == nil {
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []int{1}, page.Items)
	}
}

// If a page that was read over https links to an http URL on its own host, the pager requests the
// https URL instead. NextLink keeps the original link.
func TestLinkIsReadOverHTTPS(t *testing.T) {
	for _, link := range []string{"http://management.example.test:80/2?sig=%2f", "http://management.example.test/2?sig=%2f"} {
		var asked []string
		s := serve(map[string][]string{
			"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "` + link + `"}`},
			"/2?sig=%2f":             {`200 {"value": [2]}`},
		})
		client := fakes.Client(s)
		base := client.Transport
		client.Transport = trip(func(req *http.Request) (*http.Response, error) {
			asked = append(asked, req.URL.String())
			return base.RoundTrip(req)
		})
		p := pager.New[int](newRequest(t, http.MethodGet, list, ""), client, nil)
		page, err := p.NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, link, page.NextLink)
		place, err := p.Place()
		require.NoError(t, err)
		require.Equal(t, origin+"/2?sig=%2f", place)
		page, err = p.NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{2}, page.Items)
		require.Equal(t, []string{list, origin + "/2?sig=%2f"}, asked)
	}
}

// If a page was read over plain http, the pager does not upgrade its link to https, even if the
// https origin is allowed.
func TestLinkFromHTTPPageIsUnchanged(t *testing.T) {
	s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "http://management.example.test/2"}`}, "/2": {`200 {"value": [2]}`}})
	p := pager.New[int](newRequest(t, http.MethodGet, strings.Replace(list, "https:", "http:", 1), ""), fakes.Client(s), &pager.Options{Origins: []string{origin}})
	_, err := p.NextPage(t.Context())
	require.NoError(t, err)
	place, err := p.Place()
	require.NoError(t, err)
	require.Equal(t, "http://management.example.test/2", place)
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
