package wire_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// Pollers and pagers that are created without a client share the default client.
func TestGuardDefault(t *testing.T) {
	var none *http.Client
	require.NotNil(t, wire.Guard(nil))
	require.Same(t, wire.Guard(nil), wire.Guard(none))
	require.NotSame(t, wire.Guard(nil), wire.Guard(&http.Client{}))
}

// A guarded client follows redirects only to allowed origins, and also applies the caller's own
// redirect policy.
func TestGuard(t *testing.T) {
	var target string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ops/7" {
			http.Redirect(w, r, target, http.StatusFound)
		}
	})
	origins, err := exchange.NewOrigins([]string{"https://a.test"})
	require.NoError(t, err)
	client := fakes.Client(h)
	for location, foreign := range map[string]bool{"/there": false, "https://evil.test/?sig=SECRET": true} {
		target = location
		ans, err := wire.Send(origins.Mark(t.Context(), nil), wire.Guard(client), get(t), &wire.Terms{Limit: wire.Limit{Bytes: 10}})
		require.Equal(t, foreign, err != nil, "%v", err)
		if foreign {
			require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin)
		} else {
			require.Equal(t, "/there", ans.URL.Path)
		}
	}
	require.Nil(t, client.CheckRedirect, "the caller's client must not change")

	target = "/there"
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ans, err := wire.Send(origins.Mark(t.Context(), nil), wire.Guard(client), get(t), &wire.Terms{Limit: wire.Limit{Bytes: 100}})
	require.NoError(t, err)
	require.Equal(t, http.StatusFound, ans.Code)
	require.IsType(t, doer(nil), wire.Guard(doer(nil)), "Guard must return any other Doer unchanged")
}

// Do keeps the features that an http.Client adds to package transport: redirects, user-info in
// URLs, cookies, the RequestURI check and the Timeout. A redirected request is not sent to its
// first URL twice.
func TestClientOverTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		silent := false
		client := &http.Client{Transport: transport.New(&transport.Options{Base: roundTrip(func(req *http.Request) (*http.Response, error) {
			if silent {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			user, _, _ := req.BasicAuth()
			sent = append(sent, strings.TrimSpace(req.URL.Path+" "+user+req.Header.Get("Cookie")))
			resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Set-Cookie": {"a=b"}}, Body: http.NoBody}
			if req.URL.Path == "/ops/7" {
				resp.StatusCode, resp.Header = http.StatusFound, http.Header{"Location": {"/there"}}
			}
			return resp, nil
		})}), CheckRedirect: transport.CheckRedirect()}
		send := func(rawURL string) *lroerrors.StatusError {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, rawURL, http.NoBody)
			require.NoError(t, err)
			resp, refused := wire.Do(client, req)
			if refused == nil {
				resp.Body.Close()
			}
			return refused
		}
		require.Nil(t, send("https://a.test/ops/7"))
		require.Nil(t, send("https://me:secret@a.test/user"))
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		client.Jar = jar
		require.Nil(t, send("https://a.test/1"))
		require.Nil(t, send("https://a.test/2"))
		require.Equal(t, []string{"/ops/7", "/there", "/user me", "/1", "/2 a=b"}, sent)

		client.Jar = nil
		received := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.test/3", http.NoBody)
		_, refused := wire.Do(client, received) //nolint:bodyclose // there is no response
		require.NotNil(t, refused)
		require.ErrorContains(t, refused, "RequestURI")
		require.Len(t, sent, 5)

		client.Timeout, silent = time.Second, true
		start := time.Now()
		require.Error(t, send("https://a.test/4"))
		require.Equal(t, time.Second, time.Since(start))
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestRepeatedHeaders(t *testing.T) {
	from := http.Header{"Accept-Language": {"de"}, "Authorization": {"Bearer SECRET"}, "X-Ms-Client-Request-Id": {"c"}, "X-Correlation-Id": {"i"}}
	to := http.Header{"Accept-Language": {"fr"}}
	wire.AddMissing(to, exchange.PropagatedOf(from).Header())
	require.Equal(t, http.Header{"Accept-Language": {"fr"}, "X-Ms-Client-Request-Id": {"c"}, "X-Correlation-Id": {"i"}}, to)
	require.Zero(t, exchange.PropagatedOf(http.Header{"Accept-Language": {"d\x00e"}, "X-Correlation-Id": {""}, "X-Ms-Client-Request-Id": nil}), "a token cannot contain such a value")
}

// Send reads the body into Terms.Buf, which the caller can reuse.
func TestSendReusesMemory(t *testing.T) {
	var buf bytes.Buffer
	for _, text := range []string{"one", "and another", "\ufeffthree", ""} {
		ans, err := wire.Send(t.Context(), answering(200, io.NopCloser(strings.NewReader(text))), get(t), &wire.Terms{Limit: wire.Limit{Bytes: 11}, Buf: &buf})
		require.NoError(t, err)
		require.Equal(t, strings.TrimPrefix(text, "\ufeff"), string(ans.Body))
	}
	_, err := wire.Send(t.Context(), answering(200, io.NopCloser(strings.NewReader("123456789012"))), get(t), &wire.Terms{Limit: wire.Limit{Name: "MaxPageBytes", Bytes: 11}, Buf: &buf})
	require.ErrorContains(t, statusError(t, err), "larger than 11 bytes, the limit of MaxPageBytes")
}
