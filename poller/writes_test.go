package poller_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

const storage = "https://storage.test"

// A hop is a request that a client sent, either the original or one that follows a redirect.
type hop struct {
	what   string
	header http.Header
	body   string
}

// hops returns a Transport that appends each request to *sent before s responds.
func hops(s *service, sent *[]hop) *fakes.Transport {
	return &fakes.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = append(*sent, hop{r.Method + " https://" + r.Host + r.URL.RequestURI(), r.Header.Clone(), string(body)})
		s.ServeHTTP(w, r)
	})}
}

// clientsOf returns different kinds of clients. The poller can restrict the redirects of each.
func clientsOf(base http.RoundTripper) map[string]*http.Client {
	return map[string]*http.Client{
		"http.Client":         {Transport: base},
		"transport.NewClient": transport.NewClient(&transport.Options{Base: base}),
		"transport.New":       {Transport: transport.New(&transport.Options{Base: base})},
	}
}

// After a 307 or 308, the client does not send the first request or a cancel request to another
// path, because the service could otherwise choose what the request changes.
func TestRedirectDoesNotMoveWrite(t *testing.T) {
	const victim = "/widgets/victim"
	for _, code := range []reply{"307", "308"} {
		for _, method := range []string{"PUT", "PATCH", "POST", "DELETE"} {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					method + " " + resource: {code + "\nLocation: " + victim}, method + " " + victim: {"200 {}"},
					"POST /start": {accepted}, method + " /cancel": {code + "\nLocation: " + victim},
				})
				var sent []hop
				for name, client := range clientsOf(hops(s, &sent)) {
					sent = nil
					_, err := poller.Begin[raw](newRequest(t, method, resource), client, nil)
					refused, ok := err.(*lroerrors.StatusError) //nolint:errorlint // callers may rely on the type of the outermost error
					require.True(t, ok, "%s: %v", name, err)
					require.Len(t, sent, 1, name)
					require.Equal(t, code, fmt.Sprint(refused.StatusCode), name)

					p, err := poller.Begin[raw](newRequest(t, "POST", "/start"), client, &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
						return &poller.Request{Method: method, URL: "/cancel"}, nil
					}})
					require.NoError(t, err)
					require.IsType(t, refused, p.Cancel(t.Context()), name)
					require.Len(t, sent, 3, name)
				}
			})
		}
	}
}

// After a redirect to another origin, a request keeps only Accept-Language, the client request ID
// and the headers in Options.Header. It even drops a header in Options.Header if the original
// request set that header to another value.
func TestHeadersAfterRedirect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {"303\nLocation: " + storage + "/started?sig=SECRET"},
			get("/started"):    {"202\nLocation: " + origin + monitor},
			get(monitor):       {"302\nLocation: " + storage + "/result?sig=SECRET"},
			get("/result"):     {`200 {"size":1}`},
		})
		var sent []hop
		for name, client := range clientsOf(hops(s, &sent)) {
			sent = nil
			req := newRequest(t, "POST", resource+"?sig=SECRET")
			for header, v := range map[string]string{
				"Authorization": "SECRET", "Cookie": "SECRET", "X-Mine": "SECRET", "If-Match": "SECRET", "X-Key": "SECRET", "Content-Type": "application/json",
				"x-ms-client-request-id": "c1", "Accept-Language": "de",
			} {
				req.Header.Set(header, v)
			}
			p, err := poller.Begin[raw](req, client, &poller.Options{Origins: []string{storage}, Header: http.Header{"x-all": {"a"}, "X-Key": {"k"}}})
			require.NoError(t, err, name)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err, name)
			require.Len(t, sent, 4, name)
			for _, i := range []int{1, 3} {
				require.Equal(t, "https://storage.test", sent[i].what[len("GET "):][:len(storage)], name)
				for _, header := range []string{"Authorization", "Cookie", "X-Mine", "If-Match", "Content-Type", "Referer"} {
					require.Empty(t, sent[i].header.Get(header), "%s: %s", name, header)
				}
				require.NotContains(t, fmt.Sprint(sent[i].header), "SECRET", name)
				require.Empty(t, sent[i].body, name)
				require.Equal(t, "c1", sent[i].header.Get("X-Ms-Client-Request-Id"), name)
				require.Equal(t, "de", sent[i].header.Get("Accept-Language"), name)
				require.Equal(t, "a", sent[i].header.Get("X-All"), "%s: every poll must have the header in Options", name)
			}
			require.Empty(t, sent[1].header.Get("X-Key"), "%s: the redirected request must not have the header, which Begin's request set itself", name)
			require.Equal(t, "k", sent[3].header.Get("X-Key"), name)
		}
	})
}

// The client sends a request's body only to the request's origin.
func TestRedirectDoesNotMoveBody(t *testing.T) {
	s := serve(map[string][]reply{"PUT " + resource: {"307\nLocation: " + storage + resource}})
	var sent []hop
	for name, client := range clientsOf(hops(s, &sent)) {
		sent = nil
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, &poller.Options{Origins: []string{storage}})
		require.IsType(t, &lroerrors.StatusError{}, err, name)
		require.Len(t, sent, 1, name)
	}
}

// The Token function chooses a token for each origin. If it returns none for the origin of a signed
// storage URL, the client sends none there, even if Options.Origins allows that origin.
func TestBearerTokenStaysWithOrigin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {"202\nAzure-AsyncOperation: " + monitor + "\nLocation: " + storage + "/result?sig=s"},
			get(monitor):       {succeeded}, get("/result"): {`200 {"size":1}`},
		})
		var sent []hop
		asked := map[string]bool{}
		client := transport.NewClient(&transport.Options{Base: hops(s, &sent), Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
			asked[r.Origin] = true
			if r.Origin == origin {
				return transport.Token{Value: "t0"}, nil
			}
			return transport.Token{}, nil
		}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), client, &poller.Options{Origins: []string{storage}})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Len(t, sent, 3)
		for _, h := range sent {
			want := "Bearer t0"
			if strings.Contains(h.what, storage) {
				want = ""
			}
			require.Equal(t, want, h.header.Get("Authorization"), h.what)
		}
		require.Equal(t, map[string]bool{origin: true, storage: true}, asked)
	})
}
