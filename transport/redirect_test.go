package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

const home = "https://arm.test/ops/1?sig=SECRET"

// A redirector is an in-memory base that records all requests. It redirects each URL that is a key
// of its redirects field, and responds to any other URL with a 200 that echoes the method and the
// body.
type redirector struct {
	redirects map[string]string // maps URLs to "STATUS LOCATION"
	asked     []string
	auth      map[string]string
}

func (w *redirector) RoundTrip(req *http.Request) (*http.Response, error) {
	url := req.URL.String()
	w.asked = append(w.asked, req.Method+" "+url)
	if w.auth == nil {
		w.auth = map[string]string{}
	}
	w.auth[url] = req.Header.Get("Authorization")
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body.Close()
	}
	if to, ok := w.redirects[url]; ok {
		var code int
		var location string
		_, err := fmt.Sscanf(to, "%d %s", &code, &location)
		return response(answer{status: code, header: "Location: " + location}), err
	}
	return response(answer{status: 200, body: req.Method + " " + string(body)}), nil
}

func TestClientFollowsRedirects(t *testing.T) {
	const other, refused = "https://b.test/x", "ErrForeignOrigin"
	tests := []struct {
		verb, to string
		want     string // the body of the last response, the status code of a redirect that is not followed, or the constant refused
	}{
		{"GET", "302 /ops/2", "GET "},
		{"GET", "301 https://arm.test/ops/2", "GET "},
		{"GET", "303 https://ARM.test:443/ops/2", "GET "},
		{"GET", "307 https://arm.test/ops/2", "GET "},
		{"GET", "308 https://arm.test/ops/2", "GET "},
		{"HEAD", "302 https://arm.test/ops/2", "HEAD "},
		{"HEAD", "303 https://arm.test/ops/2", "HEAD "},
		{"PUT", "307 /ops/1?sig=other", "PUT body"},
		{"POST", "308 https://arm.test/ops/1", "POST body"},
		{"PUT", "307 /ops/2", "307"},
		{"POST", "308 https://arm.test/ops/2", "308"},
		{"PATCH", "307 /ops/1/", "307"},
		{"PATCH", "307 /ops/%31", "307"},
		{"PATCH", "307 https://b.test/ops/1", "307"}, // a body is not sent to another origin
		{"PATCH", "307 " + other, "307"},
		{"DELETE", "307 /ops/2", "307"},
		{"DELETE", "307 /", "307"},
		{"POST", "301 https://arm.test/ops/2", "301"},
		{"POST", "302 https://arm.test/ops/2", "302"},
		{"POST", "303 https://arm.test/ops/2", "GET "},
		{"POST", "303 " + other, "GET "},
		{"POST", "303 https://evil.test/", refused},
		{"PUT", "302 https://arm.test/ops/2", "302"},
		{"DELETE", "303 https://arm.test/ops/2", "GET "},
		{"PATCH", "301 https://arm.test/ops/2", "301"},
		{"GET", "302 " + other, "GET "},
		{"GET", "302 https://evil.test/x?y=1", refused},
		{"POST", "307 https://evil.test/x", refused},
		{"GET", "302 https://arm.test:8443/x", refused},
		{"GET", "302 http://arm.test/x", refused},
		{"GET", "302 http://plain.test/x", refused}, // a redirect from https to http is refused, even to an allowed origin
		{"GET", "302 https://user:pw@arm.test/x", refused},
		{"GET", "302 https://user@b.test/x", refused},
		{"GET", "302 ftp://arm.test/x", refused},
		{"GET", "302 https://arm.test.evil.test/x", refused},
	}
	for _, tt := range tests {
		w := &redirector{redirects: map[string]string{home: tt.to}}
		client := transport.NewClient(&transport.Options{
			Base: w, Token: static("t0"), Origins: []string{"HTTPS://B.test:443/", "http://plain.test", "not an origin", "https://:bad:"},
		})
		var body io.Reader
		if tt.verb != "GET" && tt.verb != "HEAD" {
			body = strings.NewReader("body")
		}
		resp, err := client.Do(request(t, t.Context(), tt.verb, home, body))
		if resp != nil {
			defer resp.Body.Close()
		}
		name := tt.verb + " " + tt.to
		if tt.want == refused {
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, name)
			var ue *url.Error
			require.ErrorAs(t, err, &ue)
			require.NotContains(t, ue.Err.Error(), "?", name)
			require.NotContains(t, ue.Err.Error(), "pw", name)
			require.Len(t, w.asked, 1, name)
			continue
		}
		require.NoError(t, err, name)
		if resp.StatusCode != 200 {
			require.Equal(t, tt.want, fmt.Sprint(resp.StatusCode), name)
			require.Len(t, w.asked, 1, name)
			continue
		}
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, tt.want, string(text), name)
		for url, auth := range w.auth {
			require.Equal(t, "Bearer t0", auth, url)
		}
	}
}

// A client follows a redirect from an allowed origin back to the first request's origin. The
// Transport refuses requests to an origin that is not allowed, even if the client has net/http's
// redirect policy.
func TestRedirectChains(t *testing.T) {
	tests := []struct {
		chain []string
		want  bool
	}{
		{[]string{"https://b.test/", "https://arm.test/ops/2"}, true},
		{[]string{"https://b.test/", "https://c.test/"}, false},
		{[]string{"https://arm.test/2", "https://arm.test/3", "https://c.test/"}, false},
	}
	for _, tt := range tests {
		for _, policy := range []bool{true, false} { // if false, the client has net/http's redirect policy
			w := &redirector{redirects: map[string]string{}}
			from := home
			for _, to := range tt.chain {
				w.redirects[from] = "302 " + to
				from = to
			}
			client := transport.NewClient(&transport.Options{Base: w, Origins: []string{"https://b.test"}, Token: static("t0")})
			if !policy {
				client.CheckRedirect = nil
			}
			resp, err := client.Do(request(t, t.Context(), "GET", home, nil))
			if tt.want {
				require.NoError(t, err)
				resp.Body.Close()
				require.Len(t, w.asked, len(tt.chain)+1)
				continue
			}
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			require.ErrorContains(t, err, "c.test")
			require.Len(t, w.asked, len(tt.chain), "no request may reach c.test, with policy %t", policy)
		}
	}
}

func TestRedirectsEnd(t *testing.T) {
	w := &redirector{redirects: map[string]string{home: "302 " + home}}
	resp, err := transport.NewClient(&transport.Options{Base: w}).Do(request(t, t.Context(), "GET", home, nil))
	if resp != nil {
		resp.Body.Close()
	}
	require.ErrorContains(t, err, "stopped after 10 redirects")
	require.Len(t, w.asked, 10)
}

// CheckRedirect also works in an http.Client that does not use this package's Transport.
func TestCheckRedirectForAnyClient(t *testing.T) {
	w := &redirector{redirects: map[string]string{home: "302 https://evil.test/"}}
	client := &http.Client{Transport: w, CheckRedirect: transport.CheckRedirect()}
	resp, err := client.Do(request(t, t.Context(), "GET", home, nil))
	if resp != nil {
		resp.Body.Close()
	}
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	require.ErrorContains(t, err, "https://evil.test")
	require.Len(t, w.asked, 1)

	// The caller's own URL may contain user-info, but the target of a redirect may not.
	w = &redirector{redirects: map[string]string{"https://me:pw@arm.test/": "302 https://arm.test/2"}}
	client.Transport = w
	resp, err = client.Do(request(t, t.Context(), "GET", "https://me:pw@arm.test/", nil))
	require.NoError(t, err)
	resp.Body.Close()

	// An empty method means GET.
	get := &http.Request{URL: &url.URL{Scheme: "https", Host: "a.test"}}
	require.NoError(t, transport.CheckRedirect()(request(t, t.Context(), "GET", "https://a.test/2", nil), []*http.Request{get}))
}

// RoundTrip does not follow redirects. Like an http.Client, it fails if it cannot parse the
// Location of a redirect.
func TestRoundTripFollowsNoRedirect(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{"https://arm.test/ops/2", "https://evil.test/", ""} {
			base := play(answer{status: code, header: "Location: " + location})
			resp, err := newTransport(base).RoundTrip(request(t, t.Context(), "POST", home, strings.NewReader("x")))
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, code, resp.StatusCode)
			require.Equal(t, location, resp.Header.Get("Location"))
			require.Equal(t, 1, base.sent())
		}
	}
	base := play(answer{status: 303, header: "Location: https://bad host/%zz?sig=SECRET"})
	_, err := newTransport(base).RoundTrip(request(t, t.Context(), "POST", home, strings.NewReader("x"))) //nolint:bodyclose // there is no response
	require.ErrorContains(t, statusError(t, err), "failed to parse Location header")
	require.NotContains(t, err.Error(), "SECRET")
	require.Equal(t, 1, base.sent())
}

func TestForeignOriginFromBaseIsNotRetried(t *testing.T) {
	w := &redirector{redirects: map[string]string{home: "302 https://evil.test/"}}
	inner := &http.Client{Transport: w, CheckRedirect: transport.CheckRedirect()}
	tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
		resp, err := inner.Do(request(t, context.WithoutCancel(r.Context()), r.Method, r.URL.String(), nil))
		return nil, errors.Join(err, resp.Body.Close())
	}))
	_, err := get(t, t.Context(), tr, home)
	require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin)
	require.Len(t, w.asked, 1)
}

// An http.Client reads up to 2 KiB of the body of a redirect before it follows the redirect. A slow
// body delays the client by at most HeaderTimeout.
func TestTricklingRedirect(t *testing.T) {
	for limit, took := range map[time.Duration]time.Duration{0: time.Minute, 5 * time.Second: 5 * time.Second, -1: 2048 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			client := transport.NewClient(&transport.Options{HeaderTimeout: limit, Base: trip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/there" {
					return response(answer{status: 200, body: "here"}), nil
				}
				body := io.NopCloser(&slowReader{ctx: r.Context(), chunks: 1 << 20})
				return &http.Response{StatusCode: 307, Header: http.Header{"Location": {"/there"}}, Body: body, ContentLength: -1}, nil
			})})
			start := time.Now()
			resp, err := client.Do(request(t, t.Context(), "GET", statuses, nil))
			require.NoError(t, err)
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, "here", string(text))
			require.Equal(t, took, time.Since(start))
		})
	}
}
