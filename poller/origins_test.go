package poller_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// foreign lists URLs that are refused if the only allowed origin is
// https://management.example.test. One of them has this origin, but contains user-info.
var foreign = []string{
	"https://evil.test/op",
	"//evil.test/op",
	"http://management.example.test:8080/op",
	"https://management.example.test:8443/op",
	"https://user:s3cret@management.example.test/op",
	"https://management.example.test@evil.test/op",
	"https://management.example.test.evil.test/op",
	"https://xmanagement.example.test/op",
	"https://management.example.test./op",
	"https://127.0.0.1/op",
	"https://[::1]/op",
	"https://m\u0430nagement.example.test/op", // contains a Cyrillic a
	"https://\uff4danagement.example.test/op", // contains a full-width m
	`https:\\evil.test/op`,
	"ftp://management.example.test/op",
	"file:///etc/passwd",
	"javascript:alert(1)",
	"https:///op",
}

// home lists URLs in different spellings, some of them relative, that all lead to the origin
// https://management.example.test.
var home = []string{
	"https://management.example.test/op",
	"https://MANAGEMENT.example.TEST/op",
	"HTTPS://management.example.test:443/op",
	"//management.example.test/op",
	"/op",
	"/x/../op",
}

// An elsewhere is a service that answers requests to any origin and records each request's origin.
type elsewhere struct {
	*service
	urls []string
}

func (e *elsewhere) client() *http.Client {
	c := e.service.client()
	inner := c.Transport
	c.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
		e.urls = append(e.urls, req.URL.Scheme+"://"+req.URL.Host)
		return inner.RoundTrip(req)
	})
	return c
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func requireHome(t *testing.T, e *elsewhere, err error) {
	t.Helper()
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	for _, u := range e.urls {
		require.Equal(t, origin, u)
	}
	require.NotContains(t, err.Error(), "s3cret")
}

func TestForeignURLIsNotFollowed(t *testing.T) {
	for _, u := range foreign {
		for _, header := range []string{"Azure-AsyncOperation", "Operation-Location", "Location"} {
			t.Run(header+" "+u, func(t *testing.T) {
				e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {"202\n" + header + ": " + u}})}
				_, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), nil)
				wait := err.(*lroerrors.WaitError) //nolint:errorlint // only the outermost error matters
				require.Equal(t, lroerrors.ReasonUnfollowable, wait.Reason)
				if !unparsable[u] {
					requireHome(t, e, err)
				}
				require.Len(t, e.urls, 1)
				token, err := wait.ResumeToken()
				require.NoError(t, err, "the token must let the caller resume with other origins")
				require.NotEmpty(t, token)
			})
		}
		if unparsable[u] {
			continue
		}
		t.Run("updated "+u, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202\nLocation: " + u}})}
				p, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), nil)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				requireWait(t, err, lroerrors.ReasonRefused)
				requireHome(t, e, err)
			})
		})
		t.Run("result "+u, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {accepted + "\nLocation: " + u}, get(monitor): {succeeded}})}
				p, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), nil)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				require.IsType(t, &lroerrors.ResultError{}, err)
				requireHome(t, e, err)
			})
		})
		t.Run("resourceLocation "+u, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				body := fmt.Sprintf(`200 {"status":"succeeded","resourceLocation":%q}`, u)
				e := &elsewhere{service: serve(map[string][]reply{"PUT " + resource: {"202\nOperation-Location: " + monitor}, get(monitor): {body}})}
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), e.client(), nil)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				require.IsType(t, &lroerrors.ResultError{}, err)
				requireHome(t, e, err)
			})
		})
		t.Run("cancel "+u, func(t *testing.T) {
			e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {acceptedAt}})}
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), &poller.Options{
				CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: u}, nil },
			})
			require.NoError(t, err)
			requireHome(t, e, p.Cancel(t.Context()))
		})
		t.Run("token "+u, func(t *testing.T) {
			token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":%q,"poll":%q,"memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}}`, origin, u)
			_, err := poller.Resume[raw](token, nil, &poller.Options{Origins: []string{origin}})
			if at, _ := url.Parse(u); at.IsAbs() && at.Host != "" {
				require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			} else {
				require.ErrorIs(t, err, lroerrors.ErrBadToken)
			}
		})
	}
}

// unparsable contains the URLs in the list foreign that have no host. They are rejected as invalid,
// not because of their origin.
var unparsable = map[string]bool{`https:\\evil.test/op`: true, "https:///op": true, "file:///etc/passwd": true, "javascript:alert(1)": true}

func TestSpellingsOfSameOrigin(t *testing.T) {
	for _, u := range home {
		t.Run(u, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {"202\nLocation: " + u}, get("/op"): {"200 {}"}})
				_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
				require.NoError(t, err)
			})
		})
	}
}

func TestOriginsOption(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &elsewhere{service: serve(map[string][]reply{
			"POST " + resource: {"202\nAzure-AsyncOperation: https://status.test:8443/op\nLocation: https://RESULT.test:443/result"},
			get("/op"):         {succeeded}, get("/result"): {"200 7"},
		})}
		p, err := poller.Begin[int](newRequest(t, "POST", resource), e.client(), &poller.Options{
			Origins: []string{"https://Status.test:8443", "https://result.test/"},
		})
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 7, v)
	})
}

func TestOriginsRejectDowngradeToHTTP(t *testing.T) {
	e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {"202\nLocation: http://plain.test/op"}})}
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), &poller.Options{Origins: []string{"http://plain.test"}})
	requireHome(t, e, err)
}

// overHTTPS lists http URLs that the poller upgrades to https if the operation was started over
// https.
var overHTTPS = []string{"http://management.example.test:80/op?sig=%2f", "http://management.example.test/op?sig=%2f"}

func TestLocationIsReadOverHTTPS(t *testing.T) {
	const op = origin + "/op?sig=%2f"
	for _, u := range overHTTPS {
		for name, replies := range map[string]map[string][]reply{
			"first":   {"POST " + resource: {"202\nLocation: " + u}, get("/op"): {"202", "200 7"}},
			"updated": {"POST " + resource: {acceptedAt}, get(monitor): {"202\nLocation: " + u}, get("/op"): {"202", "200 7"}},
			"result":  {"POST " + resource: {accepted + "\nLocation: " + u}, get(monitor): {succeeded}, get("/op"): {"200 7"}},
		} {
			t.Run(name+" "+u, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					e := &elsewhere{service: serve(replies)}
					p, err := poller.Begin[int](newRequest(t, "POST", resource), e.client(), nil)
					require.NoError(t, err)
					for range 2 {
						_, err := p.Poll(t.Context())
						require.NoError(t, err)
					}
					if name != "result" {
						require.Equal(t, op, p.URL())
					}
					token, err := p.ResumeToken()
					require.NoError(t, err)
					if name != "result" { // the memo contains the result URL as the service sent it
						require.NotContains(t, token, "http://")
					}
					p, err = poller.Resume[int](token, e.client(), &poller.Options{Origins: []string{origin}})
					require.NoError(t, err)
					v, err := p.PollUntilDone(t.Context())
					require.NoError(t, err)
					require.Equal(t, 7, v)
					for _, asked := range e.urls {
						require.Equal(t, origin, asked)
					}
				})
			})
		}
	}
}

// The poller upgrades an http URL in a response to https, unless the operation was started over
// http. It rejects an http URL in a redirect, a token or a cancel request.
func TestOnlyResponsesAreReadOverHTTPS(t *testing.T) {
	for _, u := range overHTTPS {
		bubble(t, func(t *testing.T) {
			e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"307\nLocation: " + u}})}
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), &poller.Options{
				CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: u}, nil },
			})
			require.NoError(t, err)
			requireHome(t, e, p.Cancel(t.Context()))
			_, err = p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused)
			requireHome(t, e, err)

			token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":%q,"poll":%q,"memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}}`, origin, u)
			_, err = poller.Resume[raw](token, nil, &poller.Options{Origins: []string{origin}})
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		})
		bubble(t, func(t *testing.T) {
			e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {"202\nLocation: " + u}, get("/op"): {"200 7"}})}
			req := newRequest(t, "POST", resource)
			req.URL.Scheme = "http"
			p, err := poller.Begin[int](req, e.client(), &poller.Options{Origins: []string{origin}})
			require.NoError(t, err)
			require.Equal(t, u, p.URL())
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	}
}

func TestRedirectsStayWithinOrigins(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				e := &elsewhere{service: serve(map[string][]reply{
					"POST " + resource: {acceptedAt}, get(monitor): {fmt.Sprintf("%d\nLocation: https://evil.test/op", code)},
				})}
				p, err := poller.Begin[raw](newRequest(t, "POST", resource), e.client(), nil)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				requireWait(t, err, lroerrors.ReasonRefused)
				requireHome(t, e, err)
			})
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {acceptedAt}, get(monitor): {fmt.Sprintf("%d\nLocation: /moved", code)}, get("/moved"): {"200 {}"},
				})
				_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
				require.NoError(t, err)
			})
			t.Run("of the first request", func(t *testing.T) {
				e := &elsewhere{service: serve(map[string][]reply{"PUT " + resource: {fmt.Sprintf("%d\nLocation: https://evil.test/op", code)}})}
				_, err := poller.Begin[raw](newRequest(t, "PUT", resource), e.client(), nil)
				require.IsType(t, &lroerrors.StatusError{}, err)
				require.Len(t, e.urls, 1)
			})
		})
	}
}

// If the first request is redirected to another origin, only the origin of the caller's request is
// allowed. The poller reads the resource at the caller's URL, and refuses a status URL at the other
// origin.
func TestOriginIsHeadOfRedirectChain(t *testing.T) {
	const moved = "https://other.example.test/w1"
	follow := func(t *testing.T, header http.Header) (*service, *poller.Poller[raw], error) {
		s := serve(map[string][]reply{get(resource): {widget}})
		last, err := http.NewRequestWithContext(t.Context(), http.MethodPut, moved, http.NoBody)
		require.NoError(t, err)
		last.Response = &http.Response{StatusCode: http.StatusTemporaryRedirect, Request: newRequest(t, "PUT", resource)}
		body := io.NopCloser(strings.NewReader(`{"properties":{"provisioningState":"Creating"}}`))
		p, err := poller.New[raw](&http.Response{StatusCode: http.StatusCreated, Header: header, Request: last, Body: body}, s.client(), nil)
		return s, p, err
	}
	bubble(t, func(t *testing.T) {
		s, p, err := follow(t, nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{get(resource)}, s.requests())
	})
	_, _, err := follow(t, http.Header{"Azure-Asyncoperation": {moved + "/op"}})
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
}

func TestPollHeaders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted + "\nLocation: /result"}, get(monitor): {running, succeeded}, get("/result"): {"200 {}"}})
		req := newRequest(t, "POST", resource)
		for name, v := range map[string]string{
			"x-ms-client-request-id": "c1", "x-ms-correlation-request-id": "r1", "Accept-Language": "de",
			"Authorization": "Bearer SECRET", "Cookie": "SECRET", "If-Match": "*", "X-Mine": "x",
		} {
			req.Header.Set(name, v)
		}
		p, err := poller.Begin[raw](req, s.client(), &poller.Options{Header: http.Header{"x-extra": {"e"}}})
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)
		require.NotContains(t, token, "SECRET")
		p, err = poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}, Header: http.Header{"x-extra": {"e"}}})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		for i, h := range s.headers() {
			require.Equal(t, "c1", h.Get("x-ms-client-request-id"))
			require.Equal(t, "r1", h.Get("x-ms-correlation-request-id"))
			require.Equal(t, "de", h.Get("Accept-Language"))
			require.Equal(t, "e", h.Get("x-extra"))
			if i > 0 {
				for _, name := range []string{"Authorization", "Cookie", "If-Match", "X-Mine", "Content-Type"} {
					require.Empty(t, h.Get(name), name)
				}
			}
		}
		require.Empty(t, req.Header.Get("x-extra"), "Begin must not change the caller's request")
	})
}

func TestURLsAreUnchanged(t *testing.T) {
	for _, path := range []string{
		"/ops/a*b?api-version=1&x=%2f%2F&sig=a+b%20c;d", "/ops/%7Bid%7D/(x)?q=a,b", "/ops/x%2Fy?", "/ops/é?x=é",
	} {
		bubble(t, func(t *testing.T) {
			var asked string
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					write(w, "202\nLocation: "+origin+path)
					return
				}
				asked = r.URL.String()
				write(w, "200 {}")
			})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(h), nil)
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			want, err := http.NewRequestWithContext(t.Context(), "GET", origin+path, nil)
			require.NoError(t, err)
			require.Equal(t, want.URL.RequestURI(), asked[len(asked)-len(want.URL.RequestURI()):])
		})
	}
}
