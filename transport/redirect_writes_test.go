package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// follow sends req through client. It returns the requests that w received and the last response's
// status code.
func follow(client *http.Client, w *redirector, req *http.Request) ([]string, int, error) {
	w.asked = nil
	resp, err := client.Do(req)
	if resp != nil {
		defer resp.Body.Close()
	}
	if err != nil {
		return w.asked, 0, err
	}
	return w.asked, resp.StatusCode, nil
}

// A redirect can move a write to another path only if FollowWrites is set. Even then, no body is
// sent to another origin.
func TestFollowWrites(t *testing.T) {
	const here, there, other = "https://arm.test/mine", "https://arm.test/victim", "https://b.test/mine"
	tests := []struct {
		to, body     string
		safe, writes int // the final status codes without and with FollowWrites
	}{
		{here + "?again=1", "body", 200, 200},
		{there, "body", 307, 200},
		{there, "", 307, 200},
		{other, "", 200, 200},
		{other, "body", 307, 307},
		{"https://b.test/victim", "", 307, 200},
		{"https://b.test/victim", "body", 307, 307},
	}
	for _, tt := range tests {
		w := &redirector{redirects: map[string]string{here: "307 " + tt.to}}
		policy := transport.CheckRedirect("https://b.test")
		safe := transport.New(&transport.Options{Base: w, Origins: []string{"https://b.test"}})
		writes := transport.New(&transport.Options{Base: w, Origins: []string{"https://b.test"}, FollowWrites: true})
		for name, c := range map[string]struct {
			client *http.Client
			want   int
		}{
			"a client of net/http":          {&http.Client{Transport: w, CheckRedirect: policy}, tt.safe},
			"by default":                    {&http.Client{Transport: safe, CheckRedirect: policy}, tt.safe},
			"FollowWrites":                  {&http.Client{Transport: writes, CheckRedirect: policy}, tt.writes},
			"by default, without a policy":  {&http.Client{Transport: safe}, tt.safe},
			"FollowWrites without a policy": {&http.Client{Transport: writes}, tt.writes},
		} {
			name = fmt.Sprintf("%s: %+v", name, tt)
			var body io.Reader
			if tt.body != "" {
				body = strings.NewReader(tt.body)
			}
			asked, status, err := follow(c.client, w, request(t, t.Context(), "DELETE", here, body))
			if c.want == 200 {
				require.NoError(t, err, name)
				require.Equal(t, 200, status, name)
				require.Equal(t, []string{"DELETE " + here, "DELETE " + tt.to}, asked, name)
				continue
			}
			require.Equal(t, []string{"DELETE " + here}, asked, name)
			if c.client.CheckRedirect != nil {
				require.NoError(t, err, name)
				require.Equal(t, c.want, status, name)
			} else {
				require.ErrorContains(t, err, "may not move a write", name)
			}
		}
	}
}

// A redirected request has no Referer, which would contain the previous URL. After a redirect to
// another origin, it keeps only Accept and the headers that all requests of an operation share.
func TestRedirectHeaders(t *testing.T) {
	const same, other = "https://arm.test/ops/2", "https://b.test/ops/1"
	sent := http.Header{
		"Referer": {"https://arm.test/?sig=SECRET"}, "Authorization": {"SECRET"}, "Cookie": {"SECRET"}, "X-Api-Key": {"SECRET"}, "Content-Type": {"text/plain"},
		"If-Match": {"etag"}, "If-None-Match": {"*"}, "Accept": {"text/plain"}, "Accept-Language": {"de"}, "X-Ms-Client-Request-Id": {"c"},
		"X-Ms-Correlation-Request-Id": {"r"}, "X-Correlation-Id": {"i"}, "User-Agent": {"me"},
	}
	foreign := http.Header{
		"Accept": {"text/plain"}, "Accept-Language": {"de"}, "X-Ms-Client-Request-Id": {"c"}, "X-Ms-Correlation-Request-Id": {"r"}, "X-Correlation-Id": {"i"},
	}
	tests := []struct {
		verb, to string
		gone     []string // the headers that must be missing after the redirect; nil means all except those in the variable foreign
	}{
		{"GET", "302 " + same, []string{"Referer", "Content-Type"}},
		{"GET", "302 " + other, nil},
		{"DELETE", "307 " + home + "2", []string{"Referer"}},
		{"DELETE", "307 " + other, nil},
		{"POST", "303 " + same, []string{"Referer", "If-Match", "If-None-Match", "Content-Type"}},
		{"POST", "303 " + other, nil},
	}
	for _, tt := range tests {
		for _, policy := range []bool{true, false} { // if false, the client has net/http's redirect policy
			var last http.Header
			w := &redirector{redirects: map[string]string{home: tt.to}}
			client := transport.NewClient(&transport.Options{Origins: []string{"https://b.test"}, Base: trip(func(r *http.Request) (*http.Response, error) {
				last = r.Header.Clone()
				return w.RoundTrip(r)
			})})
			if !policy {
				client.CheckRedirect = nil
			}
			req := request(t, t.Context(), tt.verb, home, nil)
			req.Header = sent.Clone()
			name := fmt.Sprintf("%+v, policy %t", tt, policy)
			asked, status, err := follow(client, w, req)
			require.NoError(t, err, name)
			require.Equal(t, 200, status, name)
			require.Len(t, asked, 2, name)
			require.Equal(t, sent, req.Header, "the caller's headers must not change")
			want := sent.Clone()
			for _, gone := range tt.gone {
				want.Del(gone)
			}
			if tt.gone == nil {
				want = foreign.Clone()
				want["User-Agent"] = last["User-Agent"]
				require.Contains(t, last.Get("User-Agent"), "lro-go/", name)
			}
			require.Equal(t, want, last, name)
		}
	}
}

// An http.Client does not follow a 307 or 308 if the request has a body but no GetBody. The
// Transport does not set GetBody, because a RoundTripper must not modify a request.
func TestRedirectOfBufferedBody(t *testing.T) {
	for _, code := range []int{307, 308} {
		w := &redirector{redirects: map[string]string{home: fmt.Sprintf("%d /ops/1?sig=other", code)}}
		req := request(t, t.Context(), "PUT", home, io.MultiReader(strings.NewReader("body"))) // net/http does not set GetBody for this reader
		resp, err := transport.NewClient(&transport.Options{Base: w}).Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, code, resp.StatusCode)
		require.Len(t, w.asked, 1)
		require.Nil(t, req.GetBody)
	}
}
